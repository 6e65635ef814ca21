// SPDX-License-Identifier: MIT
#include "files/file_mapping.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t page = 1 << 16;  // of any machine

// A file of `pages` that begin with 'a', 'b' ... and are full of dots.
class Pages {
 public:
  explicit Pages(std::int64_t pages) : bytes_(pages * page) {
    std::ofstream file(path);
    for (std::int64_t number = 0; number < pages; ++number)
      file << static_cast<char>('a' + number) << std::string(page - 1, '.');
    file.close();
    descriptor_ = ::open(path, O_RDONLY);
    REQUIRE(descriptor_ >= 0);
  }
  ~Pages() { ::close(descriptor_); }

  static constexpr const char* path = "pages.bin";
  int descriptor() const { return descriptor_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t bytes_;
  int descriptor_ = -1;
};

// Of files, on disks and in memory, that this process has mapped; in MiB.
std::int64_t resident_mebibytes() {
  std::ifstream status("/proc/self/status");
  std::int64_t kibibytes = 0, sum = 0;
  for (std::string word; status >> word;)
    if ((word == "RssFile:" || word == "RssShmem:") && status >> kibibytes) sum += kibibytes;
  return sum / 1024;
}

// Whether a bus error ends a process that does `work` after the fork. Sanitizers report it, and exit.
template <class Work>
bool ends_by_bus_error(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit none {};
    ::setrlimit(RLIMIT_CORE, &none);
    ::alarm(10);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0;
}

}  // namespace

TEST_CASE("a view shows the file, as far as it goes") {
  const Pages file(3);
  const FileMapping mapping(file.descriptor(), file.bytes());
  CHECK(*mapping.view(2 * page, page) == std::byte{'c'});
  CHECK(mapping.view(page - 1, 2)[1] == std::byte{'b'});
  CHECK(mapping.view(2 * page, page + 1) == nullptr);
  CHECK(mapping.view(-page, page) == nullptr);
  CHECK(mapping.view(std::numeric_limits<std::int64_t>::max() - page, 2 * page) == nullptr);
  CHECK_FALSE(mapping.lost());
}

TEST_CASE("what cannot be mapped has no views") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const FileMapping mapping(ends[0], 100);
  CHECK(mapping.view(0, 1) == nullptr);
  CHECK_FALSE(mapping.lost());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("what was viewed in the file's order stays resident, 64 MiB of it") {
  constexpr std::int64_t bytes = std::int64_t{160} << 20, block = std::int64_t{256} << 10;
  const Pages file(1);
  std::filesystem::resize_file(Pages::path, bytes);
  const FileMapping mapping(file.descriptor(), bytes);
  const std::int64_t before = resident_mebibytes();
  std::int64_t most = 0, sum = 0;
  for (std::int64_t offset = 0; offset < bytes; offset += block) {
    const std::byte* view = mapping.view(offset, block);
    for (std::int64_t place = 0; place < block; place += 4096) sum += static_cast<std::int64_t>(view[place]);
    most = std::max(most, resident_mebibytes() - before);
  }
  CHECK(sum == 'a' + (page / 4096 - 1) * '.');  // zeros from there on
  CHECK(most > 40);
  CHECK(most < 80);
}

TEST_CASE("there may be more mappings than are watched") {
  const Pages file(1);
  std::vector<std::unique_ptr<FileMapping>> mappings;
  for (int number = 0; number < 100; ++number)
    mappings.push_back(std::make_unique<FileMapping>(file.descriptor(), file.bytes()));
  CHECK(mappings.back()->view(0, 1) == nullptr);
  mappings.clear();
  CHECK(FileMapping(file.descriptor(), file.bytes()).view(0, 1) != nullptr);
}

TEST_CASE("pages that the file has lost are zeros, in every thread that looks at them") {
  const Pages file(20);
  {
    const FileMapping mapping(file.descriptor(), file.bytes());
    const FileMapping untouched(file.descriptor(), file.bytes());
    const std::byte* bytes = mapping.view(0, file.bytes());
    std::filesystem::resize_file(Pages::path, page);
    std::vector<std::thread> threads;
    std::atomic<int> sum{0};
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (std::int64_t number = 1; number < 20; ++number) sum += static_cast<int>(bytes[number * page]);
      });
    for (auto& thread : threads) thread.join();
    CHECK(sum == 0);
    CHECK(*bytes == std::byte{'a'});
    CHECK(mapping.lost());
    CHECK_FALSE(untouched.lost());
  }
  CHECK_FALSE(FileMapping(file.descriptor(), page).lost());  // in the place of the one that had lost pages
}

TEST_CASE("other bus errors end a process as ever") {
  const Pages file(2);
  const FileMapping mapping(file.descriptor(), file.bytes());
  const auto* foreign =
      static_cast<const volatile char*>(::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, file.descriptor(), 0));
  CHECK(ends_by_bus_error([&] {
    std::filesystem::resize_file(Pages::path, page);
    [[maybe_unused]] const char looked_at = foreign[page];
  }));
  CHECK(ends_by_bus_error([] { ::raise(SIGBUS); }));
}
