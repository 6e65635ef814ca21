// Copies of the objects of an HDF5 file, such that the copy needs no other file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sheaf {

/// One step of copying.
struct ObjectCopy {
  enum class Kind {
    soft_link,  ///< to `target`
    hard_link,  ///< to `target`, which was copied before
    group,      ///< empty, with its attributes
    object,     ///< a data set or a type, as it is stored
    numbers,    ///< a data set whose numbers are in other files: they are stored in one piece
  };
  Kind kind = Kind::object;
  std::string path;  ///< in both files
  std::string target;
};

struct CopyPlan {
  std::vector<ObjectCopy> copies;       ///< in this order
  std::vector<std::string> left_out;    ///< paths of the data set that is not copied
  std::vector<std::string> references;  ///< paths of data sets with references, which are not copied
  std::int64_t bytes_of_others = 0;     ///< upper bound of the bytes from files other than the source
};

/// Plans copies of all objects in file `source`, except the data set `left_out`, those with the paths `names_left_out`,
/// and data sets with references, which are addresses in their file. External links, and soft links of other files, are
/// replaced by their targets. Throws RunError when one of these or a virtual data set leads to something that is
/// missing. Local.
CopyPlan plan_copies(std::int64_t source, std::int64_t left_out, const std::vector<std::string>& names_left_out);

/// Makes the copies in file `to`, with the attributes of the root group. Throws RunError that names an object that
/// cannot be copied. Local.
void make_copies(const CopyPlan& plan, std::int64_t source, std::int64_t to);

/// Copies attributes, except those with references, from one object to another. Throws RunError. Local.
void copy_attributes(std::int64_t from, std::int64_t to);

}  // namespace sheaf
