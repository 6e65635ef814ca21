// Work of a stack on its device that is repeated many times, with tensors at the same addresses.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <functional>
#include <memory>

namespace sheaf {

/// Launches work on the current stream. Reads no value on the host.
using StackWork = std::function<void()>;

/// Work that has been recorded.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;

  /// Launches the work on the current stream.
  virtual void replay() = 0;
};

/// Records `work` in a CUDA graph without computing it. The current stream is not the default one. `other`: if not
/// null, its memory is used, too, and they must not be computed at the same time. Null if this build cannot record.
/// Throws c10::Error if `work` cannot be recorded. Thread-safe.
std::unique_ptr<RecordedWork> record_work(const StackWork& work, const RecordedWork* other);

/// Launches work: on a GPU by a CUDA graph, because a GPU computes small operations faster than a host launches them.
class StackGraph {
 public:
  using Recorder = std::function<std::unique_ptr<RecordedWork>(const StackWork& work)>;

  /// On a GPU, computes `work` once, since libraries prepare themselves in their first calls, and records it, as
  /// record_work() does, with the memory of `other` if not null. All calls are on the same stream.
  StackGraph(torch::Device device, StackWork work, const StackGraph* other = nullptr);

  /// The same with another recorder. Null: nothing is recorded.
  StackGraph(StackWork work, const Recorder& record);

  /// Launches the work. If it is not recorded, calls the function.
  void launch() const;

 private:
  StackWork work_;
  std::unique_ptr<RecordedWork> recorded_;
};

}  // namespace sheaf
