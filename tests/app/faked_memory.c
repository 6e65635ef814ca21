/* A library that settled.py preloads. It replaces the memory of the machine, sysconf(_SC_PHYS_PAGES), by FAKED_MEMORY
   (KiB) for calls from the program itself, not from libraries. With FAKED_HOLD set, such a call first creates the file
   $FAKED_HOLD.reached and waits until the file $FAKED_HOLD exists.
   SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int called_by_program(const void* caller) {
  Dl_info object;
  const char* name = dladdr(caller, &object) != 0 ? strrchr(object.dli_fname, '/') : NULL;
  return name != NULL ? strcmp(name, "/sheaf") == 0 : 1;
}

static void hold(const char* path) {
  char reached[4096];
  snprintf(reached, sizeof reached, "%s.reached", path);
  close(open(reached, O_WRONLY | O_CREAT, 0644));
  while (access(path, F_OK) != 0) usleep(10000);
}

long sysconf(int name) {
  static long (*real)(int);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "sysconf");
  if (name != _SC_PHYS_PAGES || !called_by_program(__builtin_return_address(0))) return real(name);
  const char* until = getenv("FAKED_HOLD");
  if (until != NULL) hold(until);
  const char* kibibytes = getenv("FAKED_MEMORY");
  return kibibytes != NULL ? atol(kibibytes) * 1024 / real(_SC_PAGESIZE) : real(name);
}
