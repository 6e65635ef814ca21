// What the fuzz targets share: an input as options and pieces, and what a refusal has to look like.
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

/// The first byte is for options, the rest is cut into pieces at every "<cut>" (seeds.py writes it so).
struct Input {
  unsigned options = 0;
  std::vector<std::string> pieces;  ///< at least one

  Input(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view mark = "<cut>";
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    if (!rest.empty()) {
      options = data[0];
      rest.remove_prefix(1);
    }
    for (std::size_t found = 0; (found = rest.find(mark)) != rest.npos; rest.remove_prefix(found + mark.size()))
      pieces.emplace_back(rest.substr(0, found));
    pieces.emplace_back(rest);
  }

  bool option(int bit) const { return (options >> bit & 1) != 0; }
  /// Empty where there are fewer.
  std::string piece(std::size_t index) const { return index < pieces.size() ? pieces[index] : std::string(); }
};

/// Ends the program, which is a finding, unless the condition holds.
inline void must(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "not as it must be: %s\n", what.c_str());
  std::abort();
}

/// A message is text for a terminal, whatever stands in the file that it speaks of.
inline void must_be_readable(const std::string& message, bool lines) {
  std::string line = message;
  if (lines) std::replace(line.begin(), line.end(), '\n', ' ');
  must(!line.empty() && printable(line) == line, "the message \"" + message + "\"");
}

/// Calls `action`, which may throw what a user's mistake is answered with and nothing else; true when it did not.
/// Several problems of a study are a line each.
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

/// Sources named "0", "1", ...; `files` outlive them.
inline std::vector<std::unique_ptr<ByteSource>> sources_of(const std::vector<std::string>& files) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const auto& file : files)
    sources.push_back(std::make_unique<MemorySource>(std::to_string(sources.size()), file));
  return sources;
}

}  // namespace sheaf::fuzz

/// What libFuzzer calls with every input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
