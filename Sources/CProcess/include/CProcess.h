#ifndef CPROCESS_H
#define CPROCESS_H

// Wrappers for variadic functions, `environ` and GNU extensions, which Swift cannot use.

extern char **environ;

/// Replaces the environment's list. Other threads may still read the old one, so never free it.
static inline void cprocess_replace_environment(char **list) {
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
}

#if defined(__linux__)
#include <sys/prctl.h>

/// Starts writing a range of a file to the device: sync_file_range(2), SYNC_FILE_RANGE_WRITE. Returns 0,
/// or -1 with errno.
int cprocess_start_writing(int descriptor, long long offset, long long count);

/// A pipe whose ends no child inherits: pipe2(2), O_CLOEXEC. Returns 0, or -1 with errno.
int cprocess_pipe(int ends[2]);

/// Sets whether core dumps and other processes of the same user may contain or read this process's
/// memory: prctl(2), PR_SET_DUMPABLE. Returns 0, or -1 with errno.
static inline int cprocess_set_dumpable(int dumpable) {
  return prctl(PR_SET_DUMPABLE, (unsigned long)dumpable, 0UL, 0UL, 0UL);
}

static inline int cprocess_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL); }

// libcurl's variadic functions, found at run time, for arguments of one type.

/// curl_easy_setopt(3) with a long.
static inline int cprocess_curl_set_long(void *setopt, void *easy, int option, long value) {
  return ((int (*)(void *, int, ...))setopt)(easy, option, value);
}

/// curl_easy_setopt(3) with a pointer to data or to a function.
static inline int cprocess_curl_set_pointer(
    void *setopt, void *easy, int option, const void *value) {
  return ((int (*)(void *, int, ...))setopt)(easy, option, value);
}

/// curl_easy_getinfo(3) of a long.
static inline int cprocess_curl_get_long(void *getinfo, void *easy, int info, long *value) {
  return ((int (*)(void *, int, ...))getinfo)(easy, info, value);
}

/// CURLMsg of curl_multi_info_read(3).
struct cprocess_curl_message {
  int kind;
  void *easy;
  union {
    void *other;
    int result;
  } data;
};
#endif

#endif
