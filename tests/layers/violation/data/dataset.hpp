// Not compiled: breaks the rules that violation.cmake lists. DEPENDS has only study, which depends on core.
#include <H5Ipublic.h>
#include "core/clock.hpp"
#include "mpi.h"
#include "parallel/mpi/communicator.hpp"
