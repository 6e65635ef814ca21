// SPDX-License-Identifier: MIT
#include "run/settle_study.hpp"

#include "core/error.hpp"
#include "journal/study_identity.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

JobFacts facts_of(std::int64_t data_mib, std::int64_t node_mib, bool any_gpu = false) {
  return {any_gpu, any_gpu, data_mib * mebibyte, node_mib * mebibyte};
}

DataMode mode_of(const Study& study, const JobFacts& facts) {
  return settled_study(study, Plan(study), facts).data.mode;
}

}  // namespace

TEST_CASE("data.mode = auto is settled by the memory, and nothing is left open") {
  Study study;
  CHECK(mode_of(study, facts_of(50, 100)) == DataMode::resident);
  CHECK(mode_of(study, facts_of(51, 100)) == DataMode::streamed);
  study.data.memory_mib = 80;
  CHECK(mode_of(study, facts_of(80, 100)) == DataMode::resident);
  CHECK(mode_of(study, facts_of(81, 100)) == DataMode::streamed);
  study.data.mode = DataMode::resident;
  CHECK(mode_of(study, facts_of(81, 100)) == DataMode::resident);
  study = Study{};
  study.data.source = DataSource::synthetic;
  CHECK(mode_of(study, facts_of(0, 100)) == DataMode::resident);
  CHECK(settled_study(study, Plan(study), facts_of(0, 100)).run.engine == EngineKind::resident);
  CHECK(settled_study(study, Plan(study), facts_of(0, 100, true)).run.engine == EngineKind::torch);
}

TEST_CASE("a later job takes the stored choices, whatever it finds itself") {
  Study asked;
  const Study stored = settled_study(asked, Plan(asked), facts_of(10, 100));
  const Study joined = with_stored_choices(asked, stored);
  for (const JobFacts& facts : {facts_of(10, 100), facts_of(10, 12), facts_of(10, 100, true)}) {
    const Study again = settled_study(joined, Plan(joined), facts);
    CHECK(differing_keys(again, stored).empty());
    CHECK(study_fingerprint(again) == study_fingerprint(stored));
  }
  // What is asked for by name stays, and differs.
  asked.run.engine = EngineKind::torch;
  asked.data.mode = DataMode::streamed;
  CHECK(differing_keys(with_stored_choices(asked, stored), stored) ==
        std::vector<std::string>{"data.mode = streamed, was resident", "run.engine = torch, was resident"});
}

TEST_CASE("data that are to lie in memory and do not fit are refused") {
  Study study;
  study.data.file = "large.h5";
  study.data.mode = DataMode::resident;
  study.run.engine = EngineKind::resident;
  const Plan plan(study);
  CHECK_NOTHROW(require_trainable(study, plan, facts_of(100, 100)));
  CHECK_THROWS_AS(require_trainable(study, plan, facts_of(101, 100)), RunError);
  CHECK_THROWS_WITH(require_trainable(study, plan, facts_of(101, 100)),
                    StartsWith("'large.h5' does not fit into memory, as data.mode = resident needs it to ("));
  study.data.mode = DataMode::streamed;
  CHECK_NOTHROW(require_trainable(study, plan, facts_of(101, 100)));
}

TEST_CASE("dense models that train on the CPU beside a GPU are told of") {
  Study study;
  const Plan plan(study);
  study.run.engine = EngineKind::by_model;
  CHECK(settled_warning(study, plan, facts_of(0, 1)).empty());
  CHECK_THAT(settled_warning(study, plan, facts_of(0, 1, true)), ContainsSubstring("run.engine = by_model"));
  study.run.engine = EngineKind::torch;
  CHECK(settled_warning(study, plan, facts_of(0, 1, true)).empty());
}

TEST_CASE("tf32 is refused where a rank trains on CPU cores") {
  Study study;
  study.data.source = DataSource::synthetic;
  study.train.precision = Precision::tf32;
  const Plan plan(study);
  JobFacts facts = facts_of(0, 100, true);
  CHECK(settled_study(study, plan, facts).run.engine == EngineKind::torch);
  CHECK_NOTHROW(require_trainable(study, plan, facts));
  facts.all_gpu = false;
  CHECK_THROWS_AS(require_trainable(study, plan, facts), RunError);
}
