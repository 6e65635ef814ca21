// SPDX-License-Identifier: MIT
#include "commands/info/installation_test.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/evaluate/predict_command.hpp"
#include "commands/import/import_command.hpp"
#include "commands/train/run_command.hpp"
#include "core/error.hpp"
#include "engines/used_engines.hpp"
#include "files/directories.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr int row_count = 200;

// Rows of two classes alternate. One feature separates them, the other one does not tell them apart.
std::string class_of(int row) {
  return row % 2 == 1 ? "wide" : "narrow";
}

std::string table_text() {
  std::string text = "width,height,kind\n";
  for (int row = 0; row < row_count; ++row)
    text += fmt::format("{:.2f},{:.2f},{}\n", (row % 2 == 1 ? 1.0 : -1.0) + (row * 37 % 100) / 100.0,
                        (row * 53 % 100) / 100.0, class_of(row));
  return text;
}

// The rows of a file of predictions whose first column, the predicted class, is right.
int right_predictions(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  int right = 0;
  for (int row = 0; std::getline(file, line); ++row) right += line.substr(0, line.find(',')) == class_of(row) ? 1 : 0;
  return right;
}

// A new directory, which all ranks use as their current directory. It is removed, and the ranks return to the earlier
// one, at the end. The constructor is collective over world, the destructor local.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const Communicator& world) : earlier_(current_directory()), owns_(world.is_root()) {
    const bool one_node = world.split_by_node().size() == world.size();
    std::string path;
    agree(world, [&] {
      if (!world.is_root()) return;
      path = (one_node ? fs::temp_directory_path() : fs::path(earlier_)) / "sheaf-test-XXXXXX";
      require(mkdtemp(path.data()) != nullptr,
              fmt::format("the directory '{}' cannot be created ({}). Set TMPDIR to a directory with free space.", path,
                          std::generic_category().message(errno)));
    });
    path_ = world.broadcast(path, 0);
    agree(world, [&] { fs::current_path(path_); });
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::current_path(earlier_, ignored);
    if (owns_) fs::remove_all(path_, ignored);
  }

 private:
  std::string earlier_, path_;
  bool owns_;
};

// Sends stdout of this rank to a file, and stderr of rank 0: the other ranks log only what rank 0 does not know.
class OutputToFile {
 public:
  OutputToFile(const std::string& path, bool is_root) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0, fmt::format("'{}' cannot be written. Set TMPDIR to a directory with free space.", path));
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      if (stream == STDERR_FILENO && !is_root) continue;
      earlier_.emplace_back(stream, fcntl(stream, F_DUPFD_CLOEXEC, 0));
      dup2(file, stream);
    }
    close(file);
  }
  OutputToFile(const OutputToFile&) = delete;
  OutputToFile& operator=(const OutputToFile&) = delete;
  ~OutputToFile() {
    for (const auto& [stream, copy] : earlier_) {
      dup2(copy, stream);
      close(copy);
    }
  }

 private:
  std::vector<std::pair<int, int>> earlier_;
};

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs a command of the program, without its output. Throws AgreedError, with the output if the command does not report
// its failure otherwise. Collective over world.
void run_silently(const Command& command, const std::vector<std::string>& arguments, const Communicator& world) {
  const std::string path = fmt::format("output-{}", world.rank());
  ExitCode code = ExitCode::done;
  {
    std::optional<OutputToFile> output;
    agree(world, [&] { output.emplace(path, world.is_root()); });
    code = command.run({arguments, fmt::format("sheaf {}", command.name)}, world);
  }
  agree(world, [&] {
    if (code != ExitCode::done && world.is_root())
      throw RunError(fmt::format("'sheaf {}' failed:\n{}", command.name, file_text(path)));
  });
}

void train_and_predict(const std::string& engine, const Communicator& world) {
  const std::string predictions = engine + ".csv";
  run_silently(run_command(),
               {"table.h5", "--run.output=" + engine, "--run.engine=" + engine, "--run.models=best",
                "--run.progress=none", "--search.folds=2", "--model.kind=mlp", "--model.hidden=8", "--train.epochs=10",
                "--train.batch_size=20", "--train.learning_rate=0.01"},
               world);
  run_silently(predict_command(), {engine, "table.csv", predictions, "--run.engine=" + engine}, world);
  agree(world, [&] {
    if (!world.is_root()) return;
    const int right = right_predictions(predictions);
    require(right >= row_count * 9 / 10,
            fmt::format("only {} of {} predictions are right. Report this with the output of sheaf info.", right,
                        row_count));
  });
}

// Prints the result of a check, which passes if `check` does not throw AgreedError. Collective over world.
bool passes(const std::string& name, const Communicator& world, const std::function<void()>& check) {
  std::string line = "passed   " + name;
  bool passed = true;
  try {
    check();
  } catch (const AgreedError& error) {
    line = fmt::format("FAILED   {}: {}", name, error.what());
    passed = false;
  }
  agree(world, [&] {
    if (world.is_root()) print_job_result(line + "\n");
  });
  return passed;
}

// Whether the engine passes, or its library is not installed. Collective over world.
bool test_engine(const EngineEntry& engine, const Communicator& world) {
  const EngineLibrary* library = engine.services.shared_library;
  if (library != nullptr && library->is_installed != nullptr && !library->is_installed()) {
    agree(world, [&] {
      if (world.is_root())
        print_job_result(fmt::format("skipped  {}: not installed (package {})\n", library->name, library->package));
    });
    return true;
  }
  return passes("training and prediction with " + product_name(engine), world, [&] {
    agree(world, [&] {
      if (library != nullptr) library->version();  // loads it
    });
    train_and_predict(std::string(engine.name), world);
  });
}

}  // namespace

bool test_installation(const Communicator& world) {
  const TemporaryDirectory directory(world);
  const bool imported = passes("import of a table", world, [&] {
    agree(world, [&] {
      if (world.is_root()) std::ofstream("table.csv") << table_text();
    });
    run_silently(import_command(), {"table.csv", "table.h5"}, world);
  });
  bool trained = true;
  for (const EngineEntry& engine : engine_table())
    if (engine.trains_networks) trained = test_engine(engine, world) && trained;
  return imported && trained;
}

}  // namespace sheaf
