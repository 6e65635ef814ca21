// One input part: the description of a saved model in its file.
// SPDX-License-Identifier: MIT
#include "models/saved_model_record.hpp"

#include <optional>

#include "fuzzing.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::optional<SavedModel> trained;
  if (!fuzz::accepts([&] { trained = parse_saved_model_record(input.part(0), "model.pt"); })) return 0;
  const std::string written = saved_model_record(*trained);
  fuzz::must(saved_model_record(parse_saved_model_record(written, "model.pt")) == written,
             "writing and reading restores a description");
  return 0;
}
