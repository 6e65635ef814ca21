// A file system without locks, such as NFS without lockd or Lustre without the option flock: flock() fails with the
// error in NO_LOCKS. SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

int flock(int descriptor, int operation) {
  (void)descriptor;
  (void)operation;
  const char* error = getenv("NO_LOCKS");
  errno = error == NULL ? ENOLCK : atoi(error);
  return -1;
}
