// SPDX-License-Identifier: MIT
#include "files/byte_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

#include "core/error.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// zlib's gz functions return the bytes of files that are not gzip unchanged.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : ByteSource(path), file_(nullptr, ::gzclose_r) {
    RegularFile opened(path);
    file_.reset(::gzdopen(opened.descriptor(), "rb"));
    if (file_ == nullptr) throw std::bad_alloc();
    opened.release();
    ::gzbuffer(file_.get(), buffer_bytes);
  }

  std::size_t read(void* bytes, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      const auto wanted = static_cast<unsigned>(std::min<std::size_t>(count - done, std::size_t{1} << 30));
      const int got = ::gzread(file_.get(), static_cast<char*>(bytes) + done, wanted);
      if (got > 0) done += static_cast<std::size_t>(got);
      if (got == static_cast<int>(wanted)) continue;
      refuse_failure();
      break;
    }
    return done;
  }

 private:
  // After a short read, only gzerror distinguishes the end of the file from a failure.
  void refuse_failure() {
    const int system_error = errno;
    int code = Z_OK;
    const char* reason = ::gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_ERRNO)
      throw RunError(fmt::format("File '{}' cannot be read ({}). Check the disk and its permissions.", name(),
                                 std::strerror(system_error)));
    throw RunError(fmt::format("File '{}' cannot be decompressed ({}). Copy or recreate it.", name(),
                               code == Z_BUF_ERROR ? "its gzip data is truncated" : std::string("gzip: ") + reason));
  }

  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

}  // namespace

std::size_t MemorySource::read(void* bytes, std::size_t count) {
  count = std::min(count, rest_.size());
  std::copy_n(rest_.data(), count, static_cast<char*>(bytes));
  rest_.remove_prefix(count);
  return count;
}

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  return std::make_unique<FileSource>(path);
}

void read_exactly(ByteSource& source, void* bytes, std::size_t count, const std::string& what) {
  const std::size_t got = source.read(bytes, count);
  require(got == count, [&] {
    return fmt::format("'{}' is truncated (in {}: {} of {} bytes). Copy or recreate it.", source.name(), what, got,
                       count);
  });
}

void append_exactly(ByteSource& source, std::vector<std::byte>& bytes, std::uint64_t count, const std::string& what) {
  try {
    bytes.reserve(bytes.size() + count);
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw RunError(
        fmt::format("'{}' does not fit in memory (it declares {} bytes of {}). Check that the file is intact, or use a "
                    "machine with more memory.",
                    source.name(), count, what));
  }
  for (std::uint64_t done = 0; done < count;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, buffer_bytes));
    const std::size_t old = bytes.size();
    bytes.resize(old + wanted);
    const std::size_t got = source.read(bytes.data() + old, wanted);
    done += got;
    require(got == wanted, [&] {
      return fmt::format("'{}' is truncated (in {}: {} of {} bytes). Copy or recreate it.", source.name(), what, done,
                         count);
    });
  }
}

std::string read_all(ByteSource& source, std::string bytes) {
  for (std::size_t got = buffer_bytes; got == buffer_bytes;) {
    const std::size_t old = bytes.size();
    bytes.resize(old + buffer_bytes);
    got = source.read(bytes.data() + old, buffer_bytes);
    bytes.resize(old + got);
  }
  return bytes;
}

void require_end(ByteSource& source) {
  char next = 0;
  require(source.read(&next, 1) == 0,
          fmt::format("'{}' is longer than its header declares (bytes follow the last number). Copy or recreate it.",
                      source.name()));
}

}  // namespace sheaf
