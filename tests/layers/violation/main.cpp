// Not compiled: breaks no rule.
#include "partition/chunk_rules.hpp"
#include "results/table.hpp"
