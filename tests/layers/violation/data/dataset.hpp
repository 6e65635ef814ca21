// Not compiled: breaks the rules that violation.cmake lists. DEPENDS name study alone, which reaches core.
#include <H5Ipublic.h>
#include "core/clock.hpp"
#include "mpi.h"
#include "parallel/mpi/communicator.hpp"
