// Bytes one after the other: of a file, plain or gzip, or of memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sheaf {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// What messages call it: a file's path.
  const std::string& name() const { return name_; }

  /// The next bytes: `count` of them, fewer only at the end. Throws RunError when they cannot be read or unpacked.
  virtual std::size_t read(void* bytes, std::size_t count) = 0;

 private:
  std::string name_;
};

/// Reads `bytes`, which outlive it.
class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes) : ByteSource(std::move(name)), rest_(bytes) {}
  std::size_t read(void* bytes, std::size_t count) override;

 private:
  std::string_view rest_;
};

/// Opens a file; gzip is unpacked on the way, whatever the file's name. Throws RunError.
std::unique_ptr<ByteSource> open_source(const std::string& path);

/// Reads `count` bytes. Throws RunError when the source ends before: `what` ("its header") is missing then.
void read_exactly(ByteSource& source, void* bytes, std::size_t count, const std::string& what);

/// Appends `count` bytes to `bytes`. Memory is used as they come, so a file that promises more than it has does no
/// harm. Throws RunError as read_exactly.
void append_exactly(ByteSource& source, std::vector<std::byte>& bytes, std::uint64_t count, const std::string& what);

/// `bytes` and, after them, all that is left.
std::string read_all(ByteSource& source, std::string bytes = {});

/// Throws RunError unless the source has come to its end.
void require_end(ByteSource& source);

}  // namespace sheaf
