// Imports images and labels in the IDX format (MNIST and similar data sets) and in CIFAR-10's binary format.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "data/import/imported_data.hpp"
#include "files/byte_source.hpp"

namespace sheaf {

/// Imports IDX files. `sources`: images, labels, images, labels, ... The pairs are concatenated; all images must have
/// the same shape and type. Images [N, H, W] become [N, 1, H, W]; arrays of other ranks keep their shape. Labels are
/// coded by code_integers(). Throws RunError.
ImportedData import_idx(const std::vector<std::unique_ptr<ByteSource>>& sources, const KnownNames& known = {});

/// Imports files such as data_batch_1.bin, with records of a label (0 to 9) and 3 x 32 x 32 pixels, as uint8
/// [N, 3, 32, 32]. The files are concatenated. With `known` names, the classes of CIFAR-10 get the numbers of their
/// names. Throws RunError.
ImportedData import_cifar10(const std::vector<std::unique_ptr<ByteSource>>& sources, const KnownNames& known = {});

}  // namespace sheaf
