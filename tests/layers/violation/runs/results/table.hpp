// Not compiled: breaks the rules that violation.cmake lists.
#include <mpi.h>
#include "engines/native/native_trainer.hpp"
#include "engines/torch_backend.hpp"
#include "runs/journal/journal_line.hpp"
