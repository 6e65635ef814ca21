// SPDX-License-Identifier: MIT
#include "files/shared_library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "core/error.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

// dlopen is declared noexcept, so an exception of a static initializer would call std::terminate. A call through a
// pointer lets it reach the caller. `volatile` prevents the compiler from replacing the pointer by dlopen.
void* (*volatile const open_library)(const char* file, int flags) = dlopen;

// Returns the offset of the end of the last loaded segment, according to `head`, the beginning of an ELF file. Returns
// 0 if it is not an ELF file.
std::uint64_t bytes_mapped(const std::string& head) {
  ElfW(Ehdr) file;
  if (head.size() < sizeof file || head.compare(0, SELFMAG, ELFMAG) != 0) return 0;
  std::memcpy(&file, head.data(), sizeof file);
  std::uint64_t end = 0;
  for (std::uint64_t number = 0; number < file.e_phnum; ++number) {
    ElfW(Phdr) segment;
    const std::uint64_t offset = file.e_phoff + number * file.e_phentsize;
    if (offset > head.size() || head.size() - offset < sizeof segment) return end;
    std::memcpy(&segment, head.data() + offset, sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max<std::uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

// Returns why the file must not be passed to dlopen, or "". dlopen would block on a pipe, and would end the process for
// a truncated file, because it accesses memory mapped beyond the end.
std::string problem_of_file(const std::string& file) {
  struct stat status {};
  const int descriptor = open_regular_file(file, status);
  if (descriptor < 0) {  // dlopen reports missing files and those that cannot be opened
    const bool is_special = status.st_mode != 0 && !S_ISREG(status.st_mode);
    return is_special ? file + " is " + file_kind(status.st_mode) : "";
  }
  constexpr std::int64_t head_bytes = 4096;
  const RegularFile opened(file, descriptor);
  const std::uint64_t needed = bytes_mapped(opened.read(head_bytes));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size >= needed) return "";
  return file + " is truncated: it has " + std::to_string(size) + " of " + std::to_string(needed) + " bytes";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

SharedLibrary load_shared_library(const std::string& file, int flags) {
  static std::mutex one_at_a_time;
  static std::map<std::string, std::string> half_initialized;
  const std::lock_guard lock(one_at_a_time);
  const auto known = half_initialized.find(file);
  if (known != half_initialized.end()) return {nullptr, known->second};
  try {
    if (file.find('/') != std::string::npos)
      if (std::string problem = problem_of_file(file); !problem.empty()) return {nullptr, std::move(problem)};
    if (void* library = open_library(file.c_str(), flags)) return {library, ""};
    return {nullptr, first_line(dlerror())};
  } catch (const std::exception& error) {
    return {nullptr, half_initialized[file] = first_line(message_of(error))};
  }
}

}  // namespace sheaf
