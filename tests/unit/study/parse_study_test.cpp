// SPDX-License-Identifier: MIT
#include "study/parse_study.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/problem_list.hpp"
#include "core/random/random_stream.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Words = std::vector<std::string>;
using Overrides = std::vector<Assignment>;

const std::string sound = "[data]\nfile = d.h5\n";

Study parse(const std::string& text, const Overrides& overrides = {}) {
  return parse_study_text(text, "s.cfg", overrides);
}

std::string errors_of(const std::string& text, const Overrides& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const UsageError& error) {
    return fmt::format("{}", fmt::join(problems_of(error.what()), "\n"));
  }
  return "accepted";
}

std::string file_errors(const std::string& path) {
  try {
    parse_study(path, {});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A new current directory for the files of a test.
struct Scratch {
  Scratch() {
    std::filesystem::remove_all("parse_study_test");
    std::filesystem::create_directory("parse_study_test");
    std::filesystem::current_path("parse_study_test");
  }
  ~Scratch() { std::filesystem::current_path(".."); }
};

}  // namespace

TEST_CASE("command-line values override those of the study file") {
  const std::string text = sound + "[train]\nepochs = 5\nlearning_rate=0.5\n";
  CHECK(parse(text).train.epochs == 5);
  CHECK(parse(text).train.learning_rate == 0.5);
  CHECK(parse(text, {{"train.epochs", "7"}}).train.epochs == 7);
  CHECK(parse(text, {{"train.epochs", "7"}}).train.learning_rate == 0.5);
  CHECK(parse(text, {{"data.file", "a=b.h5"}, {"train.shuffle", "no"}}).data.file == "a=b.h5");
  CHECK(parse("", {{"data.source", "synthetic"}}).data.source == DataSource::synthetic);
  CHECK(parse(sound + "[run]\noutput = x\n", {{"run.output", ""}}).run.output.empty());
}

TEST_CASE("comments, blank lines, CRLF, a byte order mark and repeated sections are accepted") {
  const Study study = parse(
      "\xef\xbb\xbf# first\r\n[data] # the data\r\n\r\n  ; also a comment = 1\r\n file\t=  d.h5 # why\r\n[train]\r\n"
      "epochs = 5\r\n[data]\r\nfeatures = /x");
  CHECK(study.data.file == "d.h5");
  CHECK(study.data.features == "/x");
  CHECK(study.train.epochs == 5);
}

TEST_CASE("each problem is one message with its location") {
  CHECK(errors_of(sound + "[train]\nepoch = 5\n") == "s.cfg: unknown key 'train.epoch'. Did you mean 'train.epochs'?");
  CHECK(errors_of(sound + "[train]\nepochs = 0\n") ==
        "s.cfg: train.epochs cannot be '0'. Allowed: integer from 1 to 1000000, or auto.");
  CHECK(errors_of(sound + "[train]\nepochs =\n") ==
        "s.cfg: train.epochs cannot be empty. Allowed: integer from 1 to 1000000, or auto.");
  CHECK(errors_of("epochs = 5\n" + sound) == "s.cfg: unknown key 'epochs'. Did you mean 'train.epochs'?");
  CHECK(errors_of(sound + "file = e.h5\nfile = f.h5\n") ==
        "s.cfg: 'data.file' is set more than once. Remove the duplicates.");
  CHECK(errors_of(sound + "\n epochs 5 \n") ==
        "s.cfg:4: 'epochs 5' is neither [section] nor key = value. Correct the line, or comment it out with #.");
  CHECK(errors_of(sound + "[train\n").rfind("s.cfg:3: '[train' is neither", 0) == 0);
  CHECK(errors_of(sound + "[]\n") == "s.cfg:3: the section has no name. Write e.g. [train].");
  CHECK(errors_of(sound + "[ ]\n") == "s.cfg:3: the section has no name. Write e.g. [train].");
  CHECK(errors_of(sound + "= 5\n").rfind("s.cfg: unknown key 'data.'.", 0) == 0);
  CHECK(
      errors_of(sound + "features = a#b\n").rfind("s.cfg:3: '#' would cut the value short (it starts a comment).", 0) ==
      0);
  CHECK(errors_of("") ==
        "data.source = file needs data.file. Set data.file to an HDF5 file, or data.source = synthetic.");
  CHECK(errors_of("# only\n; comments\n") == errors_of(""));
}

TEST_CASE("each problem of an override is one message") {
  const auto error = [](const Overrides& overrides) { return errors_of(sound, overrides); };
  CHECK(error({{"train.epoch", "5"}}) == "command line: unknown key 'train.epoch'. Did you mean 'train.epochs'?");
  CHECK(error({{"train.epochs", ""}}) ==
        "command line: train.epochs cannot be empty. Allowed: integer from 1 to 1000000, or auto.");
  CHECK(error({{"train.epochs", "1"}, {"train.epochs", "2"}}) ==
        "command line: 'train.epochs' is set more than once. Remove the duplicates.");
  CHECK(error({{"study.seed", "-1"}}) ==
        "command line: study.seed cannot be '-1'. Allowed: integer from 0 to 18446744073709551615.");
  CHECK(error({{"train.learning_rate", "-1"}}) ==
        "command line: train.learning_rate cannot be '-1'. Allowed: number > 0, or auto.");
}

TEST_CASE("searched keys are read from the file and the command line into canonical form") {
  const std::string text = sound +
                           "[model]\nkind = mlp\n[search]\nmethod = grid\nmodel.hidden = 16, 32,64  32\n"
                           "train.learning_rate = 1e-3,1e-2\n";
  const Study study = parse(text, {{"search.train.learning_rate", "1e-1"}, {"search.train.shuffle", "yes, off"}});
  REQUIRE(study.search.keys.size() == 3);
  CHECK(study.search.keys[0].key == "model.hidden");
  CHECK(study.search.keys[0].candidates == Words{"16", "32", "64 32"});
  CHECK(study.search.keys[1].key == "train.learning_rate");
  CHECK(study.search.keys[1].candidates == Words{"0.1"});
  CHECK(study.search.keys[2].key == "train.shuffle");
  CHECK(study.search.keys[2].candidates == Words{"true", "false"});
}

TEST_CASE("each candidate is checked") {
  const auto error = [](const std::string& line) {
    return errors_of("[data]\nfile = d.h5\n[search]\nmethod = grid\n" + line + "\n");
  };
  CHECK(error("train.epochs = 1, 2") == "accepted");
  CHECK(error("train.epochs =") ==
        "s.cfg: search.train.epochs = '' has an empty candidate. Write values separated by commas.");
  for (const char* list : {"1,,2", ",1", "1,", " , "})
    CHECK(error(std::string("train.epochs = ") + list).find("has an empty candidate") != std::string::npos);
  CHECK(error("train.epochs = 1, 0, 2") ==
        "s.cfg: search.train.epochs cannot be '0'. Allowed: integer from 1 to 1000000, or auto.");
  CHECK(error("train.learning_rate = 1e-3, 0.001") ==
        "s.cfg: search.train.learning_rate has the candidate '0.001' more than once. Remove the duplicates.");
  CHECK(error("data.file = a, b") ==
        "s.cfg: data.file cannot be searched. Only data.normalize and the keys of [model] and [train] can.");
  CHECK(error("hidden = 16") == "s.cfg: unknown key 'search.hidden'. Did you mean 'search.model.hidden'?");
  CHECK(errors_of(sound + "[search]\nmethod = none\ntrain.epochs = 1, 2\n") ==
        "searched keys need a search method (search.method = none). Set search.method = grid.");
}

TEST_CASE("search.method = auto, the default, is the method that the other keys need") {
  for (const Overrides& given : {Overrides{}, {{"search.method", "auto"}}, {{"search.method", "AUTO"}}}) {
    const auto method = [&](const std::string& search, Overrides others = {}) {
      others.insert(others.end(), given.begin(), given.end());
      return parse(sound + "[search]\n" + search, others).search.method;
    };
    CHECK(method("train.epochs = 1, 2\n") == SearchMethod::grid);
    CHECK(method("", {{"search.folds", "3"}}) == SearchMethod::grid);
    CHECK(method("", {{"data.folds", "/folds"}}) == SearchMethod::grid);
    CHECK(method("train.epochs = 1, 2, 3\ntrials = 2\n") == SearchMethod::random);
    CHECK(method("train.learning_rate = uniform(0.1, 1)\ntime = 5\n") == SearchMethod::random);
    CHECK(method("train.learning_rate = uniform(0.1, 1)\npatience = 5\n") == SearchMethod::random);
    CHECK(method("train.epochs = 1, 2\npatience = 5\n") == SearchMethod::grid);
    CHECK(method("", {{"data.folds", "none"}}) == SearchMethod::none);
    CHECK(method("", {{"data.groups", "/groups"}}) == SearchMethod::none);
    CHECK(method("") == automatic);  // the file may have folds
    CHECK(method("", {{"search.folds", "1"}}) == automatic);
  }
  CHECK(parse("[data]\nsource = synthetic\n").search.method == SearchMethod::none);
  CHECK_THAT(errors_of(sound, {{"search.folds", "3"}, {"search.method", "none"}}),
             ContainsSubstring("search.folds = 3 has no effect (search.method = none)"));
}

TEST_CASE("several problems are reported together, one per line") {
  CHECK(errors_of("[data]\nfile = d.h5\n[train]\nepoch = 5\nlearning_rate = fast\nstray\n[run]\nthreads = 2\n",
                  {{"model.knd", "mlp"}}) ==
        "s.cfg:6: 'stray' is neither [section] nor key = value. Correct the line, or comment it out with #.\n"
        "s.cfg: unknown key 'train.epoch'. Did you mean 'train.epochs'?\n"
        "s.cfg: train.learning_rate cannot be 'fast'. Allowed: number > 0, or auto.\n"
        "command line: unknown key 'model.knd'. Did you mean 'model.kind'?\n"
        "run.threads = 2 needs one lane, but run.lanes = auto. Set run.lanes = 1, or leave out run.threads.");
}

TEST_CASE("a refused value causes no additional problems between keys") {
  CHECK(errors_of(sound + "[model]\nkind = mlp\nhidden = 64,32\n").find('\n') == std::string::npos);
  CHECK(errors_of(sound + "[model]\nkind = mlp\n[search]\nmethod = grid\nmodel.hidden = x\n").find('\n') ==
        std::string::npos);
  CHECK(errors_of(sound + "[search]\nmethod = gird\ntrain.epochs = 1, 2\n").find('\n') == std::string::npos);
  // A value that happens to equal the name of a refused key is still checked.
  const std::string both = errors_of("[data]\nsource = synthetic\nfile = train.epochs\n[train]\nepochs = many\n");
  CHECK_THAT(both, ContainsSubstring("train.epochs cannot be 'many'"));
  CHECK_THAT(both, ContainsSubstring("data.file = train.epochs has no effect"));
}

TEST_CASE("a long list of problems is shortened") {
  std::string text = sound;
  for (int i = 0; i < 1000; ++i) text += "nonsense\n";
  const std::string errors = errors_of(text);
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 50);
  CHECK(errors.substr(errors.rfind('\n') + 1) == "and 950 more problems.");
}

