// New files that are there whole or not at all.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace sheaf {

/// A file on its way: under a temporary name beside `path` until it is kept. What is not kept is removed, also when
/// SIGTERM, SIGINT or SIGHUP ends the process. Local; any number at a time.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& temporary() const { return temporary_; }
  /// Gives the file its name; a file of that name is replaced. Throws RunError when that is not possible.
  void keep();

 private:
  std::string path_, temporary_;
  std::atomic<const char*>* watched_;  // for signals
};

/// Runs `write` on a temporary name beside `path`, then gives it its name; a file of that name is replaced. A failure
/// leaves neither behind. Throws what `write` throws, and RunError when the name cannot be given. Local.
void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write);

}  // namespace sheaf
