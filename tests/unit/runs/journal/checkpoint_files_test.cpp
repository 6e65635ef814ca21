// SPDX-License-Identifier: MIT
#include "runs/journal/checkpoint_files.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;
namespace fs = std::filesystem;

namespace {

const JournalHeader header{"1.0", "study", "data"};

void make_fresh_directory() {
  fs::remove_all("run");
  fs::create_directory("run");
}

std::size_t file_count() {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator("run/checkpoints")) count += entry.is_regular_file();
  return count;
}

// Root can read every file. While this exists, it is another user.
struct WithoutPrivileges {
  WithoutPrivileges() {
    if (is_root) REQUIRE(::seteuid(65534) == 0);
  }
  ~WithoutPrivileges() {
    if (is_root) CHECK(::seteuid(0) == 0);
  }

  const bool is_root = ::geteuid() == 0;
};

// The training of a trial.
IterationKey key(std::int64_t trial) {
  return {0, trial, 0, 0, 0};
}

// The checkpoints of a job that begins now.
struct JobFiles : CheckpointFiles {
  explicit JobFiles(const JournalHeader& of = header) : CheckpointFiles("run", of, list_checkpoints("run")) {}
  // After 0, 1, 2, ... steps.
  void add(const IterationKey& training, const std::string& state, bool paused = false) {
    save(training, steps++, state, paused);
  }
  std::int64_t steps = 0;
};

void spoil(const std::string& path, std::streamoff offset) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(offset);
  const char old = static_cast<char>(file.get());
  file.seekp(offset);
  file.put(static_cast<char>(old ^ 1));
}

}  // namespace

TEST_CASE("load returns the newest state, or the previous one if the newest is damaged") {
  make_fresh_directory();
  JobFiles files;
  CHECK_FALSE(files.load(key(7)));
  for (const std::string state : {"first", "second", "third"}) {
    files.add(key(7), state);
    CHECK(files.load(key(7)) == state);
  }
  CHECK_FALSE(files.load(key(70)));
  CHECK(file_count() == 2);
  const fs::path newest = "run/checkpoints/7-0-0-0.2", aside = "run/checkpoints/7-0-0-0.2.unusable";
  const auto size = static_cast<std::streamoff>(fs::file_size(newest));
  for (std::streamoff offset = 0; offset < size; ++offset) {
    spoil(newest, offset);
    CHECK(JobFiles().load(key(7)) == "second");
    CHECK_FALSE(fs::exists(newest));
    fs::rename(aside, newest);
    spoil(newest, offset);
  }
  CHECK(JobFiles().load(key(7)) == "third");
  for (const int more : {-1, 1}) {
    fs::resize_file(newest, static_cast<std::uintmax_t>(size + more));
    CHECK(JobFiles().load(key(7)) == "second");
    fs::rename(aside, newest);
    fs::resize_file(newest, static_cast<std::uintmax_t>(size));
  }
  JobFiles later;
  later.save(key(7), 3, "fourth");
  CHECK(later.load(key(7)) == "fourth");
  CHECK(fs::exists("run/checkpoints/7-0-0-0.3"));
}

TEST_CASE("a job knows its checkpoints without listing the directory, which may have files of others") {
  make_fresh_directory();
  fs::create_directory("run/checkpoints");
  for (const char* name : {"7-0-0-0.5", "7-0-0-0.12", "7-0-0-0.9223372036854775807", "8-0-0-0.0", "7-0-0.50",
                           "7-0-0-0-0.50", "notes.txt", "7-0-0-0.6.unusable", "7-0-0-0.13.0123456789ab.partial"})
    std::ofstream(fs::path("run/checkpoints") / name) << "of an earlier job";
  JobFiles files;
  std::ofstream("run/checkpoints/7-0-0-0.40") << "of another job";
  std::ofstream("run/checkpoints/9-0-0-0.40") << "of another job";
  files.save(key(7), 13, "first");
  CHECK(fs::exists("run/checkpoints/7-0-0-0.13"));
  CHECK(fs::exists("run/checkpoints/7-0-0-0.12"));
  CHECK_FALSE(fs::exists("run/checkpoints/7-0-0-0.5"));
  files.save(key(9), 0, "first");
  CHECK(fs::exists("run/checkpoints/9-0-0-0.0"));
  files.save(key(7), 14, "second");
  fs::remove("run/checkpoints/7-0-0-0.14");  // by someone else
  CHECK(files.load(key(7)) == "first");
  files.discard(key(7));
  CHECK_FALSE(files.load(key(7)));
  for (const char* name : {"7-0-0-0.40", "7-0-0-0.6.unusable", "8-0-0-0.0", "7-0-0.50", "notes.txt"})
    CHECK(fs::exists(fs::path("run/checkpoints") / name));
}

TEST_CASE("a state after the same or fewer steps replaces the later ones") {
  make_fresh_directory();
  JobFiles files;
  for (const auto& [steps, state] : {std::pair(5, "five"), {9, "nine"}, {9, "nine again"}, {7, "seven"}}) {
    files.save(key(7), steps, state);
    CHECK(files.load(key(7)) == state);
  }
  files.set_aside(key(7), "requested by a test");
  CHECK(files.load(key(7)) == "five");
}

