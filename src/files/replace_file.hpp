// New files that are there whole or not at all.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "files/output_file.hpp"

namespace sheaf {

/// Throws RunError when an output file may not take the name `path`: it names a directory or a special file, or a
/// regular file while `overwrite` is false. Local.
void require_free_name(const std::string& path, bool overwrite);

/// A new file with a temporary name, `path`.<12 random hexadecimal digits>.partial. It is removed unless commit()
/// renames it, also when SIGTERM, SIGINT or SIGHUP ends the process. Local; any number at a time.
class UnfinishedFile {
 public:
  /// Creates the file, with O_EXCL: existing files are not overwritten, and symbolic links not followed. Throws
  /// RunError.
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// To write here, or by the temporary name.
  OutputFile& file() { return file_; }
  const std::string& temporary() const { return file_.path(); }
  /// Waits until all is on the disk, then gives the file its name; a file of that name is replaced. The last call.
  /// Throws RunError.
  void commit();

 private:
  // A name that signals remove.
  class Watched {
   public:
    explicit Watched(const std::string& path);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    std::string path_;
    std::atomic<const char*>* place_;
  };

  std::string path_, temporary_;
  Watched watched_;
  OutputFile file_;
  bool committed_ = false;
};

/// Makes a file under a temporary name beside `path`, runs `write` on it, waits for the disk, then gives it its name; a
/// file of that name is replaced. A failure leaves neither behind. Throws what `write` throws, and RunError. Local.
void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// Writes `text` to `path` in the same way. Throws RunError. Local.
void write_whole_file(const std::string& path, const std::string& text);

}  // namespace sheaf
