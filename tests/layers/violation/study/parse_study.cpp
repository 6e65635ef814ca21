// Not compiled: breaks no rule.
#include <boost/program_options.hpp>