TEST_CASE("a file that cannot be a study file gives one message") {
  const Scratch scratch;
  write_file("sound.cfg", sound);
  CHECK(parse_study("sound.cfg", {{"train.epochs", "3"}}).train.epochs == 3);
  CHECK(file_errors("absent.cfg") ==
        "File 'absent.cfg' cannot be read (No such file or directory). Check its name and permissions.");
  CHECK(file_errors(".") == "'.' is a directory, not a regular file. Specify a file.");
  write_file("binary.cfg", std::string("\x89HDF\0\r\n", 7));
  CHECK(file_errors("binary.cfg") == "'binary.cfg' is not a text file of at most 1 MiB. Pass a study file.");
  write_file("large.cfg", std::string((1 << 20) + 1, '#'));
  CHECK(file_errors("large.cfg") == "'large.cfg' is not a text file of at most 1 MiB. Pass a study file.");
  write_file("wrong.cfg", "[data]\nfiel = d.h5\n");
  CHECK(file_errors("wrong.cfg").rfind("wrong.cfg: unknown key 'data.fiel'. Did you mean 'data.file'?", 0) == 0);
  if (geteuid() != 0) {
    chmod("sound.cfg", 0);
    CHECK(file_errors("sound.cfg").find("(Permission denied)") != std::string::npos);
    chmod("sound.cfg", 0600);
  }
}

