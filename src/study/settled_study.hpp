// The study with which a run trains: every `auto` that affects its results has a value.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "study/study.hpp"

namespace sheaf {

/// The name of the first key of `study` that is `auto`, of those that are read as a value in every run; no value if
/// there is none. A searched key may be `auto`: each trial has a value of it. Other keys may stay `auto` where nothing
/// reads them, such as train.learning_rate of trees.
std::optional<std::string> unsettled_key(const Study& study);

/// A study that settled_study() (commands/train/prepare/settle_study) has settled, or that a run has stored
/// (study/stored_study). What trains, evaluates and reports takes this type, so that it never sees a study that is not
/// settled. The value of a searched key is that of a trial (Plan::trial). Immutable.
class SettledStudy {
 public:
  /// Throws std::logic_error if `study` has an unsettled_key().
  explicit SettledStudy(Study study);

  /// A settled study can be used as any other.
  operator const Study&() const { return study_; }
  const Study* operator->() const { return &study_; }

  DataMode mode() const { return study_.data.mode; }                      ///< data.mode
  EnsembleKind ensemble() const { return study_.search.ensemble; }        ///< search.ensemble
  EngineKind engine() const { return study_.run.engine; }                 ///< run.engine
  bool curves() const { return *study_.run.curves; }                      ///< run.curves
  ModelsSaved models() const { return study_.run.models; }                ///< run.models
  PredictionsKept predictions() const { return study_.run.predictions; }  ///< run.predictions
  const StackSize& stack() const { return *study_.run.stack; }            ///< run.stack

 private:
  Study study_;
};

}  // namespace sheaf
