// SPDX-License-Identifier: MIT
#include "parallel/mpi/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <exception>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr int gather_tag = 1;

constexpr std::size_t max_message_bytes = std::size_t{1} << 30;  // an MPI count is an int

template <class T>
T reduce_everywhere(T value, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  T result{};
  check_mpi(MPI_Allreduce(&value, &result, 1, type, operation, comm), "MPI_Allreduce");
  return result;
}

// Buffers that MPI may still use after a wait that ended early. They are never freed.
std::vector<std::shared_ptr<void>>& abandoned_buffers() {
  static std::vector<std::shared_ptr<void>> buffers;
  return buffers;
}

// Nonblocking operations and their buffers. If the operations are not complete, the buffers outlive the object.
template <class Buffers>
class PendingRequests {
 public:
  explicit PendingRequests(Buffers buffers) : state_(std::make_shared<State>(State{std::move(buffers), {}})) {}
  ~PendingRequests() {
    if (!state_->requests.empty()) abandoned_buffers().push_back(state_);
  }
  PendingRequests(const PendingRequests&) = delete;
  PendingRequests& operator=(const PendingRequests&) = delete;

  Buffers& buffers() { return state_->buffers; }
  /// Returns the request for the next operation.
  MPI_Request* add() { return &state_->requests.emplace_back(MPI_REQUEST_NULL); }

  /// Waits for the operations and returns the buffers. Must be the last call.
  Buffers wait(const WhileWaiting& while_waiting) {
    auto& requests = state_->requests;
    const auto are_complete = [&requests] {
      int done = 0;
      check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
                "MPI_Testall");
      return done != 0;
    };
    wait_patiently(are_complete, while_waiting);
    requests.clear();
    return std::move(state_->buffers);
  }

 private:
  struct State {
    Buffers buffers;
    std::vector<MPI_Request> requests;
  };
  const std::shared_ptr<State> state_;
};

// An MPI datatype of `size` bytes, freed by the destructor.
class ContiguousType {
 public:
  explicit ContiguousType(std::size_t size) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~ContiguousType() { MPI_Type_free(&type_); }
  ContiguousType(const ContiguousType&) = delete;
  ContiguousType& operator=(const ContiguousType&) = delete;
  MPI_Datatype handle() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  throw RunError(fmt::format("{} failed ({}). See what the launcher reports about hosts, network and memory.", call,
                             length > 0 ? text.data() : fmt::format("error code {}", code)));
}

Communicator::Communicator(MPI_Comm handle) : handle_(handle) {
  check_mpi(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

Communicator Communicator::world() {
  MPI_Comm handle = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &handle), "MPI_Comm_dup");
  return Communicator(handle);
}

Communicator Communicator::self() {
  MPI_Comm handle = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_SELF, &handle), "MPI_Comm_dup");
  return Communicator(handle);
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  return *this;
}

Communicator::~Communicator() {
  // MPI_Comm_free is collective. During unwinding the other ranks may never call it; the job then ends soon anyway.
  if (handle_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&handle_);
}

Communicator Communicator::split_by_node() const {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(handle_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  return Communicator(node);
}

Communicator Communicator::split(int color) const {
  MPI_Comm group = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(handle_, color >= 0 ? color : MPI_UNDEFINED, rank_, &group), "MPI_Comm_split");
  return group == MPI_COMM_NULL ? self() : Communicator(group);
}

void Communicator::barrier() const {
  check_mpi(MPI_Barrier(handle_), "MPI_Barrier");
}

void Communicator::patient_barrier(const WhileWaiting& while_waiting) const {
  PendingRequests<std::monostate> barrier({});
  check_mpi(MPI_Ibarrier(handle_, barrier.add()), "MPI_Ibarrier");
  barrier.wait(while_waiting);
}

std::int64_t Communicator::patient_maximum(std::int64_t value, const WhileWaiting& while_waiting) const {
  return patient_reduction({value}, MPI_MAX, while_waiting).front();
}

std::vector<std::int64_t> Communicator::patient_sum(const std::vector<std::int64_t>& values,
                                                    const WhileWaiting& while_waiting) const {
  return patient_reduction(values, MPI_SUM, while_waiting);
}

std::vector<std::int64_t> Communicator::patient_reduction(const std::vector<std::int64_t>& values, MPI_Op operation,
                                                          const WhileWaiting& while_waiting) const {
  PendingRequests<std::vector<std::int64_t>> reduction(values);
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, reduction.buffers().data(), static_cast<int>(values.size()), MPI_INT64_T,
                           operation, handle_, reduction.add()),
            "MPI_Iallreduce");
  return reduction.wait(while_waiting);
}