TEST_CASE("a checkpoint of another rank is found if it is expected after its steps") {
  make_fresh_directory();
  JobFiles files, of_other_rank;
  of_other_rank.save(key(7), 40, "of the other rank");
  CHECK_FALSE(files.load(key(7)));
  files.expect(key(7), 41);
  CHECK_FALSE(files.load(key(7)));
  files.expect(key(7), 40);
  CHECK(files.load(key(7)) == "of the other rank");
  JobFiles continuing;  // knows the pause of the stage before
  continuing.keep({{key(7), 30}});
  continuing.expect(key(7), 40);
  CHECK(continuing.load(key(7)) == "of the other rank");
  files.save(key(7), 50, "own");
  files.expect(key(7), 40);
  CHECK(files.load(key(7)) == "own");
  files.set_aside(key(7), "requested by a test");
  CHECK(files.load(key(7)) == "of the other rank");
}

TEST_CASE("a checkpoint that was set aside is not loaded again") {
  make_fresh_directory();
  JobFiles files;
  files.add(key(7), "first");
  files.add(key(7), "second");
  files.add(key(77), "other");
  files.set_aside(key(7), "requested by a test");
  CHECK(files.load(key(7)) == "first");
  files.set_aside(key(7), "requested by a test");
  CHECK_FALSE(files.load(key(7)));
  CHECK_FALSE(JobFiles().load(key(7)));
  CHECK(files.load(key(77)) == "other");
  files.add(key(7), "again");
  CHECK(files.load(key(7)) == "again");
}

TEST_CASE("a checkpoint that can be neither used nor renamed is an error") {
  make_fresh_directory();
  JobFiles files;
  files.add(key(7), "first");
  fs::create_directories("run/checkpoints/7-0-0-0.0.unusable/folder");
  CHECK_THROWS_WITH(
      files.set_aside(key(7), "requested by a test"),
      "checkpoint 'run/checkpoints/7-0-0-0.0' cannot be used (requested by a test) and cannot be renamed (Is a "
      "directory). Correct the permissions of 'run/checkpoints'.");
  CHECK(files.load(key(7)) == "first");
}

TEST_CASE("a checkpoint without read permission is an error, and is not renamed") {
  make_fresh_directory();
  JobFiles files;
  files.add(key(7), "first");
  fs::permissions("run/checkpoints/7-0-0-0.0", fs::perms::none);
  {
    const WithoutPrivileges unprivileged;
    CHECK_THROWS_WITH(
        files.load(key(7)),
        "checkpoint 'run/checkpoints/7-0-0-0.0' cannot be read (Permission denied). Check its permissions and "
        "the disk.");
  }
  fs::permissions("run/checkpoints/7-0-0-0.0", fs::perms::owner_all);
  CHECK(files.load(key(7)) == "first");
}

TEST_CASE("checkpoints of another study or other data are not loaded") {
  for (const JournalHeader& other : {JournalHeader{"1.0", "other", "data"}, JournalHeader{"1.0", "study", "other"}}) {
    make_fresh_directory();
    JobFiles().add(key(1), "state");
    CHECK(JobFiles().load(key(1)) == "state");
    CHECK_FALSE(JobFiles(other).load(key(1)));
  }
}

TEST_CASE("discarding an iteration's checkpoints keeps those of other iterations") {
  make_fresh_directory();
  JobFiles files;
  files.add(key(1), "one");
  files.add(key(11), "eleven");
  files.add(key(1), "one more");
  files.discard(key(1));
  CHECK_FALSE(files.load(key(1)));
  CHECK(files.load(key(11)) == "eleven");
  files.discard(key(5));

  JobFiles later;  // simulates a later job
  later.save(key(11), 12, "twelve");
  CHECK(later.load(key(11)) == "twelve");
  later.discard(key(11));
  CHECK(file_count() == 0);
  CHECK_FALSE(later.load(key(11)));
}

TEST_CASE("only the checkpoints of continued trainings are kept, also those of other processes") {
  make_fresh_directory();
  JobFiles files, of_other_rank;
  files.add(key(1), "one", true);
  of_other_rank.add(key(2), "two", true);
  of_other_rank.add({0, 2, 1, 4, 3}, "of another fold", true);
  of_other_rank.add(key(3), "three", true);
  const auto kept = remove_other_checkpoints("run", [](const IterationKey& training) { return training.trial != 3; });
  CHECK(kept.size() == 3);
  CHECK(file_count() == 3);
  files.keep(kept);
  CHECK(files.load(key(1)) == "one");
  CHECK(files.load(key(2)) == "two");
  CHECK(files.load({0, 2, 1, 4, 3}) == "of another fold");
  CHECK_FALSE(files.load(key(3)));
}

TEST_CASE("at the end of a run, only files that a run writes are removed from the directory of checkpoints") {
  make_fresh_directory();
  JobFiles files;
  files.add(key(1), "one");
  files.add(key(2), "two");
  files.set_aside(key(2), "requested by a test");
  const fs::path directory = "run/checkpoints";
  std::ofstream(directory / "3-0-0-0.0.0123456789ab.partial") << "of a job that was killed";
  const std::vector<std::string> others = {
      "notes.txt", "01-0-0-0.0",           "-1-0-0-0.0", "1-0-0-0.0.bak", "1.0", "1-0-0-0.0.old.unusable",
      "5-0-0-0",   "1-0-0-0.0.xyz.partial"};
  for (const auto& name : others) std::ofstream(directory / name) << "of the user";
  fs::create_directory(directory / "folder");
  remove_checkpoints("run");
  CHECK(file_count() == others.size());
  for (const auto& name : others) CHECK(fs::exists(directory / name));
  CHECK(fs::exists(directory / "folder"));
  for (const auto& name : others) fs::remove(directory / name);
  fs::remove(directory / "folder");
  JobFiles().add(key(1), "one");
  remove_checkpoints("run");
  CHECK_FALSE(fs::exists(directory));
}
