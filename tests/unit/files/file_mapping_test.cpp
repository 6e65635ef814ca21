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

constexpr std::int64_t page = 1 << 16;  // a multiple of the page size of any machine

// A file of pages that begin with 'a', 'b', ... and are filled with dots.
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

// The resident memory of this process's file and shared-memory mappings, in MiB.
std::int64_t resident_mebibytes() {
  std::ifstream status("/proc/self/status");
  std::int64_t kibibytes = 0, sum = 0;
  for (std::string word; status >> word;)
    if ((word == "RssFile:" || word == "RssShmem:") && status >> kibibytes) sum += kibibytes;
  return sum / 1024;
}

// Whether a bus error ends a child process that runs `work`. With sanitizers, the child reports the error and exits.
template <class Work>
bool ends_by_bus_error(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit no_core {};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::alarm(10);
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0;
}

}  // namespace

TEST_CASE("a view shows the bytes of the file and is null beyond its end") {
  const Pages file(3);
  const FileMapping mapping(file.descriptor(), file.bytes());
  CHECK(*mapping.view(2 * page, page) == std::byte{'c'});
  CHECK(mapping.view(page - 1, 2)[1] == std::byte{'b'});
  CHECK(mapping.view(2 * page, page + 1) == nullptr);
  CHECK(mapping.view(-page, page) == nullptr);
  CHECK(mapping.view(std::numeric_limits<std::int64_t>::max() - page, 2 * page) == nullptr);
  CHECK_FALSE(mapping.lost());
}

TEST_CASE("a mapping of a descriptor that cannot be mapped has no views") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const FileMapping mapping(ends[0], 100);
  CHECK(mapping.view(0, 1) == nullptr);
  CHECK_FALSE(mapping.lost());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("about 64 MiB of a sequentially viewed file stay resident") {
  constexpr std::int64_t bytes = std::int64_t{160} << 20, block = std::int64_t{256} << 10;
  const Pages file(1);
  std::filesystem::resize_file(Pages::path, bytes);
  const FileMapping mapping(file.descriptor(), bytes);
  const std::int64_t before = resident_mebibytes();
  std::int64_t largest = 0, sum = 0;
  for (std::int64_t offset = 0; offset < bytes; offset += block) {
    const std::byte* view = mapping.view(offset, block);
    for (std::int64_t i = 0; i < block; i += 4096) sum += static_cast<std::int64_t>(view[i]);
    largest = std::max(largest, resident_mebibytes() - before);
  }
  CHECK(sum == 'a' + (page / 4096 - 1) * '.');  // the rest is zero
  CHECK(largest > 40);
  CHECK(largest < 80);
}

TEST_CASE("mappings beyond the number that can be watched have no views") {
  const Pages file(1);
  std::vector<std::unique_ptr<FileMapping>> mappings;
  for (int number = 0; number < 100; ++number)
    mappings.push_back(std::make_unique<FileMapping>(file.descriptor(), file.bytes()));
  CHECK(mappings.back()->view(0, 1) == nullptr);
  mappings.clear();
  CHECK(FileMapping(file.descriptor(), file.bytes()).view(0, 1) != nullptr);
}

TEST_CASE("pages beyond the end of a truncated file read as zeros in every thread") {
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
  CHECK_FALSE(FileMapping(file.descriptor(), page).lost());  // a new mapping in the slot of the one that lost pages
}

TEST_CASE("other bus errors still end the process") {
  const Pages file(2);
  const FileMapping mapping(file.descriptor(), file.bytes());
  const auto* foreign =
      static_cast<const volatile char*>(::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, file.descriptor(), 0));
  CHECK(ends_by_bus_error([&] {
    std::filesystem::resize_file(Pages::path, page);
    [[maybe_unused]] const char value = foreign[page];
  }));
  CHECK(ends_by_bus_error([] { ::raise(SIGBUS); }));
}
