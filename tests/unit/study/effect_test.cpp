// SPDX-License-Identifier: MIT
#include "study/effect.hpp"

#include <string>

#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "study_builders.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

bool has_effect(const std::string& key, const Assignments& assignments) {
  return failed_condition(*find_setting(key), study_with(assignments)) == nullptr;
}

}  // namespace

TEST_CASE("conditions name keys and values that exist, and their advice fulfills them") {
  for (const Setting& setting : settings_table())
    for (const Condition& condition : setting.conditions) {
      CAPTURE(setting.info.key, condition.keys, condition.advice);
      for (const auto& key : condition.keys) {
        CHECK(find_setting(key) != nullptr);
        CHECK(key != setting.info.key);
      }
      Study study;
      for (const auto& value : condition.values) {
        REQUIRE_NOTHROW(apply_setting(study, condition.keys[0], value));
        CHECK(condition.holds(study));
      }
      const std::size_t equals = condition.advice.find(" = ");
      if (equals == std::string::npos) continue;
      apply_setting(study, condition.advice.substr(0, equals), condition.advice.substr(equals + 3));
      CHECK(condition.holds(study));
    }
}

TEST_CASE("whether a key has an effect does not depend on keys without effect") {
  int compared = 0;
  for (const Setting& setting : settings_table())
    for (const Setting& cause : settings_table()) {
      if (cause.conditions.empty() || !is_decided_by(setting, cause.info.key)) continue;
      for (const char* kind : {"auto", "linear", "mlp", "cnn", "resnet18", "torchscript:a.pt", "plugin:a.so"})
        for (const char* value : {"none", "8", "auto", "true", "false"}) {
          Study study = study_with({{"model.kind", kind}});
          const bool has_effect = failed_condition(setting, study) == nullptr;
          if (failed_condition(cause, study) == nullptr || !cause.setter(value)) continue;
          CAPTURE(setting.info.key, cause.info.key, kind, value);
          apply_setting(study, cause.info.key, value);
          CHECK((failed_condition(setting, study) == nullptr) == has_effect);
          ++compared;
        }
    }
  CHECK(compared > 10);
}

TEST_CASE("a condition on a model with a file holds for every file") {
  CHECK(has_effect("model.keep_weights", {{"model.kind", "torchscript:a.pt"}}));
  CHECK_FALSE(has_effect("model.keep_weights", {{"model.kind", "plugin:a.so"}}));
}

TEST_CASE("a key with its default or with the value none is not set") {
  const auto is_set = [](const std::string& key, const std::string& value) {
    return sheaf::is_set(*find_setting(key), study_with({{key, value}}));
  };
  CHECK(is_set("train.momentum", "0.9"));
  CHECK_FALSE(is_set("train.momentum", "0"));
  CHECK(is_set("data.normalize_targets", "standard"));
  CHECK_FALSE(is_set("data.normalize_targets", "none"));
  CHECK_FALSE(is_set("data.normalize_targets", "auto"));
  CHECK_FALSE(is_set("model.hidden", "none"));
}
