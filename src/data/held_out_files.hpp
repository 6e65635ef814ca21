// Files whose rows are all held out: whether they fit the data file, and how their rows are read alike.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "data/file_schema.hpp"

namespace sheaf {

/// How the columns, images, targets or classes of `other` differ from those of `file`: "it has 5 features per row, not
/// 4"; empty if they agree. Names are compared if both files have them. Pure.
std::string difference(const FileSchema& other, const FileSchema& file);

/// Throws RunError unless the files that `file` holds out have the same columns, targets and classes. Pure.
void require_same_columns(const FileSchema& file);

/// Lets the rows of `other` have the offsets of `file`, after with_offsets() has found them. Pure.
void use_offsets_of(const FileSchema& file, FileSchema& other);

}  // namespace sheaf
