// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/section_checks.hpp"

namespace sheaf {
namespace {

void check_image(const Study& study, Problems& problems) {
  if (study.data.source == DataSource::synthetic && study.data.image.channels == 0)
    problems.add({"model.kind", "data.image", "data.source"},
                 fmt::format("{} needs data.image with synthetic data. Set data.image to CxHxW with "
                             "C * H * W = data.columns = {}.",
                             assignment(study, "model.kind"), study.data.columns));
}

void check_cnn(const Study& study, Problems& problems) {
  const ImageShape& image = study.data.image;
  check_image(study, problems);
  if (study.model.norm == Norm::layer && hidden_widths(study.model).empty())
    problems.add({"model.norm", "model.hidden", "model.kind"},
                 "model.norm = layer has no effect (there is no hidden dense layer). Set model.norm = batch, or "
                 "model.hidden to the widths of hidden layers.");
  if (!study.model.channels) return;
  const std::size_t poolings = study.model.channels->size();
  if (poolings == 0)
    problems.add({"model.kind", "model.channels"},
                 "model.kind = cnn needs convolutions, but model.channels = none. Set model.channels to the output "
                 "channels of each convolution, e.g. 8 16, or set model.kind = mlp.");
  const std::int64_t side = std::min(image.height, image.width);
  if (image.channels != 0 && (poolings > 62 || (side >> poolings) == 0))
    problems.add({"model.kind", "model.channels", "data.image"},
                 fmt::format("{} is too small for model.channels = {} (each of the {} convolutions halves it). Use "
                             "fewer convolutions or larger images.",
                             assignment(study, "data.image"), setting_text(study, "model.channels"), poolings));
}

void check_trees(const Study& study, Problems& problems) {
  const ModelOptions& model = study.model;
  if (model.max_depth == 0 && model.max_leaves == 0)
    problems.add({"model.max_depth", "model.max_leaves"},
                 "model.max_depth = none needs model.max_leaves (nothing else limits the trees). Set one of them.");
  const AutoOr<LossKind> loss = study.train.loss;
  if (loss != automatic && !loss_of(loss).fits_trees())
    problems.add(
        {"train.loss", "model.kind"},
        fmt::format("{} cannot be combined with model.kind = boosted_trees (trees are trained with {}). Choose "
                    "one of these, or a network.",
                    assignment(study, "train.loss"), names_of_tree_losses()));
  if (study.data.mode == DataMode::streamed)
    problems.add(
        {"data.mode", "model.kind"},
        "model.kind = boosted_trees needs the rows in memory, but data.mode = streamed. Set data.mode = memory, "
        "or choose a network.");
}

}  // namespace

void check_model(const Study& study, Problems& problems) {
  const ModelOptions& model = study.model;
  if (model.kind == ModelKind::mlp && model.hidden && model.hidden->empty())
    problems.add(
        {"model.kind", "model.hidden"},
        "model.kind = mlp needs hidden layers, but model.hidden = none. Set model.hidden to their widths, e.g. "
        "64 32, or set model.kind = linear.");
  if (model.kind == ModelKind::cnn) check_cnn(study, problems);
  if (is_residual(model.kind)) check_image(study, problems);
  if (model.kind == ModelKind::boosted_trees) check_trees(study, problems);
  if (model.norm == Norm::batch && study.train.batch_size == 1 && model.kind != ModelKind::linear)
    problems.add({"model.norm", "train.batch_size"},
                 "model.norm = batch needs batches of several rows, but train.batch_size = 1. Set train.batch_size to "
                 "at least 2, or model.norm = layer.");
}

}  // namespace sheaf
