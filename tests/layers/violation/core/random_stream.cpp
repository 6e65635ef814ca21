// Not compiled: breaks no rule.
#include "core/clock.hpp"

#include <hwy/highway.h>
