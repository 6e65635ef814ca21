// A study's data and plan, loaded and checked against each other before anything is trained or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>

#include "dataset/dataset.hpp"
#include "dataset/splits.hpp"
#include "mpi/communicator.hpp"
#include "options/study.hpp"
#include "plan/network_layout.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// Shared by all lanes of a rank.
struct StudyData {
  std::optional<DataSet> data;     ///< none when each iteration draws its own
  std::unique_ptr<Splits> splits;  ///< of `data`
  DataShape shape;
};

/// Loads or draws the study's data, makes its splits, and checks that every trial's network fits. Throws on every rank
/// alike. Collective over world; `node` shares memory. The result dies on all ranks of a node alike.
StudyData prepare_study_data(const Study& study, const Plan& plan, const Communicator& world, const Communicator& node);

}  // namespace sheaf
