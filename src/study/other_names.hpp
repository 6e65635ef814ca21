// Hints for unknown names: names from other tools (scikit-learn, Keras, PyTorch, XGBoost, Optuna) and from earlier
// versions of Sheaf, and typing errors. The row of a key has its plain synonyms (study/setting.hpp); the table here has
// the names that need more words. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

/// A name of a setting in another tool that Sheaf does not have, or for which the name of a key is not enough.
struct OtherName {
  std::string_view word;  ///< lower case, with underscores; with a section, "data.workers", only for words with it
  std::string_view key;   ///< the key of a study; empty: Sheaf has none
  std::string_view note;  ///< with a key: follows "Use <key>"; without a key: one or more sentences
};

const std::vector<OtherName>& other_names();

/// A sentence about the name that was probably meant by `word`, which is not in `known`: a name in another tool, the
/// same name in another section, or a similar name. It starts with a space, and `dashes` precede the name. Empty if
/// there is none.
std::string unknown_name_hint(const std::string& word, const std::vector<std::string>& known,
                              const std::string& dashes);

/// A sentence about the value that was probably meant by `word`, which is not in `names`, the names of the values of
/// `key`. As above.
std::string unknown_value_hint(const std::string& key, const std::string& word, const std::vector<std::string>& names);

}  // namespace sheaf
