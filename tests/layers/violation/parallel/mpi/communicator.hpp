// Not compiled: breaks no rule.
#include <mpi.h>

#include "core/clock.hpp"
