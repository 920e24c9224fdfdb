#ifndef CPROCESS_H
#define CPROCESS_H

// Wrappers for variadic functions and `environ`, which Swift can neither call nor assign.

extern char **environ;

/// Replaces the environment's list. Other threads may still read the old one, so never free it.
static inline void cprocess_replace_environment(char **list) {
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
}

#if defined(__linux__)
#include <sys/prctl.h>

/// Sets whether core dumps and other processes of the same user may contain or read this process's
/// memory: prctl(2), PR_SET_DUMPABLE. Returns 0, or -1 with errno.
static inline int cprocess_set_dumpable(int dumpable) {
  return prctl(PR_SET_DUMPABLE, (unsigned long)dumpable, 0UL, 0UL, 0UL);
}

static inline int cprocess_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }
#endif

#endif
