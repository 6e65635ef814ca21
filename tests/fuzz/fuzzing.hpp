// Helpers of the fuzz targets: parsing of inputs into options and parts, and checks of error messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/byte_source.hpp"

namespace sheaf::fuzz {

/// A fuzz input: one byte of options, then parts that are separated by "<cut>" (as written by seeds.py).
struct Input {
  unsigned options = 0;
  std::vector<std::string> parts;  ///< at least one

  Input(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view mark = "<cut>";
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    if (!rest.empty()) {
      options = data[0];
      rest.remove_prefix(1);
    }
    for (std::size_t found = 0; (found = rest.find(mark)) != rest.npos; rest.remove_prefix(found + mark.size()))
      parts.emplace_back(rest.substr(0, found));
    parts.emplace_back(rest);
  }

  bool option(int bit) const { return (options >> bit & 1) != 0; }
  /// Part `index`; empty if there are fewer parts.
  std::string part(std::size_t index) const { return index < parts.size() ? parts[index] : std::string(); }
};

/// Ends the program, which libFuzzer reports as a finding, unless the condition is true.
inline void must(bool condition, const std::string& expectation) {
  if (condition) return;
  std::fprintf(stderr, "violated: %s\n", expectation.c_str());
  std::abort();
}

/// Checks that a message is printable text, even if the file that it describes is not. `lines`: may have several lines.
inline void must_be_readable(const std::string& message, bool lines) {
  std::string line = message;
  if (lines) std::replace(line.begin(), line.end(), '\n', ' ');
  must(!line.empty() && printable(line) == line, "a message is printable text: \"" + message + "\"");
}

/// Calls `action`; returns false if it throws UsageError or RunError, whose messages must be readable. Other exceptions
/// are findings. A UsageError may have one line per problem.
template <class Action>
bool accepts(const Action& action) {
  try {
    action();
    return true;
  } catch (const UsageError& error) {
    must_be_readable(error.what(), true);
  } catch (const RunError& error) {
    must_be_readable(error.what(), false);
  }
  return false;
}

/// Returns sources named "0", "1", ... that refer to `files`.
inline std::vector<std::unique_ptr<ByteSource>> sources_of(const std::vector<std::string>& files) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const auto& file : files)
    sources.push_back(std::make_unique<MemorySource>(std::to_string(sources.size()), file));
  return sources;
}

}  // namespace sheaf::fuzz

/// The function that libFuzzer calls with every input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
