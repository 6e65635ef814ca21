// SPDX-License-Identifier: MIT
#include "results/result_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/replace_file.hpp"
#include "hdf5/table_writer.hpp"
#include "options/settings.hpp"
#include "results/table.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_write(const std::string& path, const std::string& reason) {
  throw RunError(fmt::format(
      "'{}' cannot be written ({}). Choose a place with room where you may write, by run.output.", path, reason));
}

// A file descriptor for writing a new file; closed when it goes.
class NewFile {
 public:
  explicit NewFile(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail_write(path, std::strerror(errno));
  }
  ~NewFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = ::write(descriptor_, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_write(path_, std::strerror(errno));
      done += static_cast<std::size_t>(written);
    }
  }

  void sync_and_close() {
    const bool good = ::fsync(descriptor_) == 0 && ::close(descriptor_) == 0;
    descriptor_ = -1;
    if (!good) fail_write(path_, std::strerror(errno));
  }

 private:
  std::string path_;
  int descriptor_;
};

void write_hdf5(const std::string& path, const Study& study, const Plan& plan, const RunResults& results) {
  Hdf5Writer file(path);
  file.write_attribute("study", study_file_text(study));
  for (const auto& [name, value] : results.provenance) file.write_attribute(name, value);
  file.write_table("iterations", iteration_table(plan, results.records));
  if (study.run.curves) file.write_table("epochs", epoch_table(results.epochs));
  file.write_table("trials", trial_table(plan, rank_trials(plan, results.records, results.ensembles)));
  if (!results.ensembles.empty()) file.write_table("ensembles", ensemble_table(results.ensembles));

  std::vector<std::string> hosts, devices, notes;
  std::vector<std::int64_t> numbers, cores, lanes, threads;
  for (const auto& rank : results.ranks) {
    numbers.push_back(static_cast<std::int64_t>(numbers.size()));
    hosts.push_back(rank.host);
    devices.push_back(rank.device);
    cores.push_back(rank.cores);
    lanes.push_back(rank.lanes);
    threads.push_back(rank.threads);
    notes.push_back(rank.note);
  }
  file.write_table("ranks", {{"rank", numbers},
                             {"host", hosts},
                             {"device", devices},
                             {"cores", cores},
                             {"lanes", lanes},
                             {"threads", threads},
                             {"note", notes}});
  file.close();
}

// The topmost directory that does not exist yet on the way to `directory`; empty when all of it does.
fs::path first_missing(const fs::path& directory) {
  fs::path missing;
  for (fs::path path = directory; !path.empty() && !fs::exists(path); path = path.parent_path()) {
    missing = path;
    if (path == path.parent_path()) break;
  }
  return missing;
}

// Takes back what create_run_directory made.
void remove_made(const fs::path& made) {
  std::error_code ignored;  // the error that led here is the one to tell
  if (!made.empty()) fs::remove_all(made, ignored);
}

}  // namespace

std::string run_directory(const Study& study) {
  return study.run.output.empty() ? "runs/" + study.study.name : study.run.output;
}

void create_run_directory(const std::string& directory, const Study& study) {
  const fs::path path = fs::path(directory).lexically_normal();
  fs::path made;
  try {
    for (const char* name : {"study.cfg", "results.csv", "results.h5"})
      if (fs::exists(path / name))
        throw RunError(fmt::format("'{}' already holds a run ('{}' is there). Choose another run.output, or remove it.",
                                   directory, name));
    made = first_missing(path);
    fs::create_directories(path);
    write_whole_file((path / "study.cfg").string(), study_file_text(study));
  } catch (const fs::filesystem_error& error) {
    remove_made(made);
    throw RunError(
        fmt::format("the run directory '{}' cannot be made ({}). Choose a place where you may write, by "
                    "run.output.",
                    directory, error.code().message()));
  } catch (const RunError&) {
    remove_made(made);
    throw;
  }
}

void write_results(const std::string& directory, const Study& study, const Plan& plan, const RunResults& results) {
  write_then_rename(directory + "/results.h5",
                    [&](const std::string& path) { write_hdf5(path, study, plan, results); });
  write_whole_file(directory + "/results.csv", csv_text(iteration_table(plan, results.records)));
}

void write_whole_file(const std::string& path, const std::string& text) {
  write_then_rename(path, [&](const std::string& temporary) {
    NewFile file(temporary);
    file.write(text);
    file.sync_and_close();
  });
}

}  // namespace sheaf
