// Not compiled: breaks the rules that violation.cmake lists.
#include <mpi.h>
#include "runs/journal/journal_line.hpp"
