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

// Data of a mapping for the signal handler.
struct MappingSlot {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> lost{false};
};

namespace {

// After views of this many bytes, the pages are dropped from the resident memory of the process. They stay in the page
// cache.
constexpr std::int64_t resident_bytes = std::int64_t{64} << 20;

// An access to one byte can make this many bytes resident, if the kernel keeps the pages in large folios.
constexpr std::int64_t folio_bytes = std::int64_t{2} << 20;

std::array<MappingSlot, 64> slots;
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free, "a signal handler reads these");

struct sigaction earlier_action {};

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

extern "C" void reslot_lost_page(int number, siginfo_t* info, void*) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (auto& slot : slots) {
    if (address < slot.begin || address >= slot.end) continue;
    void* page = static_cast<std::byte*>(info->si_addr) - address % page_bytes();
    if (::mmap(page, page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    slot.lost = true;
    errno = error;
    return;
  }
  ::sigaction(SIGBUS, &earlier_action, nullptr);
  ::raise(number);  // the earlier action runs when this handler returns
}

void watch_bus_errors() {
  static std::once_flag watched;
  std::call_once(watched, [] {
    page_bytes();  // initialized before the handler reads it
    struct sigaction action {};
    action.sa_sigaction = reslot_lost_page;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGBUS, &action, &earlier_action);
  });
}

MappingSlot* take_slot() {
  const auto found = std::find_if(slots.begin(), slots.end(), [](MappingSlot& slot) {
    bool free = false;
    return slot.taken.compare_exchange_strong(free, true);
  });
  return found == slots.end() ? nullptr : &*found;
}

}  // namespace

FileMapping::FileMapping(int descriptor, std::int64_t bytes) : bytes_(bytes), slot_(take_slot()) {
  if (slot_ == nullptr) return;
  watch_bus_errors();
  void* mapped = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return;
  begin_ = static_cast<std::byte*>(mapped);
  slot_->lost = false;
  slot_->end = reinterpret_cast<std::uintptr_t>(begin_ + bytes);
  slot_->begin = reinterpret_cast<std::uintptr_t>(begin_);
}

FileMapping::~FileMapping() {
  if (slot_ == nullptr) return;
  slot_->end = 0;
  slot_->begin = 0;
  if (begin_ != nullptr) ::munmap(begin_, static_cast<std::size_t>(bytes_));
  slot_->taken = false;
}

const std::byte* FileMapping::view(std::int64_t offset, std::int64_t bytes) const {
  if (begin_ == nullptr || offset < 0 || bytes > bytes_ - offset) return nullptr;
  // A view that begins in the folio of the previous one does not count that folio again.
  const std::int64_t first = offset / folio_bytes, end = (offset + bytes - 1) / folio_bytes + 1;
  const bool is_known = latest_folio_.exchange(end - 1) == first;
  const std::int64_t counted = (end - first - (is_known ? 1 : 0)) * folio_bytes, before = viewed_.fetch_add(counted);
  if (before / resident_bytes != (before + counted) / resident_bytes)
    ::madvise(begin_, static_cast<std::size_t>(bytes_), MADV_DONTNEED);
  return begin_ + offset;
}

bool FileMapping::lost() const {
  return begin_ != nullptr && slot_->lost;
}

}  // namespace sheaf
