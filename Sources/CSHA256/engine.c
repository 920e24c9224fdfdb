// Which implementation this processor can run, found out once.
#include "engine.h"

#include <stdatomic.h>
#include <stdlib.h>

#if CSHA256_HAS_SHANI
#include <cpuid.h>
#endif
#if CSHA256_HAS_ARMV8 && defined(__linux__)
#include <sys/auxv.h>
#endif

#if CSHA256_HAS_SHANI

// The block function uses SSSE3 and SSE4.1 beside the SHA extensions, so all three must be there.
static bool processor_has_shani(void) {
  const unsigned ssse3 = 1u << 9, sse41 = 1u << 19, sha = 1u << 29;
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  if ((c & ssse3) == 0 || (c & sse41) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & sha) != 0;
}

#endif
#if CSHA256_HAS_ARMV8

static bool processor_has_armv8(void) {
#if defined(__APPLE__)
  // Every 64-bit ARM processor Apple has shipped has the instructions.
  return true;
#elif defined(__linux__)
  // HWCAP_SHA2 of the kernel's interface, by value: not every C library's headers name it.
  const unsigned long sha2 = 1ul << 6;
  return (getauxval(AT_HWCAP) & sha2) != 0;
#else
  return false;
#endif
}

#endif

static csha256_path detect(void) {
#if CSHA256_HAS_SHANI
  if (processor_has_shani()) return CSHA256_SHANI;
#endif
#if CSHA256_HAS_ARMV8
  if (processor_has_armv8()) return CSHA256_ARMV8;
#endif
  return CSHA256_PORTABLE;
}

// Asking the processor is slow, all the more under a hypervisor, so the answer is kept. Threads
// that come first at the same time each ask and store the same answer, so nothing orders them.
csha256_path csha256_current_path(void) {
  static atomic_int known = -1;
  int path = atomic_load_explicit(&known, memory_order_relaxed);
  if (path < 0) {
    path = (int)detect();
    atomic_store_explicit(&known, path, memory_order_relaxed);
  }
  return (csha256_path)path;
}

// A processor has at most one of the accelerated paths, and then it is the current one.
bool csha256_path_available(csha256_path path) {
  return path == CSHA256_PORTABLE || path == csha256_current_path();
}

const csha256_engine *csha256_engine_of(csha256_path path) {
  if (!csha256_path_available(path)) abort();
  switch (path) {
#if CSHA256_HAS_SHANI
    case CSHA256_SHANI: return &csha256_shani_engine;
#endif
#if CSHA256_HAS_ARMV8
    case CSHA256_ARMV8: return &csha256_armv8_engine;
#endif
    default: return &csha256_portable_engine;
  }
}

const csha256_engine *csha256_current_engine(void) {
  return csha256_engine_of(csha256_current_path());
}
