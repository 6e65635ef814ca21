// SPDX-License-Identifier: MIT
#include "run/study_data.hpp"

#include "core/random_stream.hpp"
#include "dataset/resident.hpp"
#include "dataset/synthetic.hpp"
#include "mpi/agreement.hpp"
#include "plan/estimate.hpp"

namespace sheaf {

StudyData prepare_study_data(const Study& study, const Plan& plan, const Communicator& world,
                             const Communicator& node) {
  StudyData prepared;
  if (study.data.source == DataSource::file) prepared.data = load_resident(study.data, world, node);
  agree(world, [&] {
    if (study.data.source == DataSource::synthetic && study.data.draw == Draw::study)
      prepared.data = draw_synthetic(study.data, study.study.seed);
    prepared.shape = prepared.data ? shape_of(*prepared.data, study.data) : synthetic_shape(study.data);
    for (const auto& trial : plan.trials()) network_layout(trial.model, prepared.shape);
    if (prepared.data) prepared.splits = std::make_unique<Splits>(study, *prepared.data);
  });
  return prepared;
}

}  // namespace sheaf
