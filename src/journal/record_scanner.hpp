// A fast reader of record lines, for journals of millions of records.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "journal/record_line.hpp"

namespace sheaf {

/// The record in `text`, a line up to its checksum. It reads lines exactly as record_line() writes them, without a
/// message. None: anything else, which a JSON parser may still understand. What it reads, the JSON parser reads alike.
/// Pure.
std::optional<RecordLine> scan_record(std::string_view text);

}  // namespace sheaf
