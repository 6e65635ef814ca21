// Not compiled: breaks no rule.
#include "options/study.hpp"