TEST_CASE("data and model files are relative to the folder of the study file, overrides to the current directory") {
  const Scratch scratch;
  std::filesystem::create_directories("folder/inner");
  write_file(
      "folder/inner/s.cfg",
      "[data]\nfile = ../d.h5\n[run]\noutput = r\n[search]\nmethod = grid\nmodel.kind = torchscript:a.pt, linear\n");
  const Study study = parse_study("folder/inner/s.cfg", {});
  CHECK(study.data.file == "folder/d.h5");
  CHECK(study.run.output == "r");
  CHECK(study.search.keys[0].candidates == Words{"torchscript:folder/inner/a.pt", "linear"});
  CHECK(parse_study("folder/inner/s.cfg", {{"data.file", "../e.h5"}}).data.file == "../e.h5");
  std::filesystem::remove("link.cfg");
  std::filesystem::create_symlink("folder/inner/s.cfg", "link.cfg");
  CHECK(parse_study("link.cfg", {}).data.file == "../d.h5");  // the folder of the name, not of the target
  CHECK(errors_of(sound, {{"run.output", "$SHEAF_UNDEFINED/r"}}) ==
        "command line: run.output cannot be '$SHEAF_UNDEFINED/r' (the environment variable SHEAF_UNDEFINED is not "
        "defined). Define it, or write the path without it.");
}

