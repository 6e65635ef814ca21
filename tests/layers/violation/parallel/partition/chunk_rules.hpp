// Not compiled: includes node_pool, which includes it.
#include "parallel/partition/node_pool.hpp"
#include "study/study.hpp"
