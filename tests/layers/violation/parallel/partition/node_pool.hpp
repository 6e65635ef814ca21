// Not compiled: breaks no rule.
#include "core/clock.hpp"
