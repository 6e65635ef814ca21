// Input parts: an archive, the name of the features, the name of the targets.
// SPDX-License-Identifier: MIT
#include "data/import/numpy_files.hpp"
#include "imported.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const std::string archive = input.part(0);
  ImportedData imported;
  if (fuzz::accepts([&] { imported = import_npz(archive, "a.npz", {input.part(1), input.part(2), true, {}}); }))
    fuzz::must_be_sound(imported);
  return 0;
}
