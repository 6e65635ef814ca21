// Not compiled: breaks no rule.
#include "parallel/partition/chunk_rules.hpp"
#include "runs/results/table.hpp"
