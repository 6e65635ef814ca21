// A fast reader of record lines, for journals of millions of records.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>

#include "journal/record_line.hpp"

namespace sheaf {

/// The record in `text`, a line without its checksum. Accepts only lines as record_line() writes them, without a
/// message. None: any other line, which may still be valid JSON. An accepted line has the same record as by the JSON
/// parser. Pure.
std::optional<RecordLine> scan_record(std::string_view text);

}  // namespace sheaf
