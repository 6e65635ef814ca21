/* A library to preload that simulates a stalled disk. While the file $STALLED_GATE exists, calls that create or sync
 * files wait if their path contains $STALLED_PATH. The first such call creates the file $STALLED_GATE.waiting. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int next_open(const char* path, int flags, mode_t mode) {
  return ((int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}

static void stall(const char* path) {
  const struct timespec pause = {0, 10000000};
  const char* stalled = getenv("STALLED_PATH");
  const char* gate = getenv("STALLED_GATE");
  char waiting[PATH_MAX];
  if (stalled == NULL || gate == NULL || strstr(path, stalled) == NULL || access(gate, F_OK) != 0) return;
  snprintf(waiting, sizeof waiting, "%s.waiting", gate);
  const int file = next_open(waiting, O_WRONLY | O_CREAT, 0666);
  if (file >= 0) close(file);
  while (access(gate, F_OK) == 0) nanosleep(&pause, NULL);
}

static void stall_descriptor(int file) {
  char link[64], path[PATH_MAX] = {0};
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof path - 1) > 0) stall(path);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & O_CREAT ? (mode_t)va_arg(more, int) : 0;
  va_end(more);
  if (flags & O_CREAT) stall(path);
  return next_open(path, flags, mode);
}

int fsync(int file) {
  stall_descriptor(file);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  stall_descriptor(file);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(file);
}
