// SPDX-License-Identifier: MIT
#include "commands/report/stored_summary.hpp"

#include <algorithm>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string text_of(const NamedTexts& texts, const std::string& name) {
  const auto found = std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text.first == name; });
  return found == texts.end() ? "-" : found->second;
}

}  // namespace

TEST_CASE("a run without a summary has the data and the version of its study") {
  const StoredSummary stored = stored_summary(std::nullopt, "digits.h5", "1.2");
  CHECK(stored.origin == NamedTexts{{"data", "digits.h5"}, {"program", "sheaf 1.2"}});
  CHECK(stored.tests.empty());
  CHECK_FALSE(stored.is_damaged);
  CHECK(stored_summary(std::nullopt, "", "").origin ==
        NamedTexts{{"data", "synthetic"}, {"program", "sheaf of an unknown version"}});
}

TEST_CASE("a summary has the origin of the results, the values on test rows and the models") {
  const StoredSummary stored = stored_summary(R"({"user": "ada", "hosts": ["node1", "node2"], "attempts": 2,
      "started_utc": "S", "finished_utc": "F", "command_line": "sheaf run x.cfg", "git_revision": "abc", "mpi": "Open MPI",
      "data": {"file": "x.h5", "rows": 10, "features": 3, "content_hash": "77"}, "lanes": {"idle_share": 0.25},
      "refit": {"rows": 8}, "best": {"models": ["models/iteration-4.pt"]},
      "test": {"models": "refit", "loss": 0.123456789, "rows": 2, "metrics": {"accuracy": 0.5}},
      "out_of_bag": {"loss": 0.5, "rows": 7}, "ensemble": {"test": {"loss": null, "rows": 2}}})",
                                              "other.h5", "1.2");
  CHECK(text_of(stored.origin, "data") == "x.h5 (10 rows, 3 features)");
  CHECK(text_of(stored.origin, "content hash") == "77");
  CHECK(text_of(stored.origin, "user") == "ada on node1 and node2");
  CHECK(text_of(stored.origin, "time") == "S to F (UTC), job 2 of the run");
  CHECK(text_of(stored.origin, "command") == "sheaf run x.cfg");
  CHECK(text_of(stored.origin, "program") == "sheaf 1.2 (git abc)");
  CHECK(text_of(stored.origin, "libraries") == "mpi: Open MPI");
  CHECK(stored.tests ==
        NamedTexts{{"refit", "loss 0.12346, accuracy 0.5000 on 2 rows"}, {"ensemble of trials", "no loss on 2 rows"}});
  CHECK(stored.out_of_bag == "loss 0.5 on 7 rows");
  CHECK(stored.idle_share == 0.25);
  CHECK(stored.refit_rows == 8);
  CHECK(stored.best_models == std::vector<std::string>{"models/iteration-4.pt"});
}

TEST_CASE("a summary that is not an object is damaged, and members of other types are left out") {
  for (const char* text : {"", "{", "null", "[1]", "\"text\"", "7"}) {
    const StoredSummary stored = stored_summary(text, "x.h5", "1.2");
    CHECK(stored.is_damaged);
    CHECK(text_of(stored.origin, "data") == "x.h5");
    CHECK(text_of(stored.origin, "user") == "-");
  }
  const StoredSummary stored = stored_summary(
      R"({"hosts": 3, "data": [1], "lanes": {"idle_share": "much"}, "refit": {"rows": 1.5}, "best": {"models": [1, "a"]},
          "test": "good", "ensemble": {"test": 4}})",
      "x.h5", "1.2");
  CHECK_FALSE(stored.is_damaged);
  CHECK_FALSE(stored.idle_share);
  CHECK_FALSE(stored.refit_rows);
  CHECK(stored.tests.empty());
  CHECK(stored.best_models == std::vector<std::string>{"a"});
}
