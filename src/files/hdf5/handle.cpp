// SPDX-License-Identifier: MIT
#include "files/hdf5/handle.hpp"

#include <hdf5.h>

#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"

namespace sheaf {
namespace {

// HDF5 describes a failed system call with its arguments and the time. Returns only the message of the system.
std::string system_message(const std::string& description) {
  const std::string opening = "error message = '";
  const auto begin = description.find(opening);
  const auto end = begin == std::string::npos ? begin : description.find('\'', begin + opening.size());
  return end == std::string::npos ? description
                                  : description.substr(begin + opening.size(), end - begin - opening.size());
}

}  // namespace

static_assert(std::is_same_v<hid_t, std::int64_t> && std::is_same_v<herr_t, int>,
              "handle.hpp declares these types without hdf5.h");

void silence_hdf5() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::string hdf5_reason() {
  std::string reason;
  const auto take_first = [](unsigned depth, const H5E_error2_t* error, void* text) -> herr_t {
    if (depth == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &reason);
  if (reason.empty()) return "HDF5 reports no reason";
  reason = system_message(reason);
  return reason == std::strerror(ENOLCK) ? reason + "; set HDF5_USE_FILE_LOCKING=FALSE to use none" : reason;
}

void leave_unlocked([[maybe_unused]] std::int64_t access) {
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
  H5Pset_file_locking(access, false, true);
#endif
}

void check_hdf5(int status, const std::string& problem) {
  if (status < 0) throw RunError(problem + " (" + hdf5_reason() + ").");
}

std::string problem_of_writing(const std::string& path) {
  return "HDF5 file '" + path + "' cannot be written";
}

Handle::Handle(std::int64_t id, Closer closer, const std::string& problem) : id_(id), closer_(closer) {
  check_hdf5(id < 0 ? -1 : 0, problem);
}

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(closer_, other.closer_);
  return *this;
}

Handle::~Handle() {
  if (id_ >= 0 && closer_(id_) < 0) log_rank("warning: an HDF5 object could not be closed (" + hdf5_reason() + ").");
}

void Handle::close(const std::string& problem) {
  if (id_ >= 0) check_hdf5(closer_(std::exchange(id_, -1)), problem);
}

}  // namespace sheaf
