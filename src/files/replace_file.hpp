// Atomic creation of files: a file gets its name only when it is complete.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "files/byte_sink.hpp"
#include "files/output_file.hpp"

namespace sheaf {

/// Throws RunError if `path` cannot be used for an output file: it is a directory or a special file, or it exists and
/// `overwrite` is false. Local.
void require_free_name(const std::string& path, bool overwrite);

/// Throws RunError if the two paths name the same file, which the output would replace. Local.
void require_other_file(const std::string& input, const std::string& output);

/// A new file with the temporary name `path`.<12 random hexadecimal digits>.partial (a very long name is shortened
/// first). commit() renames it; otherwise it is removed, even if a signal ends the process (call_before_fatal_signals).
/// Several may exist at a time. Local.
class UnfinishedFile {
 public:
  /// Creates the file with O_EXCL: does not overwrite existing files or follow symbolic links. Throws RunError.
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// The open file. It can also be written by its temporary name.
  OutputFile& file() { return file_; }
  const std::string& temporary() const { return file_.path(); }
  /// Syncs the file to the disk and renames it to `path`, replacing an existing file. Must be the last call. Throws
  /// RunError.
  void commit();
  /// Same, without syncing: for files that a later job can do without, and whose damage it can find out.
  void commit_unsynced();

 private:
  // Registers a path that the signal handler removes.
  class Watched {
   public:
    explicit Watched(const std::string& path);
    ~Watched();
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

   private:
    std::string path_;
    std::atomic<const char*>* slot_;
  };

  void rename();

  std::string path_, temporary_;
  Watched watched_;
  OutputFile file_;
  bool committed_ = false;
};

/// The path of which `path` is the temporary name (UnfinishedFile), or its beginning if it is very long; nothing for
/// other paths. Pure.
std::optional<std::string> final_path(const std::string& path);

/// Creates a temporary file beside `path`, calls `write` with its name, syncs it to the disk and renames it to `path`,
/// replacing an existing file. After a failure the temporary file is removed and `path` is unchanged. Throws RunError
/// and exceptions of `write`. Local.
void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write);

/// Same, with the bytes that `produce` passes to its sink. Throws RunError and exceptions of `produce`. Local.
void write_whole_file(const std::string& path, const std::function<void(const ByteSink&)>& produce);

/// Writes `text` to `path` like write_then_rename. Throws RunError. Local.
void write_whole_file(const std::string& path, const std::string& text);

}  // namespace sheaf
