// SPDX-License-Identifier: MIT
#include "commands/text_answer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "commands/command_table.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Words = std::vector<std::string>;

std::string answer(const Words& arguments) {
  return text_answer(arguments).value_or("no text");
}

std::string refusal(const Words& arguments) {
  try {
    return "accepted: " + answer(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("all ways to ask for help give the same text") {
  const std::string main_help = answer({"--help"});
  CHECK_THAT(main_help, ContainsSubstring("usage: sheaf COMMAND"));
  for (const Words& arguments : {Words{"help"}, {"-h"}, {"help", "--help"}, {"--help", "--train.epochs=5"}})
    CHECK(answer(arguments) == main_help);
  for (const Command& command : command_table()) {
    const std::string name(command.name);
    CAPTURE(name);
    const std::string help = answer({name, "--help"});
    CHECK_THAT(help, ContainsSubstring("usage: sheaf " + name));
    for (const Words& arguments : {Words{"help", name},
                                   {"--help", name},
                                   {"-h", name},
                                   {name, "-h"},
                                   {name, "x.cfg", "--help"},
                                   {name, "--study.name", "--help"},
                                   {name, "--help", "--train.epochs", "5"}})
      CHECK(answer(arguments) == help);
  }
}

TEST_CASE("a topic of the help is a section or a key of the command") {
  const std::string train = answer({"run", "--help", "train"});
  CHECK(train.rfind("[train]\n  epochs = auto ", 0) == 0);
  CHECK(std::count(train.begin(), train.end(), '[') == 1);
  for (const Words& arguments : {Words{"help", "run", "train"},
                                 {"--help", "run", "train"},
                                 {"run", "-h", "train"},
                                 {"run", "--help=train"},
                                 {"run", "x.cfg", "--help", "train"},
                                 {"plan", "--help", "train"},
                                 {"resume", "--help", "train"}})
    CHECK(answer(arguments) == train);
  CHECK(answer({"run", "--help", "train.epochs"}).rfind("[train]\n  epochs = auto ", 0) == 0);
  CHECK_THAT(answer({"run", "--help", "search"}), ContainsSubstring("<key> = a, b, c"));
  CHECK_THAT(answer({"evaluate", "--help", "data"}), ContainsSubstring("features = /features"));
  CHECK_THAT(answer({"evaluate", "--help", "data"}), !ContainsSubstring("window"));
}

TEST_CASE("an unknown topic gives the topics of the command in one sentence") {
  CHECK(
      refusal({"run", "--help", "trian"}) ==
      "'sheaf run' has no help topic 'trian' (topics: study, data, model, train, ensemble, search, run). Did you mean "
      "'train'? See sheaf run --help.");
  CHECK(refusal({"evaluate", "--help", "train"})
            .rfind("'sheaf evaluate' has no help topic 'train' (topics: data, run).", 0) == 0);
  for (const std::string name : {"import", "preprocess", "info"})
    CHECK(refusal({name, "--help", "train"}) ==
          "'sheaf " + name + "' has no help topics (it got 'train'). See sheaf " + name + " --help.");
  CHECK(refusal({"help", "rum"}).rfind("unknown command 'rum'", 0) == 0);
}

TEST_CASE("other arguments do not ask for help") {
  for (const Words& arguments : {Words{}, {"run"}, {"run", "help"}, {"run", "--", "--help"}, {"run", "--helps"}})
    CHECK(answer(arguments) == "no text");
}
