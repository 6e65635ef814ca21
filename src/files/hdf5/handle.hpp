// HDF5 identifiers that close themselves, and HDF5's errors as exceptions. Parallel HDF5 is not thread-safe: one
// thread at a time of a process may use anything in this folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace sheaf {

/// Stops HDF5 from printing its error stack; its messages reach the user through RunError. Called before the first use
/// of HDF5, any number of times.
void silence_hdf5();

/// "1.10.8".
std::string hdf5_version();

/// HDF5's innermost description of the latest failure. Valid until the next call of HDF5.
std::string hdf5_reason();

/// Throws RunError "<problem> (<HDF5's reason>)." unless HDF5 reported success (status >= 0).
void check_hdf5(int status, const std::string& problem);

/// "HDF5 file 'path' cannot be written": the problem for check_hdf5() and Handle.
std::string problem_of_writing(const std::string& path);

/// Owns an identifier together with the call that closes it. Move-only.
class Handle {
 public:
  /// herr_t (*)(hid_t), spelled without hdf5.h.
  using Closer = int (*)(std::int64_t);

  Handle() = default;
  /// Throws RunError "<problem> (<HDF5's reason>)." when `id` is negative, as HDF5 returns it on failure.
  Handle(std::int64_t id, Closer closer, const std::string& problem);
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  /// A failure to close is logged.
  ~Handle();

  std::int64_t id() const { return id_; }
  /// Closes now. Throws RunError "<problem> (<HDF5's reason>)." when that fails; the identifier is invalid in either
  /// case.
  void close(const std::string& problem);

 private:
  std::int64_t id_ = -1;
  Closer closer_ = nullptr;
};

}  // namespace sheaf
