// SPDX-License-Identifier: MIT
#include "study/paths.hpp"

#include <map>
#include <string>

#include "core/error.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "study_builders.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::map<std::string, std::string> variables = {{"HOME", "/home/ada"}, {"SCRATCH", "/scratch"}, {"N_1", "x$y"}};

PathOrigin origin(const std::string& folder = "") {
  return {folder, [](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
          }};
}

std::string read(const std::string& text, const std::string& folder = "") {
  return read_path("data.file", text, origin(folder));
}

std::string refusal(const std::string& text) {
  try {
    return "accepted: " + read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the home directory and environment variables are replaced") {
  CHECK(read("~") == "/home/ada");
  CHECK(read("~/d.h5") == "/home/ada/d.h5");
  CHECK(read("$SCRATCH/d.h5") == "/scratch/d.h5");
  CHECK(read("${SCRATCH}2/$N_1.h5") == "/scratch2/x$y.h5");
  CHECK(read("a$$b$$") == "a$b$");
  for (const char* text : {"", "d.h5", "a/~", "~ada/d.h5", "a b/c", "../d.h5", "a/./b"}) CHECK(read(text) == text);
}

TEST_CASE("an undefined variable and a lone dollar sign are refused") {
  CHECK(
      refusal("$SCRATHC/d.h5") ==
      "data.file cannot be '$SCRATHC/d.h5' (the environment variable SCRATHC is not defined). Define it, or write the "
      "path without it.");
  for (const char* text : {"$", "a$", "$/x", "$1", "${}", "${SCRATCH", "${1}", "${A-b}"})
    CHECK(refusal(text) == "data.file cannot be '" + std::string(text) +
                               "' (a $ needs the name of a variable). Write $$ for a dollar sign.");
}

TEST_CASE("relative paths are relative to the folder of their origin") {
  CHECK(read("d.h5", "studies") == "studies/d.h5");
  CHECK(read("../data/d.h5", "studies") == "data/d.h5");
  CHECK(read("../../data/d.h5", "studies") == "../data/d.h5");
  CHECK(read("../d.h5", "/a/studies") == "/a/d.h5");
  CHECK(read("/d.h5", "studies") == "/d.h5");
  CHECK(read("~/d.h5", "studies") == "/home/ada/d.h5");
  CHECK(read("", "studies").empty());
}

TEST_CASE("a written path is read as the same path") {
  for (const char* path : {"d.h5", "/a/d.h5", "a$b", "$HOME", "x$$", "", "a/~"})
    CHECK(read(written_path(path)) == path);
  CHECK(written_path("~/d.h5") == "./~/d.h5");
  CHECK(written_path("~") == "./~");
}

TEST_CASE("only values with a path are changed, and run.output stays relative to the current directory") {
  const auto changed = [](const char* key, const char* text) { return with_read_path(key, text, origin("f")); };
  CHECK(changed("data.file", "d.h5") == "f/d.h5");
  CHECK(changed("model.kind", "torchscript:../net: 2.pt") == "torchscript:net: 2.pt");
  CHECK(changed("search.start", "../runs/rate=0.1") == "runs/rate=0.1");
  CHECK(changed("search.start", "none") == "none");
  CHECK(changed("search.start", "train.loss = mse; train.loss = huber") == "train.loss = mse; train.loss = huber");
  CHECK(changed("model.kind", "plugin:$SCRATCH/a.so") == "plugin:/scratch/a.so");
  CHECK(changed("model.kind", "mlp") == "mlp");
  CHECK(changed("run.output", "~/r") == "/home/ada/r");
  CHECK(changed("run.output", "r") == "r");
  CHECK(changed("data.features", "$x/~") == "$x/~");
  CHECK_THROWS_AS(changed("model.kind", "plugin: a.so"), UsageError);
}

TEST_CASE("a study with absolute inputs is independent of the current directory") {
  Study study = study_with({{"data.file", "../d$.h5"}, {"model.kind", "torchscript:net.pt"}, {"run.output", "r"}});
  study.search.keys = {{"model.kind", {"torchscript:a.pt", "mlp", "plugin:/b.so"}}, {"train.epochs", {"1"}}};
  const Study absolute = with_absolute_inputs(study, "/home/ada");
  CHECK(absolute.data.file == "/home/d$.h5");
  CHECK(setting_text(absolute, "model.kind") == "torchscript:/home/ada/net.pt");
  CHECK(absolute.search.keys[0].candidates ==
        std::vector<std::string>{"torchscript:/home/ada/a.pt", "mlp", "plugin:/b.so"});
  CHECK(absolute.run.output == "r");
  CHECK(with_absolute_inputs(Study{}, "/home/ada").data.file.empty());
  CHECK(with_absolute_inputs(study_with({{"data.file", "d.h5"}}), "/c#\n").data.file == "/c#\n/d.h5");
  CHECK(study_file_text(absolute).find("\nfile = /home/d$$.h5\n") != std::string::npos);
  CHECK(parse_study_text("[data]\nfile = /home/d$$.h5\n", "s.cfg", {}).data.file == "/home/d$.h5");
}
