// Not compiled: includes node_pool, which includes it.
#include "options/study.hpp"
#include "partition/node_pool.hpp"