std::vector<std::byte> Communicator::patient_gather(std::vector<std::byte> own,
                                                    const WhileWaiting& while_waiting) const {
  if (size_ == 1) return own;
  struct Sizes {
    std::int64_t own;
    std::vector<std::int64_t> all;
  };
  PendingRequests<Sizes> exchange({static_cast<std::int64_t>(own.size()),
                                   std::vector<std::int64_t>(is_root() ? static_cast<std::size_t>(size_) : 0)});
  check_mpi(MPI_Igather(&exchange.buffers().own, 1, MPI_INT64_T, exchange.buffers().all.data(), 1, MPI_INT64_T, 0,
                        handle_, exchange.add()),
            "MPI_Igather");
  const std::vector<std::int64_t> sizes = exchange.wait(while_waiting).all;

  const auto for_each_message = [](std::size_t size, const auto& start) {
    for (std::size_t done = 0; done < size; done += max_message_bytes)
      start(done, static_cast<int>(std::min(max_message_bytes, size - done)));
  };
  std::size_t received = own.size();
  if (is_root()) own.resize(static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})));
  PendingRequests<std::vector<std::byte>> transfer(std::move(own));
  std::byte* bytes = transfer.buffers().data();
  if (!is_root()) {
    for_each_message(received, [&](std::size_t offset, int count) {
      check_mpi(MPI_Isend(bytes + offset, count, MPI_BYTE, 0, gather_tag, handle_, transfer.add()), "MPI_Isend");
    });
    transfer.wait(while_waiting);
    return {};
  }
  for (int source = 1; source < size_; ++source) {
    const auto size = static_cast<std::size_t>(sizes[static_cast<std::size_t>(source)]);
    for_each_message(size, [&](std::size_t offset, int count) {
      check_mpi(MPI_Irecv(bytes + received + offset, count, MPI_BYTE, source, gather_tag, handle_, transfer.add()),
                "MPI_Irecv");
    });
    received += size;
  }
  return transfer.wait(while_waiting);
}

std::int64_t Communicator::sum(std::int64_t value) const {
  return reduce_everywhere(value, MPI_INT64_T, MPI_SUM, handle_);
}

std::vector<std::int64_t> Communicator::sum(std::vector<std::int64_t> values) const {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM, handle_),
            "MPI_Allreduce");
  return values;
}

std::int64_t Communicator::maximum(std::int64_t value) const {
  return reduce_everywhere(value, MPI_INT64_T, MPI_MAX, handle_);
}

std::int64_t Communicator::minimum(std::int64_t value) const {
  return reduce_everywhere(value, MPI_INT64_T, MPI_MIN, handle_);
}

double Communicator::maximum(double value) const {
  return reduce_everywhere(value, MPI_DOUBLE, MPI_MAX, handle_);
}

std::string Communicator::broadcast(const std::string& text, int root) const {
  std::string received = rank_ == root ? text : std::string();
  received.resize(static_cast<std::size_t>(broadcast_count(static_cast<std::int64_t>(received.size()), root)));
  broadcast_bytes(received.data(), received.size(), root);
  return received;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  const std::vector<std::int64_t> lengths = gather(std::vector<std::int64_t>{static_cast<std::int64_t>(text.size())});
  const std::vector<char> characters = gather(std::vector<char>(text.begin(), text.end()));
  std::vector<std::string> texts;
  texts.reserve(lengths.size());
  auto next = characters.begin();
  for (const std::int64_t length : lengths) {
    texts.emplace_back(next, next + length);
    next += length;
  }
  return texts;
}

// Uses point-to-point messages, as MPI libraries implement MPI_Gatherv. MPI_Gatherv itself has int displacements, which
// would limit the total.
void Communicator::gather_bytes(const void* values, std::size_t count, std::size_t size,
                                const std::function<void*(std::size_t)>& allocate) const {
  assert(count <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  const int own_count = static_cast<int>(count);
  std::vector<int> counts(is_root() ? static_cast<std::size_t>(size_) : 0);
  check_mpi(MPI_Gather(&own_count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, handle_), "MPI_Gather");
  const ContiguousType type(size);
  if (!is_root()) {
    if (count > 0) check_mpi(MPI_Send(values, own_count, type.handle(), 0, gather_tag, handle_), "MPI_Send");
    return;
  }
  auto* all = static_cast<std::byte*>(allocate(std::accumulate(counts.begin(), counts.end(), std::size_t{0})));
  if (count > 0) std::copy_n(static_cast<const std::byte*>(values), count * size, all);
  std::vector<MPI_Request> requests;
  std::size_t offset = count * size;
  for (int source = 1; source < size_; ++source) {
    const int expected = counts[static_cast<std::size_t>(source)];
    if (expected == 0) continue;
    check_mpi(MPI_Irecv(all + offset, expected, type.handle(), source, gather_tag, handle_, &requests.emplace_back()),
              "MPI_Irecv");
    offset += static_cast<std::size_t>(expected) * size;
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

std::int64_t Communicator::broadcast_count(std::int64_t count, int root) const {
  check_mpi(MPI_Bcast(&count, 1, MPI_INT64_T, root, handle_), "MPI_Bcast");
  return count;
}

void Communicator::broadcast_bytes(void* data, std::size_t size, int root) const {
  for (std::size_t done = 0; done < size; done += max_message_bytes) {
    const int bytes = static_cast<int>(std::min(max_message_bytes, size - done));
    check_mpi(MPI_Bcast(static_cast<std::byte*>(data) + done, bytes, MPI_BYTE, root, handle_), "MPI_Bcast");
  }
}

}  // namespace sheaf
