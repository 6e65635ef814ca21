// Images and labels in the formats of their data sets: IDX (MNIST and its kin) and CIFAR-10's binary version.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "data/import/imported_data.hpp"
#include "files/byte_source.hpp"

namespace sheaf {

/// `sources`: images, labels, images, labels, ... The pairs are appended; their images have one shape and type. Images
/// [N, H, W] become [N, 1, H, W]; arrays of other ranks stay as they are. Throws RunError.
ImportedData import_idx(const std::vector<std::unique_ptr<ByteSource>>& sources);

/// Records of a label (0 to 9) and 3 x 32 x 32 pixels, as in data_batch_1.bin: uint8 [N, 3, 32, 32]. The files are
/// appended. Throws RunError.
ImportedData import_cifar10(const std::vector<std::unique_ptr<ByteSource>>& sources);

}  // namespace sheaf
