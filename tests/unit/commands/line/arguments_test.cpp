// SPDX-License-Identifier: MIT
#include "commands/line/arguments.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Words = std::vector<std::string>;

const LineOptions options{{"train.epochs", "run.output"}, {"label", "overwrite"}, {"resume", "force"}, {"overwrite"}};

Arguments split(const Words& arguments) {
  return parse_arguments("test", options, arguments);
}

std::string refusal(const Words& arguments) {
  try {
    split(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::pair<std::string, std::string>> pairs(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [key, text] : arguments.assignments) found.emplace_back(key, text);
  return found;
}

}  // namespace

TEST_CASE("a value follows an equals sign or is the next argument, for keys and options") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const Pairs expected = {{"train.epochs", "5"}, {"label", "a"}};
  CHECK(pairs(split({"--train.epochs=5", "--label=a"})) == expected);
  CHECK(pairs(split({"--train.epochs", "5", "--label", "a"})) == expected);
  const Arguments mixed =
      split({"--resume", "x.cfg", "--label", "a", "y.h5", "--train.epochs=5", "--", "--label", "-z"});
  CHECK(mixed.positional == Words{"x.cfg", "y.h5", "--label", "-z"});
  CHECK(pairs(mixed) == Pairs{{"label", "a"}, {"train.epochs", "5"}});
  CHECK(mixed.has_flag("resume"));
  CHECK_FALSE(mixed.has_flag("force"));
  CHECK(pairs(split({"--label="})) == Pairs{{"label", ""}});
  CHECK(pairs(split({"--label", ""})) == Pairs{{"label", ""}});
  CHECK(pairs(split({"--label=a=b"})) == Pairs{{"label", "a=b"}});
  CHECK(split({"-", ""}).positional == Words{"-", ""});
}

TEST_CASE("a value begins with a dash only if it is a number or follows an equals sign") {
  for (const char* number : {"-1", "-.5", "-1e-3", "-0"})
    CHECK(split({"--label", number}).assignments[0].text == number);
  for (const std::string value : {"-x", "--resume", "--", "-.", "-e5"}) {
    CAPTURE(value);
    CHECK(refusal({"--label", value}) == "--label has no value ('" + value + "' follows). Write: --label=VALUE.");
    CHECK(split({"--label=" + value}).assignments[0].text == value);
  }
  CHECK(refusal({"a", "--label"}) == "--label has no value. Write: --label=VALUE.");
  CHECK(refusal({"--train.epochs"}) == "--train.epochs has no value. Write: --train.epochs=VALUE.");
}

TEST_CASE("unknown, repeated and misused options are refused") {
  CHECK(refusal({"--lable=a"}) == "unknown option '--lable'. Did you mean '--label'? See sheaf test --help.");
  CHECK(refusal({"--epochs", "5"}) ==
        "unknown option '--epochs'. Did you mean '--train.epochs'? See sheaf test --help.");
  CHECK(refusal({"--train.ep=5"}) == "unknown option '--train.ep'. See sheaf test --help.");  // no abbreviations
  CHECK(refusal({"--resme"}) == "unknown option '--resme'. Did you mean '--resume'? See sheaf test --help.");
  CHECK(refusal({"--=5"}) == "unknown option '--'. See sheaf test --help.");
  CHECK(refusal({"-e"}) == "unknown option '-e' (options begin with two dashes). Write: --name=value.");
  CHECK(refusal({"--label=a", "--label", "b"}) == "--label is given twice. Remove one.");
  CHECK(refusal({"--resume", "--resume"}) == "--resume is given twice. Remove one.");
  CHECK(refusal({"--resume=true", "--lable", "b"}) ==
        "--resume takes no value (it got 'true'). Write --resume alone.\x1e" + refusal({"--lable=a"}));
  CHECK(split_arguments("test", options, {"--lable", "a", "b"}).positional == Words{"b"});
  CHECK(refusal({"--resume=true"}) == "--resume takes no value (it got 'true'). Write --resume alone.");
}

TEST_CASE("a switch is true alone, and can have a value") {
  LineOptions with_switch = options;
  with_switch.switches = {"overwrite"};
  const auto value = [&](const std::vector<std::string>& arguments) {
    const Arguments parsed = split_arguments("import", with_switch, arguments);
    CHECK(parsed.problems.empty());
    return parsed.assignments.at(0).text + std::to_string(parsed.positional.size());
  };
  CHECK(value({"--overwrite"}) == "true0");
  CHECK(value({"--overwrite", "out.h5"}) == "true1");
  CHECK(value({"--overwrite", "false", "out.h5"}) == "false1");
  CHECK(value({"--overwrite=false"}) == "false0");
  CHECK(value({"a.csv", "--overwrite", "--label=y"}) == "true1");
}
