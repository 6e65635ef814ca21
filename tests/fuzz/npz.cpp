// Pieces: an archive, the names of features and targets.
// SPDX-License-Identifier: MIT
#include "data/import/numpy_files.hpp"
#include "imported.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::string archive = input.piece(0);
  ImportedData imported;
  if (fuzz::accepts([&] { imported = import_npz(archive, "a.npz", {input.piece(1), input.piece(2), {}}); }))
    fuzz::must_be_sound(imported);
  return 0;
}
