// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "study/key_defaults.hpp"
#include "study/section_checks.hpp"

namespace sheaf {
namespace {

bool may_have_hidden(ModelKind kind) {
  return kind == ModelKind::mlp || kind == ModelKind::cnn || kind == ModelKind::automatic;
}

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
  const bool has_hidden = !hidden_widths(model).empty();
  if (!may_have_hidden(model.kind) && has_hidden && is_mistake(study, "model.hidden", "model.kind"))
    problems.add({"model.kind", "model.hidden"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = mlp.",
                             assignment(study, "model.hidden"), assignment(study, "model.kind")));
  if (model.kind != ModelKind::torchscript && model.keep_weights &&
      is_mistake(study, "model.keep_weights", "model.kind"))
    problems.add({"model.kind", "model.keep_weights"},
                 fmt::format("model.keep_weights = true has no effect ({}). Leave it out, or set model.kind = "
                             "torchscript:FILE.pt.",
                             assignment(study, "model.kind")));
  const bool own_weights = model.kind == ModelKind::plugin || model.keep_weights;
  if (own_weights && model.initialization != Initialization::pytorch &&
      is_mistake(study, "model.initialization", "model.kind") &&
      is_mistake(study, "model.initialization", "model.keep_weights"))
    problems.add({"model.kind", "model.keep_weights", "model.initialization"},
                 fmt::format("{} has no effect (the model has its own initial weights). Leave it out.",
                             assignment(study, "model.initialization")));
  const bool may_be_cnn = model.kind == ModelKind::cnn || model.kind == ModelKind::automatic;
  if (!may_be_cnn && model.channels && !model.channels->empty() && is_mistake(study, "model.channels", "model.kind"))
    problems.add({"model.kind", "model.channels"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = cnn.",
                             assignment(study, "model.channels"), assignment(study, "model.kind")));
  if (!is_residual(model.kind) && model.stem != Stem::automatic && is_mistake(study, "model.stem", "model.kind"))
    problems.add({"model.kind", "model.stem"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = resnet18.",
                             assignment(study, "model.stem"), assignment(study, "model.kind")));
  const bool may_be_mlp = model.kind == ModelKind::mlp || model.kind == ModelKind::automatic;
  if (!may_be_mlp && model.norm != Norm::none && is_mistake(study, "model.norm", "model.kind"))
    problems.add({"model.kind", "model.norm"},
                 fmt::format("{} has no effect ({}). Leave it out, or set model.kind = mlp.",
                             assignment(study, "model.norm"), assignment(study, "model.kind")));
  const bool may_drop_out = model.kind == ModelKind::automatic || (may_have_hidden(model.kind) && has_hidden);
  if (model.dropout > 0 && !may_drop_out && is_mistake(study, "model.dropout", "model.kind") &&
      is_mistake(study, "model.dropout", "model.hidden"))
    problems.add(
        {"model.kind", "model.hidden", "model.dropout"},
        fmt::format("{} has no effect ({}). Leave it out, or set {}.", assignment(study, "model.dropout"),
                    may_have_hidden(model.kind) ? "there is no hidden dense layer" : assignment(study, "model.kind"),
                    may_have_hidden(model.kind) ? "model.hidden" : "model.kind = mlp"));
}

}  // namespace sheaf
