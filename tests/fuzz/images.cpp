// Input parts: files. Option 0: CIFAR-10 instead of IDX.
// SPDX-License-Identifier: MIT
#include "data/import/image_files.hpp"

#include "imported.hpp"

using namespace sheaf;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const bool cifar = input.option(0);
  if (!cifar && input.parts.size() % 2 != 0) input.parts.emplace_back();
  const auto sources = fuzz::sources_of(input.parts);
  ImportedData imported;
  if (fuzz::accepts([&] { imported = cifar ? import_cifar10(sources) : import_idx(sources); }))
    fuzz::must_be_sound(imported);
  return 0;
}
