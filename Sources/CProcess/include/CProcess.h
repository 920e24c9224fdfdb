#ifndef CPROCESS_H
#define CPROCESS_H

// What Swift cannot call or assign: functions with a variable number of arguments, and `environ`.

extern char **environ;

/// Puts another list in the place of the environment's. Threads that read the old one at the same
/// time go on reading it, so it must not be freed.
static inline void cprocess_replace_environment(char **list) {
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
}

#if defined(__linux__)
#include <sys/prctl.h>

/// Whether the system may write this process's memory to a core dump, and let other processes of the
/// same user read it: prctl(2), PR_SET_DUMPABLE. Returns 0, or -1 with errno.
static inline int cprocess_set_dumpable(int dumpable) {
  return prctl(PR_SET_DUMPABLE, (unsigned long)dumpable, 0UL, 0UL, 0UL);
}

static inline int cprocess_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
#endif

#endif
