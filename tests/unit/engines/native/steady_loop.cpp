// Tests that the training loop of the native engine does not allocate memory and makes no system calls. This program
// replaces malloc and related functions to count allocations. To detect system calls, a child process trains under a
// seccomp filter that traps all calls except those needed to exit. Exit code 77: the system permits no such filter.
// SPDX-License-Identifier: MIT
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/synthetic.hpp"
#include "engines/native/native_trainer.hpp"
#include "study/key_defaults.hpp"
#include "support/epochs.hpp"
#include "support/one_training.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"
#include "support/with_categories.hpp"

using namespace sheaf;
using namespace sheaf::test;

// ---- Allocations

namespace {

thread_local bool counting = false;
thread_local std::int64_t allocations = 0;

void note_allocation() {
  if (counting) ++allocations;
}

}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  note_allocation();
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  note_allocation();
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  note_allocation();
  return __libc_realloc(memory, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  note_allocation();
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace {

std::int64_t allocations_of(const std::function<void()>& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

// ---- System calls

#if defined(__x86_64__)
constexpr unsigned machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned machine = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned machine = 0;
#endif

// Traps all system calls of the process except write, exit_group and the return from a signal handler.
bool forbid_system_calls() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof(rules) / sizeof(rules[0]), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int forbidden_call = 3, no_filter = 4;

void report_forbidden_call(int, siginfo_t* info, void*) {
  char text[] = "  system call 000\n";
  for (int end = 17, number = info->si_syscall; end > 14; --end, number /= 10)
    text[end - 1] = static_cast<char>('0' + number % 10);
  const auto written = write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(written < 0 ? 1 : forbidden_call);
}

// Runs `work` in a child process with the filter. Returns 0 if it made no system call, otherwise forbidden_call,
// no_filter or the negative number of the signal that ended the child.
int run_without_system_calls(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction action = {};
    action.sa_sigaction = report_forbidden_call;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, nullptr);
    if (machine == 0 || !forbid_system_calls()) _exit(no_filter);
    work();
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// ---- Trainings

struct Case {
  std::string name;
  Study study = test::regression_study();
  bool has_categories = false;
};

Study base_study(const std::string& model) {
  Study study = test::regression_study();
  study.data = drawn_classes(250, 64, 10);
  study.data.normalize = Normalize::standard;
  study.data.validation = 0.2;
  study.train.loss = LossKind::cross_entropy;
  study.train.batch_size = 32;  // the last batch of the 200 rows is shorter
  study.train.learning_rate = 1e-4;
  study.model.kind = model == "linear" ? ModelKind::linear : ModelKind::mlp;
  if (model == "mlp") study.model.hidden = {33};
  if (model == "categories") {
    study.data.columns = 8;
    study.model.hidden = {33};
    study.model.categories = CategoryEncoding::one_hot;
  }
  if (model == "embedding") study.model.embedding = Embedding::piecewise;
  if (model == "tiles") {
    study.data.rows = 400;
    study.model.hidden = {700, 200};
    study.model.norm = Norm::layer;
    study.train.batch_size = 150;
  }
  return study;
}

// All combinations of optimizer, model and precision, some of them with dropout or gradient clipping.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string model : {"linear", "mlp", "embedding", "categories", "tiles"}) {
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      for (const OptimizerKind optimizer : {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw,
                                            OptimizerKind::rmsprop, OptimizerKind::nadam}) {
        Study study = base_study(model);
        study.train.precision = precision;
        study.train.optimizer = optimizer;
        const auto kind = static_cast<std::size_t>(optimizer);
        study.model.activation = std::vector{Activation::relu, Activation::tanh, Activation::sigmoid, Activation::gelu,
                                             Activation::silu}[kind];
        study.train.loss = std::vector{LossKind::cross_entropy, LossKind::mse, LossKind::bce, LossKind::cross_entropy,
                                       LossKind::mse}[kind];
        study.model.dropout = model != "linear" && optimizer != OptimizerKind::sgd ? 0.25 : 0;
        study.train.momentum = optimizer == OptimizerKind::rmsprop ? 0.5 : 0;
        study.train.clip_norm = optimizer == OptimizerKind::adam ? 0.1 : 0;
        study.train.clip_value = optimizer == OptimizerKind::rmsprop ? 0.01 : 0;
        all.push_back({model + ", " + (precision == Precision::float32 ? "float32" : "float64") + ", optimizer " +
                           std::to_string(kind),
                       study, model == "categories"});
      }
    }
  }
  return all;
}

// Checks that allocations and system calls are detected. Returns false if the system permits no filter.
bool check_instruments(int& failed) {
  const auto allocate_twice = [] {
    void* volatile memory = std::malloc(100);
    std::free(memory);
    ::operator delete(::operator new(100));
  };
  if (allocations_of(allocate_twice) != 2 || allocations_of([] {}) != 0) {
    std::puts("FAILED: allocations are not counted correctly");
    ++failed;
  }
  const int silent = run_without_system_calls([] {});
  if (silent == no_filter) return false;
  std::fputs("The next system call is expected:\n", stderr);
  const int noisy = run_without_system_calls([] { syscall(SYS_getpid); });
  if (silent != 0 || noisy != forbidden_call) {
    std::printf("FAILED: system calls are not trapped correctly: result %d without a call, %d with one\n", silent,
                noisy);
    ++failed;
  }
  return true;
}

void check_case(const Case& one, bool filter, int& failed) {
  const DataSet data = draw_synthetic(one.study.data, 1);
  const OneTraining training(one.study, one.has_categories ? with_categories(data, {0, 4, 0, 30, 2, 0, 7, 0}) : data);
  const auto trainer = make_native_trainer();
  Epochs epochs(*trainer, training.task());
  const auto train = [&](int count) {
    for (int epoch = 0; epoch < count; ++epoch)
      while (!epochs.train(2)) {  // in parts, as a lane trains
      }
  };
  const std::int64_t allocated = allocations_of([&] { train(3); });
  const int end =
      filter ? run_without_system_calls([&] { train(hidden_widths(one.study.model).size() > 1 ? 3 : 200); }) : 0;
  if (allocated != 0 || end != 0 || epochs.steps() == 0) {
    std::printf("FAILED: %s: %ld allocations, system calls: result %d\n", one.name.c_str(),
                static_cast<long>(allocated), end);
    ++failed;
  }
}

}  // namespace

int main() {
  int failed = 0;
  const bool filter = check_instruments(failed);
  const auto all = cases();
  for (const Case& one : all) check_case(one, filter, failed);
  std::printf("%zu trainings, %d failed\n", all.size(), failed);
  if (failed > 0) return 1;
  if (filter) return 0;
  std::puts("System calls were not checked: this system permits no seccomp filter.");
  return 77;
}
