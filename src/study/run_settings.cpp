// SPDX-License-Identifier: MIT
#include "study/run_value_types.hpp"
#include "study/settings_section.hpp"
#include "study/study.hpp"
#include "study/training_value_types.hpp"

namespace sheaf {

void add_run_keys(std::vector<Setting>& table) {
  Section<RunOptions> run(table, "run", &Study::run);
  run.add("output", &RunOptions::output, text(),
          "Run directory, relative to the current directory; empty: runs/<study.name>.", Decides::no_results,
          PathKind::output)
      .also_called({"output_dir", "out_dir", "outdir", "log_dir", "save_dir", "save_path"});
  run.add("partition", &RunOptions::partition,
          choice_or_auto<PartitionKind>({{"block", PartitionKind::block},
                                         {"cyclic", PartitionKind::cyclic},
                                         {"self", PartitionKind::self},
                                         {"guided", PartitionKind::guided},
                                         {"factoring", PartitionKind::factoring},
                                         {"weighted_factoring", PartitionKind::weighted_factoring},
                                         {"static", PartitionKind::block},
                                         {"dynamic", PartitionKind::factoring}}),
          "Assignment of iterations to lanes. block (or static) and cyclic are fixed in advance; with the others, a "
          "lane takes more iterations whenever it is free (dynamic is another name for factoring). auto: factoring; "
          "self if some lanes train on GPUs and others on cores; block if one node trains one combination on streamed "
          "data.",
          Decides::no_results);
  run.add("device", &RunOptions::device,
          choice_or_auto<DeviceRequest>({{"cpu", DeviceRequest::cpu}, {"cuda", DeviceRequest::cuda}}),
          "Device of a rank; auto: a GPU if the rank has one.", Decides::no_results)
      .also_called({"accelerator"})
      .values_also_called({{"gpu", "cuda"}});
  run.add("engine", &RunOptions::engine,
          choice_or_auto<EngineKind>({{"torch", EngineKind::torch},
                                      {"native", EngineKind::native},
                                      {"xgboost", EngineKind::xgboost},
                                      {"by_model", EngineKind::by_model},
                                      {"by_device", EngineKind::by_device}}),
          "Engine. native: linear models and MLPs on CPU cores, one thread per lane; torch: LibTorch, all networks; "
          "xgboost: boosted_trees, one thread per lane; by_model: boosted_trees with xgboost, others with native where "
          "possible, otherwise with torch; by_device: torch on GPUs, and as by_model on cores. auto decides when the "
          "run begins: torch if run.threads > 1, or on ranks with GPUs if run.stack is a number above 1 or a GPU is "
          "expected "
          "to be faster than the cores of its rank (by_device if some lanes train on cores), otherwise as by_model.",
          Decides::results)
      .values_also_called({{"resident", "native"}});
  run.add("lanes", &RunOptions::lanes, integer_or("auto", 1, 65536),
          "Lanes per rank: worker threads that train one model at a time (several on streamed data). auto: one on a "
          "GPU, otherwise one per core that is bound to the rank, or its share of those cores if other ranks are bound "
          "to them too.",
          Decides::no_results)
      .also_called({"n_jobs", "n_workers", "num_workers", "workers", "max_workers"});
  run.add("threads", &RunOptions::threads, integer(1, 65536), "Threads per lane; more than 1 needs lanes = 1.",
          Decides::no_results)
      .also_called({"nthread", "num_threads", "n_threads"});
  run.add("stack", &RunOptions::stack, or_auto(stack_size()),
          "Models that a lane trains together in LibTorch, one batch of each at a time. Linear models and MLPs of the "
          "same shape share a stack: the same network, loss, optimizer, batch size and number of batches, and the same "
          "kinds of regularization. Other models are trained one by one. A stack pays off on a GPU, where a small "
          "model alone leaves most of the device unused. auto: as many models of each shape as fill a GPU, fit into "
          "its memory and can be trained at the same time; 1 on cores. The run stores auto as 1 or, for example, as "
          "256 in 60000 MiB: the most models, and the memory for which stacks are planned.",
          Decides::results);
  run.add("ranks_per_gpu", &RunOptions::ranks_per_gpu, integer(1, 65536),
          "Ranks that share one GPU (useful with MPS only).", Decides::no_results)
      .only_with("run.device", {"auto", "cuda"});
  run.add("core_lanes", &RunOptions::core_lanes, integer(0, 65536),
          "Lanes on the cores of a rank with a GPU, in addition to those on the GPU. Any lane may get any iteration, "
          "so this pays off if a core does not need much longer for a model than the GPU does for the models that it "
          "trains together.",
          Decides::no_results)
      .only_with("run.device", {"auto", "cuda"});
  run.add("curves", &RunOptions::curves, or_auto(flag()),
          "Record the training loss of each epoch and, with validation rows, the validation loss and score; auto: for "
          "at most 1000 iterations on a file in memory.",
          Decides::results)
      .also_called({"history", "return_train_score"});
  run.add(
      "metrics", &RunOptions::metrics, metric_list(),
      "Metrics to record in addition to that of search.metric, separated by commas or spaces: for the validation rows "
      "of each iteration and, with run.curves, of each epoch. For a class whose name has a comma, write its "
      "number.",
      Decides::results);
  run.add("predictions", &RunOptions::predictions,
          choice_or_auto<PredictionsKept>({{"none", PredictionsKept::none}, {"held_out", PredictionsKept::held_out}}),
          "Predictions to keep in results.h5. held_out: those for the validation rows of each iteration, as class "
          "probabilities or values; auto: held_out for a file in memory, if the predictions of all planned iterations "
          "need at "
          "most 256 MiB.",
          Decides::results)
      .also_called({"return_predictions", "save_predictions", "keep_cross_validation_predictions"});
  run.add("time_limit", &RunOptions::time_limit, time_limit(),
          "Time after which the run stops and can be resumed; auto: shortly before the end of a Slurm job. Times have "
          "units, as in 90s, 45m or 1h30m, or Slurm's format, as in 1:30:00 or 2-12:00 (days-hours:minutes). A number "
          "alone is in seconds, not in minutes as in Slurm.",
          Decides::no_results)
      .also_called({"timeout", "time_budget", "max_time", "walltime"});
  run.add("checkpoint_interval", &RunOptions::checkpoint_interval, or_time(number_or("none", 0.01, 1e6)),
          "Seconds between checkpoints of a model in training. The pauses between the stages of a search are saved "
          "even with none.",
          Decides::no_results)
      .also_called({"save_steps", "save_freq"});
  run.add("network_timeout", &RunOptions::network_timeout, or_time(integer_or("none", 1, 1000000)),
          "Seconds without an answer from another host after which the run stops and can be resumed.",
          Decides::no_results);
  run.add(
      "array", &RunOptions::array, array_task(),
      "This job is task K (0 to N-1) of a job array and trains its slice of the study; auto: from Slurm's variables.",
      Decides::no_results);
  run.add("on_failure", &RunOptions::on_failure,
          choice<OnFailure>({{"continue", OnFailure::go_on}, {"stop", OnFailure::stop}}),
          "Reaction to an iteration that cannot be trained: the others continue, or the run stops.",
          Decides::no_results)
      .also_called({"error_score"});
  run.add("retries", &RunOptions::retries, integer(0, 1000), "Further attempts to train an iteration that failed.",
          Decides::no_results);
  run.add("models", &RunOptions::models,
          choice_or_auto<ModelsSaved>(
              {{"none", ModelsSaved::none}, {"best", ModelsSaved::best}, {"all", ModelsSaved::all}}),
          "Trained models to save: of the best trial, or of all iterations. They are TorchScript files, those of "
          "plugins files of weights. auto: best for at most 1000 iterations on a file, and "
          "if test rows are held out. Each model is written when it is trained, which can take longer than very short "
          "trainings.",
          Decides::no_results)
      .also_called({"save_model", "save_best", "save_best_only"});
  run.add("refit", &RunOptions::refit, flag(),
          "Train the best trial, and the trials of the ensemble (search.ensemble), once more after the search, on all "
          "rows: "
          "training, validation and stopping rows, but not test rows or those of data.validation_file. Each gets as "
          "many optimizer steps as the best epoch of the "
          "median fit had (with train.best_weights; otherwise all steps of that fit), with the same learning rate in "
          "each step. The run then predicts with these models. A resumed run may change this key.",
          Decides::results);
  run.add("progress", &RunOptions::progress,
          choice_or_auto<ProgressKind>(
              {{"bar", ProgressKind::bar}, {"lines", ProgressKind::lines}, {"none", ProgressKind::none}}),
          "Progress on stderr; auto: a bar on a terminal, lines elsewhere.", Decides::no_results)
      .also_called({"verbose", "verbosity"});
  run.add(
      "log_every", &RunOptions::log_every, integer_or("auto", 1, max_rows),
      "Write the loss of the running epoch to stderr after every N batches of each iteration: \"iteration 3, epoch "
      "2, batch 40: loss 0.1234\", the mean since the last line. Iterations and epochs count from 0. auto: rank "
      "0 writes this line after ten seconds and then once per minute, for one of its iterations, with the time that "
      "the iteration needs at most until it ends; never with progress = none.",
      Decides::no_results);
}

}  // namespace sheaf
