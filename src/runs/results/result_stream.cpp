// SPDX-License-Identifier: MIT
#include "runs/results/result_stream.hpp"

#include <algorithm>
#include <utility>

#include "study/metrics.hpp"
#include "study/settings.hpp"
#include "study/settled_study.hpp"

namespace sheaf {
namespace {

constexpr std::size_t rows_per_slice = 65536;

// Writes a table slice by slice. `make_table`: converts rows to a Table.
template <class Row, class MakeTable>
void write_in_slices(Hdf5Writer& file, const std::string& name, const std::vector<ColumnType>& types,
                     const std::vector<Row>& rows, MakeTable make_table) {
  Hdf5Table table = file.begin_table(name, static_cast<std::int64_t>(rows.size()), types);
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_per_slice) {
    const std::size_t end = std::min(rows.size(), begin + rows_per_slice);
    const auto at = [&](std::size_t index) { return rows.begin() + static_cast<std::ptrdiff_t>(index); };
    table.append(make_table(std::vector<Row>(at(begin), at(end))));
  }
  table.close();
}

void write_ensemble(Hdf5Writer& file, const TrialEnsemble& ensemble) {
  std::vector<std::int64_t> trials;
  std::vector<double> weights, losses, scores;
  for (const EnsembleMember& member : ensemble.members) {
    trials.push_back(member.trial);
    weights.push_back(member.weight);
    losses.push_back(member.loss);
    scores.push_back(member.score);
  }
  file.write_table("ensemble", {{"trial", trials}, {"weight", weights}, {"loss", losses}, {"score", scores}});
}

void write_ranks(Hdf5Writer& file, const RankTable& ranks) {
  std::vector<std::string> hosts, devices, notes;
  std::vector<std::int64_t> numbers, cores, lanes, threads;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    const RankInfo rank = ranks[at];
    numbers.push_back(static_cast<std::int64_t>(numbers.size()));
    hosts.push_back(rank.host);
    devices.push_back(rank.device);
    cores.push_back(rank.cores);
    lanes.push_back(rank.lanes);
    threads.push_back(rank.threads);
    notes.push_back(rank.note);
  }
  file.write_table("ranks", {{"rank", numbers},
                             {"host", hosts},
                             {"device", devices},
                             {"cores", cores},
                             {"lanes", lanes},
                             {"threads", threads},
                             {"note", notes}});
}

}  // namespace

ResultStream::ResultStream(const std::string& directory, const SettledStudy& study, const Plan& plan,
                           const TableExtent& extent, const DataSet* data)
    : study_(study),
      plan_(plan),
      h5_file_(directory + "/results.h5"),
      csv_(directory + "/results.csv"),
      h5_(h5_file_.temporary()),
      iterations_(
          h5_.begin_table("iterations", plan.iteration_count(), iteration_columns(plan, extent, study->run.metrics))),
      data_(data) {
  if (study.curves())
    epochs_ = h5_.begin_table("epochs", extent.epochs, column_types(epoch_table({}, study->run.metrics)));
  if (data_ != nullptr)
    predictions_ = h5_.begin_table("predictions", extent.predicted_rows, prediction_columns(*data_));
  csv_.file().write(csv_header(iteration_table(plan, {}, study->run.metrics)));
}

void ResultStream::append(const std::vector<TrainedIteration>& iterations) {
  const Table table = iteration_table(plan_, iterations, study_->run.metrics);
  csv_.file().write(csv_rows(table));
  iterations_.append(table);
  if (epochs_) epochs_->append(epoch_table(iterations, study_->run.metrics));
}

void ResultStream::append_predictions(std::int64_t iteration, const std::vector<float>& predictions,
                                      const RowSet& rows) {
  predictions_->append(prediction_table(iteration, predictions, *data_, rows));
}

void ResultStream::finish(const RunResults& results) {
  iterations_.close();
  if (epochs_) epochs_->close();
  if (predictions_) predictions_->close();
  const auto& metrics = study_->run.metrics;
  write_in_slices(h5_, "trials", trial_columns(plan_, metrics), results.trials,
                  [&](const std::vector<TrialSummary>& trials) { return trial_table(plan_, trials, metrics); });
  if (!results.ensembles.empty())
    write_in_slices(h5_, "ensembles", column_types(ensemble_table({}, metrics)), results.ensembles,
                    [&](const std::vector<EnsembleResult>& ensembles) { return ensemble_table(ensembles, metrics); });
  if (results.trial_ensemble) write_ensemble(h5_, *results.trial_ensemble);
  write_ranks(h5_, results.ranks);
  h5_.write_attribute("study", study_file_text(study_));
  for (const auto& [name, value] : results.provenance) h5_.write_attribute(name, value);
  for (const auto& [name, test] : {std::pair<std::string, const std::optional<TestResult>*>("test", &results.test),
                                   {"out_of_bag", &results.out_of_bag}}) {
    if (!*test) continue;
    h5_.write_attribute(name + "_models", std::string((*test)->of_refit ? "refit" : "best"));
    h5_.write_attribute(name + "_rows", (*test)->rows);
    h5_.write_attribute(name + "_loss", (*test)->loss);
    for (const auto& [metric, value] : (*test)->metrics) h5_.write_attribute(name + "_" + metric.name(), value);
  }
  h5_.close();
  h5_file_.commit();
  csv_.commit();
}

}  // namespace sheaf
