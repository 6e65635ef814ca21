// Copies the objects of an HDF5 file, so that the copy is self-contained.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// One copy operation.
struct ObjectCopy {
  enum class Kind {
    soft_link,  ///< a soft link to `target`
    hard_link,  ///< a hard link to `target`, which was copied before
    group,      ///< an empty group, with its attributes
    object,     ///< a data set or a type, without conversion
    numbers,    ///< a data set whose numbers are in other files; the copy is contiguous
  };
  Kind kind = Kind::object;
  std::string path;  ///< path in both files
  std::string target;
};

struct CopyPlan {
  std::vector<ObjectCopy> copies;       ///< operations, in this order
  std::vector<std::string> left_out;    ///< paths of the data set that is not copied
  std::vector<std::string> references;  ///< paths of data sets with references, which are not copied
  std::int64_t bytes_of_others = 0;     ///< upper bound of the bytes copied from files other than the source
};

/// Plans copies of all objects in file `source`, except the data set `left_out`, objects with the paths
/// `names_left_out`, and data sets with references, which are valid only in their file. External links, and soft links
/// in other files, are replaced by their targets. Throws RunError if the target of such a link or a source of a virtual
/// data set is missing. Local.
CopyPlan plan_copies(std::int64_t source, std::int64_t left_out, const std::vector<std::string>& names_left_out);

/// Copies the planned objects and the attributes of the root group to file `to`. Throws RunError with the name of an
/// object that cannot be copied. Local.
void make_copies(const CopyPlan& plan, std::int64_t source, std::int64_t to);

/// Copies attributes, except those with references, from one object to another. Throws RunError. Local.
void copy_attributes(std::int64_t from, std::int64_t to);

}  // namespace sheaf
