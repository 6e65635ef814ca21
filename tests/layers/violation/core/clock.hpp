// Not compiled: breaks the rules that violation.cmake lists.
#include <torch/torch.h>
#include <chrono>
#include <sheaf/plugin.hpp>
#include <study/study.hpp>

#include <fmt/format.h>
