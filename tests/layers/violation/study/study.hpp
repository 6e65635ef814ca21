// Not compiled: breaks the rules that violation.cmake lists.
#include <cuda_runtime.h>
#include <hwloc.h>
#include <hwy/highway.h>
#include <boost/program_options.hpp>
#include "core/clock.hpp"
