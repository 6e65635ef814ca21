// Not compiled: breaks the rules that violation.cmake lists.
#include <torch/torch.h>
#include <chrono>
#include <options/study.hpp>

#include <fmt/format.h>
