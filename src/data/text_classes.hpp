// The rule by which labels of text become class numbers, in sorted order, the same for all file formats. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace sheaf {

/// The maximum number of classes that have names. A column with more different values is probably a quantity or an
/// identifier of the rows.
constexpr std::size_t max_class_names = std::size_t{1} << 16;

/// Collects the different texts of the rows.
class TextClasses {
 public:
  /// Returns the number of a text, in the order in which texts were first added. Throws RunError if there are more than
  /// max_class_names, with `description` ("data set '/y' of 'a.h5'").
  std::int64_t add(const std::string& text, const std::string& description);

  /// The different texts, by their numbers.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> texts_;
};

/// Returns the names of the classes: the different texts in sorted order.
std::vector<std::string> class_names_of(std::vector<std::string> texts);

/// Returns the class of each text, its place in the sorted `names`, which contain all of them.
std::vector<std::int64_t> classes_of(const std::vector<std::string>& texts, const std::vector<std::string>& names);

}  // namespace sheaf
