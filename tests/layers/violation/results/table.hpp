// Not compiled: breaks the rules that violation.cmake lists.
#include <mpi.h>
#include "partition/chunk_rules.hpp"
