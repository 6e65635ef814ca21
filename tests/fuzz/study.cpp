// Pieces: the text of a study file, then the words of a command line.
// SPDX-License-Identifier: MIT
#include <optional>

#include "fuzzing.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::string text = input.pieces.front();
  const std::vector<std::string> words(input.pieces.begin() + 1, input.pieces.end());
  std::optional<Study> study;
  if (!fuzz::accepts([&] { study = parse_study_text(text, "study.cfg", words); })) return 0;
  const std::string written = study_file_text(*study);
  fuzz::must(study_file_text(parse_study_text(written, "written", {})) == written,
             "a study that was written and read is the same:\n" + written);
  return 0;
}
