// The log goes to stderr; stdout belongs to results. Rank 0 speaks; another rank only when it alone knows something.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Tells the log who is speaking. Called once, after MPI has started; before that the process counts as rank 0 of 1.
void set_log_rank(int rank, int rank_count);

/// One line on rank 0; nothing elsewhere. Local, thread-safe.
void log_root(const std::string& message);

/// One line on any rank, prefixed "[rank/count]" when there are several. Local, thread-safe.
void log_rank(const std::string& message);

/// log_rank with the prefix "error: ". Allocates nothing, so that it also reports that memory has run out.
void log_error(const char* message) noexcept;

/// log_root with the prefix "warning: ".
void warn_root(const std::string& message);

}  // namespace sheaf
