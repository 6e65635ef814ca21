// The log, on stderr; stdout is for results. Rank 0 logs; other ranks log only what rank 0 does not know.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Sets the rank of this process. Call it once, after MPI has started. Until then the process is rank 0 of 1.
void set_log_rank(int rank, int rank_count);

/// From now on, each line begins with the local time, "14:05:09 ". The rule: the lines of a run have it, from the
/// moment when its directory is opened; messages before that, and those of all other commands, do not. Local,
/// thread-safe.
void begin_log_times();

/// From now on, each line begins with `text`, which must exist until the next call: a control sequence that clears a
/// progress bar, or "". Local, thread-safe.
void begin_log_lines_with(const char* text);

/// Logs a line on rank 0 and does nothing on other ranks. Local, thread-safe.
void log_root(const std::string& message);

/// Logs a line on any rank, with the prefix "[rank/count]" if there are several. Local, thread-safe.
void log_rank(const std::string& message);

/// Like log_rank, with the prefix "error: ". Does not allocate, so it can report that memory has run out.
void log_error(const char* message) noexcept;

/// Like log_root, with the prefix "warning: ".
void warn_root(const std::string& message);

}  // namespace sheaf
