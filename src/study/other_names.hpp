// Names from other tools (scikit-learn, Keras, PyTorch, XGBoost, Optuna) and from earlier versions of Sheaf, with the
// keys and values of a study that have their meaning. Messages about unknown names use them. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// A name of a setting in another tool.
struct OtherName {
  std::string_view word;  ///< lower case, with underscores; with a section, "data.workers", only for words with it
  std::string_view key;   ///< the key of a study; empty: Sheaf has none
  std::string_view note;  ///< with a key: follows "Use <key>", may be empty; without a key: one or more sentences
};

const std::vector<OtherName>& other_names();

/// A name of a value of `key` in another tool.
struct OtherValue {
  std::string_view key;
  std::string_view word;  ///< lower case
  std::string_view value;
};

const std::vector<OtherValue>& other_values();

/// A sentence about the name that was probably meant by `word`, which is not in `known`: from the table of other names,
/// the same name in another section, or a similar name. It starts with a space, and `dashes` precede the name. Empty if
/// there is none.
std::string unknown_name_hint(const std::string& word, const std::vector<std::string>& known,
                              const std::string& dashes);

/// A sentence about the value that was probably meant by `word`, which is not in `names`, the names of the values of
/// `key`. As above.
std::string unknown_value_hint(const std::string& key, const std::string& word, const std::vector<std::string>& names);

}  // namespace sheaf