TEST_CASE("a key has either a value or candidates") {
  const std::string searched = "[search]\nmethod = grid\ntrain.learning_rate = 1e-3, 1e-2\n";
  const std::string both = sound + "[train]\nlearning_rate = 0.5\n" + searched;
  CHECK(errors_of(both) ==
        "s.cfg: train.learning_rate is set in [train] and has candidates in [search]. Remove one of them.");
  CHECK(errors_of(sound + searched, {{"train.learning_rate", "0.5"}}) ==
        "command line: --train.learning_rate has no effect, since train.learning_rate has candidates in [search] of "
        "'s.cfg'. Leave it out, or replace the candidates with --search.train.learning_rate.");
  CHECK(errors_of(sound,
                  {{"train.learning_rate", "0.5"}, {"search.train.learning_rate", "1,2"}, {"search.method", "grid"}}) ==
        "command line: train.learning_rate is set by --train.learning_rate and has candidates in "
        "--search.train.learning_rate. Remove one of them.");
}

TEST_CASE("candidates on the command line replace the value in the file, which is not stored") {
  const std::string text = sound + "[search]\nmethod = grid\n[train]\nlearning_rate = 0.5\n";
  const Study study = parse(text, {{"search.train.learning_rate", "1,2"}});
  REQUIRE(study.search.keys.size() == 1);
  CHECK(study.search.keys[0].candidates == std::vector<std::string>{"1", "2"});
  CHECK(study_file_text(study) ==
        study_file_text(parse(sound + "[search]\nmethod = grid\n", {{"search.train.learning_rate", "1,2"}})));
  CHECK(study_file_text(parse(study_file_text(study))) == study_file_text(study));
}

TEST_CASE("any bytes give a study or a UsageError") {
  const std::string alphabet = "[]=#;.,\n\r \t-0123xade\xff\xc3\xa9\"'\\";
  const std::string base =
      "[data]\nfile = d.h5\n[model]\nkind = mlp\nbias = no\n[search]\nmethod = grid\nmodel.hidden = 16, 64 32\n";
  RandomStream random(1, Purpose::batch_order);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = base;
    for (std::uint64_t change = random.below(6); change > 0; --change) {
      const std::size_t position = random.below(text.size());
      const char byte = alphabet[random.below(alphabet.size())];
      if (random.below(2) == 0)
        text[position] = byte;
      else
        text.insert(position, random.below(20), byte);
    }
    const std::string answer = errors_of(text);
    CHECK_FALSE(answer.empty());
    if (answer != "accepted") continue;
    ++accepted;
    CHECK_NOTHROW(parse(study_file_text(parse(text))));
  }
  CHECK(accepted > 100);
  CHECK(accepted < 2900);
}

TEST_CASE("messages about very long lines are short") {
  const std::string errors =
      errors_of(sound + std::string(1000000, 'k') + " = 1\n[train]\nepochs = " + std::string(1000000, '9') + "\n" +
                std::string(1000000, 'z') + "\n");
  CHECK(errors.size() < 1000);
  CHECK(std::count(errors.begin(), errors.end(), '\n') == 2);
}
