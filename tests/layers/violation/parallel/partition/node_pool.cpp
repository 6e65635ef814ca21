// Not compiled: includes chunk_rules, which includes it.
#include "parallel/partition/node_pool.hpp"

#include "parallel/partition/chunk_rules.hpp"
