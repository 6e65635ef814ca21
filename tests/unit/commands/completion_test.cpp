// SPDX-License-Identifier: MIT
#include "commands/completion.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "commands/command_table.hpp"
#include "study/metrics.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("the first word is a command or asks for help") {
  CHECK(completions({}) == Words{});
  CHECK(completions({"re"}) == Words{"resume", "report"});
  CHECK(completions({"report", "run", "--format="}) == Words{"--format=text", "--format=csv", "--format=json"});
  CHECK(completions({"--v"}) == Words{"--version"});
  const Words all = completions({""});
  for (const Command& command : command_table()) CHECK(contains(all, std::string(command.name)));
  CHECK(all.size() == command_table().size() + 3);
  CHECK(!contains(all, "complete"));
  CHECK(completions({"nonsense", ""}) == Words{});
}

TEST_CASE("topics of the help are completed") {
  CHECK(completions({"help", "pl"}) == Words{"plan"});
  CHECK(completions({"--help", "plan", "tr"}) == Words{"train"});
  CHECK(completions({"evaluate", "--help", ""}) == Words{"data", "run"});
  CHECK(completions({"run", "--help=mo"}) == Words{"--help=model"});
}

TEST_CASE("all options of a command are completed") {
  CHECK(completions({"run", "study.cfg", "--train.learn"}) == Words{"--train.learning_rate="});
  CHECK(completions({"info", "-"}) == Words{"--help", "--test"});
  for (const Command& command : command_table()) {
    const Words all = completions({std::string(command.name), "--"});
    for (const std::string& key : command.options().keys) CHECK(contains(all, "--" + key + "="));
    for (const std::string& option : command.options().options) CHECK(contains(all, "--" + option + "="));
    for (const std::string& flag : command.options().flags) CHECK(contains(all, "--" + flag));
  }
}

TEST_CASE("the metric of importance is completed") {
  CHECK(completions({"importance", "run", "x.csv", "--metric=lo"}) == Words{"--metric=loss", "--metric=log_loss"});
  CHECK(completions({"importance", "run", "x.csv", "--output="}) ==
        Words{"--output=text", "--output=csv", "--output=json"});
}

TEST_CASE("values of a key are completed") {
  CHECK(completions({"run", "--model.norm="}) ==
        Words{"--model.norm=none", "--model.norm=layer", "--model.norm=batch"});
  CHECK(completions({"run", "--model.norm", "l"}) == Words{"layer"});
  CHECK(completions({"run", "--model.kind=p"}) == Words{"--model.kind=plugin:"});
  CHECK(completions({"run", "--data.classes="}) == Words{"--data.classes=auto"});
  CHECK(completions({"run", "--run.time_limit="}) == Words{"--run.time_limit=auto", "--run.time_limit=none"});
  CHECK(completions({"run", "--search.trials="}) == Words{"--search.trials=none"});
  for (const std::string name : {"data.file", "study.name", "train.momentum", "no.key"})
    CHECK(completions({"run", "--" + name + "="}) == Words{});
  CHECK(completions({"run", "--data.groups="}) == Words{"--data.groups=none", "--data.groups=auto"});
}

TEST_CASE("every completed value of a key is valid") {
  std::size_t count = 0;
  for (const SettingInfo& setting : all_settings())
    for (const std::string& assignment : completions({"run", "--" + setting.key + "="})) {
      CAPTURE(assignment);
      const std::string value = assignment.substr(setting.key.size() + 3);
      if (value.back() == ':') continue;  // the user writes the rest
      CHECK_NOTHROW(value_setter(setting.key, value));
      ++count;
    }
  CHECK(count > 100);
}

TEST_CASE("the last item of a list is completed") {
  CHECK(completions({"run", "--search.model.kind=mlp,cn"}) == Words{"--search.model.kind=mlp,cnn"});
  CHECK(completions({"run", "--search.model.kind", "mlp, cn"}) == Words{"mlp, cnn"});
  CHECK(completions({"run", "--run.metrics=r2,matt"}) == Words{"--run.metrics=r2,matthews"});
  CHECK(completions({"run", "--model.kind=mlp,cn"}) == Words{});
}

TEST_CASE("metrics are completed") {
  for (const std::string option : {"run --search.metric=", "run --run.metrics=", "evaluate --metrics="}) {
    const std::size_t space = option.find(' ');
    const std::string name = option.substr(space + 1);
    const Words found = completions({option.substr(0, space), name});
    CAPTURE(option);
    for (const Metric& metric : metric_table)
      CHECK(contains(found, name + std::string(metric.name) + (metric.parameter == MetricParameter::none ? "" : ":")));
  }
}

TEST_CASE("values of the options of commands are completed") {
  CHECK(completions({"status", "--output="}) == Words{"--output=text", "--output=json"});
  CHECK(completions({"status", "--output", "j"}) == Words{"json"});
  CHECK(completions({"import", "--header="}) == Words{"--header=true", "--header=false"});
  CHECK(completions({"import", "--compression="}) == Words{});
  CHECK(completions({"import", "--like="}) == Words{});
}

TEST_CASE("other words are names of files") {
  for (const Words& words : {Words{"run", ""}, {"run", "stu"}, {"run", "--resume", ""}, {"run", "--", "--tr"}})
    CHECK(completions(words) == Words{});
}
