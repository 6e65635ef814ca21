// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "files/output_bytes.hpp"
#include "files/replace_file.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The temporary files for `name` in the working directory.
std::vector<std::string> temporaries(const std::string& name) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    const std::string path = entry.path().filename().string();
    if (path.rfind(name + ".", 0) == 0 && entry.path().extension() == ".partial") found.push_back(path);
  }
  return found;
}

}  // namespace

TEST_CASE("an output must not be the input, under any of its names") {
  write_text("input", "text");
  std::filesystem::remove("link");
  std::filesystem::create_symlink("input", "link");
  CHECK_THROWS_WITH(require_other_file("input", "./input"),
                    "'input' and './input' are the same file. Choose another name for the output.");
  CHECK_THROWS_AS(require_other_file("input", "link"), RunError);
  CHECK_NOTHROW(require_other_file("input", "absent"));
  CHECK_NOTHROW(require_other_file("absent", "absent"));
}

TEST_CASE("bytes are written at their offsets") {
  write_text("places", "");
  const OutputBytes file("places");
  const OutputBytes again("places");
  const std::string text = "cdab";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  file.write(bytes, 2, 2);
  again.write(bytes + 2, 2, 0);
  CHECK(text_of("places") == "abcd");
  CHECK(file.inode() == again.inode());
  file.reserve(4, 6);
  CHECK(text_of("places") == std::string("abcd") + std::string(6, '\0'));
  CHECK_THROWS_AS(file.require_room(std::int64_t{1} << 60), RunError);
  CHECK_NOTHROW(file.require_room(1));
  CHECK_THROWS_AS(OutputBytes("absent"), RunError);
  CHECK(!std::filesystem::exists("absent"));
}

TEST_CASE("an unfinished file replaces its target on commit and is removed otherwise") {
  write_text("file", "old");
  {
    const UnfinishedFile file("file");
    write_text(file.temporary(), "half");
  }
  CHECK(text_of("file") == "old");
  CHECK(temporaries("file").empty());
  {
    UnfinishedFile file("file");
    write_text(file.temporary(), "new");
    file.commit();
  }
  CHECK(text_of("file") == "new");
  CHECK(temporaries("file").empty());
  write_whole_file("file", "newer");
  CHECK(text_of("file") == "newer");
  CHECK_THROWS_WITH(write_whole_file("absent/file", "text"), StartsWith("'absent/file' cannot be written (No such"));
}

TEST_CASE("unfinished files with the same target are independent") {
  UnfinishedFile first("file"), second("file");
  CHECK(first.temporary() != second.temporary());
  CHECK(final_path(first.temporary()) == "file");
  for (const std::string other : {"file", "file.partial", "file.0123456789aB.partial", ".0123456789ab.partial"})
    CHECK_FALSE(final_path(other));
  CHECK(temporaries("file").size() == 2);
  first.file().write("first");
  second.file().write("second");
  first.commit();
  CHECK(text_of("file") == "first");
  second.commit();
  CHECK(text_of("file") == "second");
}

TEST_CASE("require_free_name refuses existing names, and with overwriting all but regular files") {
  namespace fs = std::filesystem;
  write_text("taken", "text");
  fs::create_directories("folder");
  fs::remove("pipe");
  REQUIRE(::mkfifo("pipe", 0666) == 0);
  fs::remove("link");
  fs::create_symlink("taken", "link");
  CHECK_NOTHROW(require_free_name("absent", false));
  CHECK_THROWS_WITH(require_free_name("taken", false), StartsWith("'taken' already exists"));
  CHECK_THROWS_WITH(require_free_name("link", false), StartsWith("'link' already exists"));
  CHECK_NOTHROW(require_free_name("taken", true));
  CHECK_THROWS_WITH(require_free_name("folder", true), StartsWith("'folder' is a directory"));
  CHECK_THROWS_WITH(require_free_name("pipe", true), StartsWith("'pipe' is a pipe"));
  CHECK_THROWS_WITH(require_free_name("/dev/null", true), StartsWith("'/dev/null' is a device"));
}

TEST_CASE("several threads can replace files at the same time") {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([path = "file" + std::to_string(number)] {
      for (int time = 0; time < 500; ++time)
        write_then_rename(path, [&](const std::string& temporary) { write_text(temporary, path); });
    });
  for (auto& thread : threads) thread.join();
  for (const std::string path : {"file0", "file1", "file2", "file3"}) {
    CHECK(text_of(path) == path);
    CHECK(temporaries(path).empty());
  }
}

namespace {

// Sends `number` to a child process that writes two files after `prepare`. Returns the signal that ended the child, or
// 0 if it did not end.
int signal_that_ended(int number, const std::function<void()>& prepare, int times = 1) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(number, SIG_DFL);  // the test framework also handles signals
    prepare();
    const UnfinishedFile file("ended");
    const UnfinishedFile other("other");
    write_text(file.temporary(), "half");
    write_text(other.temporary(), "half");
    for (int time = 0; time < times; ++time) ::raise(number);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

bool files_are_left() {
  const bool left = !temporaries("ended").empty() || !temporaries("other").empty();
  for (const std::string path : {"ended", "other"})
    for (const auto& temporary : temporaries(path)) std::filesystem::remove(temporary);
  return left;
}

}  // namespace

TEST_CASE("a signal that ends the process removes its unfinished files") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGQUIT, SIGPIPE, SIGALRM, SIGVTALRM}) {
    CAPTURE(number);
    CHECK(signal_that_ended(number, [] {}) == number);
    CHECK(!files_are_left());
  }
}

TEST_CASE("a second SIGINT removes unfinished files, the first does not") {
  const auto record = [] { static const StopSignals signals; };
  CHECK(signal_that_ended(SIGINT, record, 2) == SIGINT);
  CHECK(!files_are_left());
  CHECK(signal_that_ended(SIGINT, record, 1) == 0);
  CHECK(files_are_left());
}

TEST_CASE("unfinished files are removed before the handler of a library ends the process") {
  const auto end = [](int) { ::_exit(::access("ended", F_OK) == 0 ? 1 : 0); };
  CHECK(signal_that_ended(SIGTERM, [&] { ::signal(SIGTERM, end); }) == 0);
  CHECK(!files_are_left());
}

TEST_CASE("an ignored signal does not remove unfinished files") {
  CHECK(signal_that_ended(SIGHUP, [] { ::signal(SIGHUP, SIG_IGN); }) == 0);
  CHECK(files_are_left());
}

TEST_CASE("a file may have the longest name of the file system") {
  const std::string name(255, 'n');
  write_whole_file(name, "text");
  CHECK(text_of(name) == "text");
  write_whole_file("./" + name, "other");
  CHECK(text_of(name) == "other");
  std::filesystem::remove(name);
}

TEST_CASE("a file can be written piece by piece, whatever the sizes of the pieces") {
  std::string expected;
  write_whole_file("pieces", [&expected](const ByteSink& sink) {
    for (const std::size_t size : {1, 0, 200000, 70000, 300000, 3, 262144, 262145, 5}) {
      const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
      sink(piece);
      expected += piece;
    }
  });
  CHECK(text_of("pieces") == expected);
  CHECK_THROWS_WITH(write_whole_file("pieces",
                                     [](const ByteSink& sink) {
                                       sink("other");
                                       throw std::runtime_error("no more");
                                     }),
                    "no more");
  CHECK(text_of("pieces") == expected);
  CHECK(!files_are_left());
  std::filesystem::remove("pieces");
}
