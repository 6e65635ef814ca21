// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>

#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "study_builders.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Two valid studies that together set every key to a value other than its default.
const std::string file_based = R"(
[study]
name = digits and more
seed = 18446744073709551615
iterations = 7
[data]
file = my data/d=1.h5
features = /x
targets = /y
weights = /w
groups = my groups
test = 0.125
task = classification
classes = 3
normalize = minmax
validation = 0.3333333333333333
image = 3x8x9
channels = last
mode = streamed
memory = 100
normalize_targets = none
window = 2000
read_ahead = 3
[model]
kind = cnn
hidden = 16 8
channels = 4 8
kernel = 5
activation = gelu
dropout = 0.25
initialization = he
[train]
epochs = 3
batch_size = full
shuffle = false
loss = bce
reduction = sum
precision = float64
optimizer = sgd
learning_rate = 1e-300
momentum = 0.9
nesterov = true
weight_decay = 1e-4
[ensemble]
members = 5
bootstrap = true
[search]
method = grid
weighted = true
model.bias = yes, no
[run]
output = out/dir
partition = static
device = cuda
engine = torch
lanes = 1
threads = 3
ranks_per_gpu = 2
curves = true
time_limit = 1h30m
checkpoint_interval = 7
network_timeout = 9
array = 2/7
on_failure = stop
retries = 2
models = best
refit = true
progress = lines
log_every = 10
)";

const std::string synthetic = R"(
[data]
source = synthetic
rows = 50
columns = 7
image = 1x1x7
outputs = 2
distribution = uniform
relation = linear
noise = 0
draw = study
[model]
keep_weights = true
bias = false
stem = small
[train]
optimizer = rmsprop
alpha = 0.9
epsilon = 1e-7
schedule = step
step_factor = 0.5
step_epochs = 7
[search]
method = grid
folds = 5
repeats = 2
metric = r2
model.kind = torchscript:my models/net.pt, resnet18
[run]
stack = 9
engine = torch
core_lanes = 3
metrics = r2
predictions = none
)";

const std::string searched = R"(
[data]
file = d.h5
folds = /part
[model]
kind = mlp
embedding = piecewise
categories = one_hot
norm = layer
[train]
class_weights = cat:2, dog:0.5
beta1 = 0.8
beta2 = 0.99
schedule = exponential
exponential_factor = 0.9
clip_norm = 1.5
label_smoothing = 0.1
l1 = 0.001
average = ema
average_decay = 0.9
[search]
method = median
interval = 5
model.hidden = 16, 64 32
train.learning_rate = 1e-3, 2.50e2
)";

const std::string drawn = R"(
[data]
file = d.h5
time = file_order
[search]
trials = 40
method = halving
factor = 4
min_epochs = 2
model.hidden = integer(8, 512)
train.learning_rate = log_uniform(1e-5, 1e-1)
train.optimizer = adam, sgd
[train]
loss = huber
huber_delta = 0.5
epochs = 8
schedule = plateau
warmup_epochs = 0.5
plateau_factor = 0.5
plateau_patience = 3
patience = 5
best_weights = false
stop_on = mae
min_change = 0.125
stop_fraction = 0.25
clip_value = 0.25
)";

const std::string quantiles = R"(
[data]
file = d.h5
validation_file = v.h5
test_file = t.h5
[train]
loss = quantile
quantiles = 0.25 0.75
[search]
repeats = 4
earlier_repeats = 1 3
train.learning_rate = 1e-3, 1e-2
)";

const std::string gradual = R"(
[data]
file = d.h5
[search]
method = tpe
folds = 3
batch = 9
racing = certain
start = train.learning_rate = 1e-3; train.learning_rate = 0.0625
earlier = 20: train.learning_rate = uniform(1e-4, 0.25)
time = 1h30m
patience = 50
ensemble = none
train.learning_rate = log_uniform(1e-5, 1e-1)
)";

const std::string trees = R"(
[data]
file = d.h5
[model]
kind = boosted_trees
eta = 0.3
max_depth = none
max_leaves = 31
subsample = 0.5
colsample_bytree = 0.7
colsample_bynode = 0.9
min_child_weight = 2
lambda = 3
alpha = 0.25
max_bin = 64
max_cat_to_onehot = 5
)";

