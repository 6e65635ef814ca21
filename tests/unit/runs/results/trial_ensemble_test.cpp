// SPDX-License-Identifier: MIT
#include "runs/results/trial_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

// A file that is removed at the end.
struct Scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "sheaf-trial-ensemble-test.json";
  Scratch() { std::filesystem::remove(path); }
  ~Scratch() { std::filesystem::remove(path); }
};

TrialEnsemble example() {
  TrialEnsemble ensemble;
  ensemble.task = "classification";
  ensemble.outputs = 2;
  ensemble.class_names = {"no", "yes"};
  ensemble.rows = 100;
  ensemble.candidates = 7;
  ensemble.selections = 20;
  ensemble.loss = 0.25;
  ensemble.metric = "accuracy";
  ensemble.score = 0.9;
  ensemble.step_losses = {0.5, 0.25};
  ensemble.has_module = true;
  ensemble.members = {
      {4, 0.75, 0.5, 0.8, {{"train.learning_rate", "0.1"}}, {"iteration-8.pt", "iteration-9.pt"}},
      {1, 0.25, 0.375, std::numeric_limits<double>::quiet_NaN(), {{"train.learning_rate", "0.2"}}, {"iteration-2.pt"}}};
  return ensemble;
}

}  // namespace

TEST_CASE("the file of an ensemble has all that is read from it") {
  const Scratch scratch;
  const std::string path = scratch.path.string();
  CHECK_FALSE(read_ensemble(path));
  std::ofstream(path) << ensemble_json(example());
  const auto read = read_ensemble(path);
  REQUIRE(read);
  CHECK(ensemble_json(*read) == ensemble_json(example()));
  CHECK(read->members[1].values == example().members[1].values);
  CHECK(std::isnan(read->members[1].score));
  CHECK(read->has_module);
  for (const char* content : {"", "[]", "{}", "{\"members\": []}"}) {
    std::ofstream(path, std::ios::trunc) << content;
    CHECK_THROWS_AS(read_ensemble(path), RunError);
  }
  for (const auto& [old, bad] :
       {std::pair<std::string, std::string>("0.75", "0.0"), {"\"iteration-8", "\"../iteration-8"}}) {
    std::string text = ensemble_json(example());
    text.replace(text.find(old), old.size(), bad);
    std::ofstream(path, std::ios::trunc) << text;
    CHECK_THROWS_AS(read_ensemble(path), RunError);
  }
}

TEST_CASE("a member divides its weight among its models") {
  const WeightedFiles all = weighted_files(example());
  CHECK(all.files == std::vector<std::string>{"iteration-8.pt", "iteration-9.pt", "iteration-2.pt"});
  CHECK(all.weights == std::vector<double>{0.375, 0.375, 0.25});
}

TEST_CASE("the text of an ensemble compares it with its best single member, and lists ten members") {
  TrialEnsemble ensemble = example();
  CHECK(ensemble_text(ensemble) ==
        "loss 0.25, accuracy 0.9000 (its member with the least loss, trial 1: loss 0.375, accuracy not defined)");
  CHECK(member_lines(ensemble) ==
        "  weight 0.750, trial 4, train.learning_rate = 0.1\n  weight 0.250, trial 1, train.learning_rate = 0.2\n");
  ensemble.members.resize(12, ensemble.members.front());
  const std::string lines = member_lines(ensemble);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 11);
  CHECK(lines.substr(lines.rfind("  ...")) == "  ... and 2 more in models/ensemble.json\n");
}
