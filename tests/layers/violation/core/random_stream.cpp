// Not compiled: breaks no rule.
#include "core/clock.hpp"

#include <Random123/philox.h>
