// Not compiled: breaks the rules that violation.cmake lists. DEPENDS name options alone, which reaches core.
#include <H5Ipublic.h>
#include "core/clock.hpp"
#include "mpi.h"
#include "mpi/communicator.hpp"
