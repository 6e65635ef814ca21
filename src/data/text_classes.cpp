// SPDX-License-Identifier: MIT
#include "data/text_classes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace sheaf {

std::int64_t TextClasses::add(const std::string& text, const std::string& description) {
  const auto [found, is_new] = numbers_.try_emplace(text, static_cast<std::int64_t>(texts_.size()));
  if (!is_new) return found->second;
  require(texts_.size() < max_class_names, [&] {
    return fmt::format("The {} has more than {} different texts (too many classes). Use labels that name classes.",
                       description, max_class_names);
  });
  texts_.push_back(text);
  return found->second;
}

std::vector<std::string> class_names_of(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

std::vector<std::int64_t> classes_of(const std::vector<std::string>& texts, const std::vector<std::string>& names) {
  std::vector<std::int64_t> classes;
  classes.reserve(texts.size());
  for (const auto& text : texts) classes.push_back(std::lower_bound(names.begin(), names.end(), text) - names.begin());
  return classes;
}

}  // namespace sheaf
