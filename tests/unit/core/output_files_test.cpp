// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "core/output_bytes.hpp"
#include "core/replace_file.hpp"
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

}  // namespace

TEST_CASE("bytes are written at their places") {
  const OutputBytes file("places", OutputBytes::Open::anew);
  const OutputBytes again("places", OutputBytes::Open::as_it_is);
  const std::string text = "cdab";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  file.write(bytes, 2, 2);
  again.write(bytes + 2, 2, 0);
  CHECK(text_of("places") == "abcd");
  CHECK(file.number() == again.number());
  file.reserve(4, 6);
  CHECK(text_of("places") == std::string("abcd") + std::string(6, '\0'));
  CHECK_THROWS_AS(file.require_room(std::int64_t{1} << 60), RunError);
  CHECK_NOTHROW(file.require_room(1));
  CHECK_THROWS_AS(OutputBytes("absent", OutputBytes::Open::as_it_is), RunError);
  CHECK(!std::filesystem::exists("absent"));
}

TEST_CASE("an unfinished file takes its name when it is kept, and goes when it is not") {
  write_text("file", "old");
  {
    const UnfinishedFile file("file");
    write_text(file.temporary(), "half");
  }
  CHECK(text_of("file") == "old");
  CHECK(!std::filesystem::exists("file.partial"));
  {
    UnfinishedFile file("file");
    write_text(file.temporary(), "new");
    file.keep();
  }
  CHECK(text_of("file") == "new");
  CHECK(!std::filesystem::exists("file.partial"));
}

TEST_CASE("threads write files side by side") {
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([path = "file" + std::to_string(number)] {
      for (int time = 0; time < 500; ++time)
        write_then_rename(path, [&](const std::string& temporary) { write_text(temporary, path); });
    });
  for (auto& thread : threads) thread.join();
  for (const std::string path : {"file0", "file1", "file2", "file3"}) {
    CHECK(text_of(path) == path);
    CHECK(!std::filesystem::exists(path + ".partial"));
  }
}

TEST_CASE("a signal that ends the process takes unfinished files with it") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::signal(number, SIG_DFL);  // the test's own framework watches signals, too
      const UnfinishedFile file("ended");
      const UnfinishedFile other("other");
      write_text(file.temporary(), "half");
      write_text(other.temporary(), "half");
      ::raise(number);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == number);
    CHECK(!std::filesystem::exists("ended.partial"));
    CHECK(!std::filesystem::exists("other.partial"));
  }
}
