// SPDX-License-Identifier: MIT
#include "commands/train/prepare/model_files.hpp"

#include <fstream>
#include <string>

#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

TEST_CASE("a process keeps the first fingerprint of a model file, even if the file changes later") {
  const auto write = [](const std::string& text) { std::ofstream("model_files_test.pt") << text; };
  Study study = test::plain_study();
  apply_setting(study, "model.kind", "torchscript:model_files_test.pt");
  write("foobar");
  const ModelFingerprints first = fingerprint_model_files(test::whole_plan(study));
  CHECK(first == ModelFingerprints{{"model_files_test.pt", "85944171f73967e8"}});  // FNV-1a of "foobar"
  write("another");
  CHECK(fingerprint_model_files(test::whole_plan(study)) == first);
}
