// Input parts: the text of a study file, then command-line arguments.
// SPDX-License-Identifier: MIT
#include <optional>

#include "commands/line/arguments.hpp"
#include "fuzzing.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string text = input.parts.front();
  const std::vector<std::string> arguments(input.parts.begin() + 1, input.parts.end());
  std::optional<Study> study;
  const bool is_accepted = fuzz::accepts([&] {
    static const LineOptions options{all_keys(), {}, {"resume"}};
    const Arguments line = parse_arguments("run", options, arguments);
    study = parse_study_text(text, "study.cfg", line.assignments);
  });
  if (!is_accepted) return 0;
  const std::string written = study_file_text(*study);
  fuzz::must(study_file_text(parse_study_text(written, "written", {})) == written,
             "writing and reading restores a study:\n" + written);
  return 0;
}
