// SPDX-License-Identifier: MIT
#include "files/file_mapping.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>

namespace sheaf {

// What the handler has to know of a mapping.
struct MappedPlace {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> lost{false};
};

namespace {

// So much is viewed until what is behind goes from the process's resident memory (it stays in the page cache).
constexpr std::int64_t resident_bytes = std::int64_t{64} << 20;

// What becomes resident with any byte of it, where the system keeps so many pages together.
constexpr std::int64_t folio_bytes = std::int64_t{2} << 20;

std::array<MappedPlace, 64> places;
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "read by a handler");

struct sigaction earlier_action {};

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

extern "C" void replace_lost_page(int number, siginfo_t* info, void*) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (auto& place : places) {
    if (address < place.begin || address >= place.end) continue;
    void* page = static_cast<std::byte*>(info->si_addr) - address % page_bytes();
    if (::mmap(page, page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    place.lost = true;
    errno = error;
    return;
  }
  ::sigaction(SIGBUS, &earlier_action, nullptr);
  ::raise(number);  // has its earlier effect, once this returns
}

void watch_bus_errors() {
  static std::once_flag watched;
  std::call_once(watched, [] {
    page_bytes();  // known before the handler asks
    struct sigaction action {};
    action.sa_sigaction = replace_lost_page;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &earlier_action);
  });
}

MappedPlace* take_place() {
  const auto found = std::find_if(places.begin(), places.end(), [](MappedPlace& place) {
    bool free = false;
    return place.taken.compare_exchange_strong(free, true);
  });
  return found == places.end() ? nullptr : &*found;
}

}  // namespace

FileMapping::FileMapping(int descriptor, std::int64_t bytes) : bytes_(bytes), place_(take_place()) {
  if (place_ == nullptr) return;
  watch_bus_errors();
  void* mapped = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return;
  begin_ = static_cast<std::byte*>(mapped);
  place_->lost = false;
  place_->end = reinterpret_cast<std::uintptr_t>(begin_ + bytes);
  place_->begin = reinterpret_cast<std::uintptr_t>(begin_);
}

FileMapping::~FileMapping() {
  if (place_ == nullptr) return;
  place_->end = 0;
  place_->begin = 0;
  if (begin_ != nullptr) ::munmap(begin_, static_cast<std::size_t>(bytes_));
  place_->taken = false;
}

const std::byte* FileMapping::view(std::int64_t offset, std::int64_t bytes) const {
  if (begin_ == nullptr || offset < 0 || bytes > bytes_ - offset) return nullptr;
  // Views of a file in its order share their folios.
  const std::int64_t first = offset / folio_bytes, end = (offset + bytes - 1) / folio_bytes + 1;
  const bool is_known = latest_folio_.exchange(end - 1) == first;
  const std::int64_t counted = (end - first - (is_known ? 1 : 0)) * folio_bytes, before = viewed_.fetch_add(counted);
  if (before / resident_bytes != (before + counted) / resident_bytes)
    ::madvise(begin_, static_cast<std::size_t>(bytes_), MADV_DONTNEED);
  return begin_ + offset;
}

bool FileMapping::lost() const {
  return begin_ != nullptr && place_->lost;
}

}  // namespace sheaf
