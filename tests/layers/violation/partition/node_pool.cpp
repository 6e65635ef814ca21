// Not compiled: includes chunk_rules, which includes it.
#include "partition/node_pool.hpp"

#include "partition/chunk_rules.hpp"