void check_equal(const Study& a, const Study& b) {
  for (const auto& setting : all_settings()) {
    CAPTURE(setting.key);
    CHECK(setting_text(a, setting.key) == setting_text(b, setting.key));
  }
  REQUIRE(a.search.keys.size() == b.search.keys.size());
  for (std::size_t i = 0; i < a.search.keys.size(); ++i) {
    CHECK(a.search.keys[i].key == b.search.keys[i].key);
    CHECK(a.search.keys[i].candidates == b.search.keys[i].candidates);
    CHECK(a.search.keys[i].sampling == b.search.keys[i].sampling);
  }
}

}  // namespace

TEST_CASE("a study that is written and read again is the same in every key") {
  const Study first = parse_study_text(file_based, "first", {});
  const Study second = parse_study_text(synthetic, "second", {});
  const Study third = parse_study_text(searched, "third", {}), fourth = parse_study_text(drawn, "fourth", {});
  const Study fifth = parse_study_text(quantiles, "fifth", {}), sixth = parse_study_text(gradual, "sixth", {});
  const Study seventh = parse_study_text(trees, "seventh", {});
  for (const auto& setting : all_settings()) {
    CAPTURE(setting.key);
    const auto is_set = [&](const Study& study) { return setting_text(study, setting.key) != setting.default_value; };
    CHECK((is_set(first) || is_set(second) || is_set(third) || is_set(fourth) || is_set(fifth) || is_set(sixth) ||
           is_set(seventh)));
  }
  for (const Study& study : {first, second, third, fourth, fifth, sixth, seventh, file_study()}) {
    const std::string text = study_file_text(study);
    const Study again = parse_study_text(text, "again", {});
    check_equal(study, again);
    CHECK(study_file_text(again) == text);
  }
  CHECK(first.train.learning_rate == 1e-300);
  CHECK(first.data.validation == 0.3333333333333333);
  REQUIRE(third.search.keys.size() == 2);
  CHECK(third.search.keys[0].candidates == std::vector<std::string>{"16", "64 32"});
  CHECK(third.search.keys[1].candidates == std::vector<std::string>{"0.001", "250"});
  CHECK(fourth.search.keys[0].sampling == Sampling::integer);
  CHECK(fourth.search.keys[1].candidates == std::vector<std::string>{"1e-05", "0.1"});
}

TEST_CASE("the study file has every key in its section, or in [search] if it is searched") {
  Study study = file_study();
  study.search.keys = {{"model.hidden", {"16", "64 32"}}};
  const std::string text = study_file_text(study);
  CHECK(text.rfind("[study]\nname = study\nseed = 0\niterations = 1\n\n[data]\nsource = file\nfile = d.h5\n", 0) == 0);
  CHECK(
      text.find(
          "\n[search]\nmethod = auto\ntrials = none\nbatch = auto\nracing = none\nstart = none\nearlier = none\ntime = "
          "none\npatience = "
          "none\nfactor = 3\ninterval = 10\nmin_epochs = 1\nfolds = 1\nrepeats = "
          "1\nearlier_repeats = none\nmetric = loss\nweighted = false\nensemble = auto\nmodel.hidden = 16, 64 "
          "32\n\n[run]\noutput =\n") != std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '=') == static_cast<std::ptrdiff_t>(all_settings().size()));
}

TEST_CASE("the help lists every key and fits the width") {
  for (const int width : {0, 80, 100, 160}) {
    const std::string help = settings_help(all_keys(), width);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= static_cast<std::size_t>(std::max(width, 60)));
    }
    for (const auto& setting : all_settings()) {
      CAPTURE(setting.key);
      const std::string name = setting.key.substr(setting.key.find('.') + 1);
      CHECK(help.find("\n  " + name + " = " + setting.default_value) != std::string::npos);
    }
  }
  CHECK(settings_help(all_keys(), 100)
            .find("\n  seed = 0                   Seed of all random numbers. (integer >= 0)\n") != std::string::npos);
}
