// Not compiled: breaks the rules that violation.cmake lists.
#include <torch/torch.h>
#include <chrono>
#include <study/study.hpp>

#include <fmt/format.h>
