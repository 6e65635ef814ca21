// RAII handles for HDF5 identifiers, and conversion of HDF5's errors to exceptions. Parallel HDF5 is not thread-safe:
// only one thread of a process at a time may use anything in this folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace sheaf {

/// Stops HDF5 from printing its error stack; users see its messages in RunError. Call it before the first use of HDF5;
/// further calls are harmless.
void silence_hdf5();

/// The version of the HDF5 library, for example "1.10.8".
std::string hdf5_version();

/// Returns HDF5's innermost description of the latest failure. Call it before any other HDF5 function.
std::string hdf5_reason();

/// Throws RunError "<problem> (<HDF5's reason>)." unless HDF5 reported success (status >= 0).
void check_hdf5(int status, const std::string& problem);

/// Turns off HDF5's lock of the file that is opened with the access properties, for files that no other program knows
/// yet: some file systems have no locks, and HDF5 would then refuse to write. With HDF5 before 1.10.7, only the
/// environment variable HDF5_USE_FILE_LOCKING can do that.
void leave_unlocked(std::int64_t access);

/// Returns "HDF5 file 'path' cannot be written", a problem for check_hdf5() and Handle.
std::string problem_of_writing(const std::string& path);

/// Owns an identifier and the function that closes it. Move-only.
class Handle {
 public:
  /// herr_t (*)(hid_t), spelled without hdf5.h.
  using Closer = int (*)(std::int64_t);

  Handle() = default;
  /// Throws RunError "<problem> (<HDF5's reason>)." if `id` is negative, which HDF5 returns on failure.
  Handle(std::int64_t id, Closer closer, const std::string& problem);
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  /// Logs a failure to close.
  ~Handle();

  std::int64_t id() const { return id_; }
  /// Closes the identifier now. Throws RunError "<problem> (<HDF5's reason>)." on failure. The identifier is invalid in
  /// both cases.
  void close(const std::string& problem);

 private:
  std::int64_t id_ = -1;
  Closer closer_ = nullptr;
};

}  // namespace sheaf
