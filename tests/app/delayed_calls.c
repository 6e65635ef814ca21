/* A library to preload. It delays calls that create, rename, lock or remove files by a random time, so that jobs that
 * start together interleave in many orders. It acts only on paths that contain $DELAYED_PATH. Before the first such
 * call a process creates the file $DELAYED_GATE.<process> and waits until the file $DELAYED_GATE exists. The test
 * creates that file when all processes have arrived. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { most_milliseconds = 20 };

static void sleep_milliseconds(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static int (*next_open(void))(const char*, int, ...) {
  static int (*next)(const char*, int, ...);
  if (next == NULL) next = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  return next;
}

static void wait_at_gate(void) {
  const char* gate = getenv("DELAYED_GATE");
  char own[PATH_MAX];
  if (gate == NULL) return;
  snprintf(own, sizeof own, "%s.%d", gate, (int)getpid());
  const int file = next_open()(own, O_WRONLY | O_CREAT, 0666);
  if (file >= 0) close(file);
  while (access(gate, F_OK) != 0) sleep_milliseconds(1);
}

static void delay(const char* path) {
  static int arrived;
  static unsigned seed;
  const char* marked = getenv("DELAYED_PATH");
  if (marked == NULL || path == NULL || strstr(path, marked) == NULL) return;
  if (!arrived) {
    arrived = 1;
    wait_at_gate();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = (unsigned)now.tv_nsec ^ (unsigned)getpid();
  }
  sleep_milliseconds(rand_r(&seed) % (most_milliseconds + 1));
}

static int delayed_open(const char* path, int flags, va_list more) {
  const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
  delay(path);
  return next_open()(path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = delayed_open(path, flags, more);
  va_end(more);
  return file;
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int file = delayed_open(path, flags | O_LARGEFILE, more);
  va_end(more);
  return file;
}

int rename(const char* from, const char* to) {
  delay(to);
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}

int mkdir(const char* path, mode_t mode) {
  delay(path);
  return ((int (*)(const char*, mode_t))dlsym(RTLD_NEXT, "mkdir"))(path, mode);
}

int unlink(const char* path) {
  delay(path);
  return ((int (*)(const char*))dlsym(RTLD_NEXT, "unlink"))(path);
}

int rmdir(const char* path) {
  delay(path);
  return ((int (*)(const char*))dlsym(RTLD_NEXT, "rmdir"))(path);
}

int flock(int file, int operation) {
  char link[64], path[PATH_MAX] = {0};
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof path - 1) > 0) delay(path);
  return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, operation);
}
