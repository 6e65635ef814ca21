// One piece: the record in a model file.
// SPDX-License-Identifier: MIT
#include "models/saved_model_record.hpp"

#include <optional>

#include "fuzzing.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  std::optional<TrainedModel> trained;
  if (!fuzz::accepts([&] { trained = parse_model_record(input.piece(0), "model.pt"); })) return 0;
  const std::string written = model_record(*trained);
  fuzz::must(model_record(parse_model_record(written, "model.pt")) == written,
             "a model that was written and read is the same");
  return 0;
}
