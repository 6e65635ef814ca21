// Sequential input from a file (plain or gzip) or from memory.
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

  /// The name in messages, for example the path of the file.
  const std::string& name() const { return name_; }

  /// Reads the next `count` bytes and returns how many were read; fewer only at the end. Throws RunError if they cannot
  /// be read or decompressed.
  virtual std::size_t read(void* bytes, std::size_t count) = 0;

 private:
  std::string name_;
};

/// Reads from `bytes`, which must outlive the source.
class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::string_view bytes) : ByteSource(std::move(name)), rest_(bytes) {}
  std::size_t read(void* bytes, std::size_t count) override;

 private:
  std::string_view rest_;
};

/// Opens a file. Gzip is detected from the content and decompressed. Throws RunError.
std::unique_ptr<ByteSource> open_source(const std::string& path);

/// Reads `count` bytes. Throws RunError if the source ends earlier; the message names the missing part by `what` ("its
/// header").
void read_exactly(ByteSource& source, void* bytes, std::size_t count, const std::string& what);

/// Appends `count` bytes to `bytes`. Uses memory only as the bytes arrive, so a file whose header declares too many is
/// harmless. Throws RunError like read_exactly.
void append_exactly(ByteSource& source, std::vector<std::byte>& bytes, std::uint64_t count, const std::string& what);

/// Returns `bytes` followed by the rest of the source.
std::string read_all(ByteSource& source, std::string bytes = {});

/// Throws RunError unless the source is at its end.
void require_end(ByteSource& source);

}  // namespace sheaf
