// The timeline of a run in Chrome's trace event format, which Perfetto (ui.perfetto.dev), speedscope and
// chrome://tracing open. Source: "Trace Event Format" (Google, 2016). Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "report/run_report.hpp"

namespace sheaf {

/// A process for each rank and a thread for each lane, with a span for each training, and a process "jobs" with a span
/// for each job, so that the gaps between jobs show. Times in microseconds.
std::string trace_json(const RunReport& report);

}  // namespace sheaf
