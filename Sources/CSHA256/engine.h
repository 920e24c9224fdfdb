// What the files of this target share: the block functions and the numbers they work with.
#ifndef CSHA256_ENGINE_H
#define CSHA256_ENGINE_H

#include "CSHA256.h"

#define CSHA256_BLOCK 64

// Keeps what only this target's files call out of the symbols that programs can link against.
#define CSHA256_HIDDEN __attribute__((visibility("hidden")))

#if defined(__x86_64__) || defined(__i386__)
#define CSHA256_HAS_SHANI 1
#else
#define CSHA256_HAS_SHANI 0
#endif

// The instructions work on the words of a little-endian vector; big-endian ARM keeps to C.
#if defined(__aarch64__) && !defined(__AARCH64EB__)
#define CSHA256_HAS_ARMV8 1
#else
#define CSHA256_HAS_ARMV8 0
#endif

// One implementation. `one` runs whole blocks through a chaining value. `two` does the same for
// two messages at once: each round waits for the round before it, so a processor with SHA-256
// instructions has the time to do another message's rounds in between. `hex` writes a chaining
// value as the digest's hexadecimal characters.
typedef struct {
  void (*one)(uint32_t state[8], const uint8_t *blocks, size_t count);
  void (*two)(uint32_t first[8], const uint8_t *first_blocks, uint32_t second[8],
              const uint8_t *second_blocks, size_t count);
  void (*hex)(const uint32_t state[8], uint8_t hex[64]);
} csha256_engine;

extern CSHA256_HIDDEN const csha256_engine csha256_portable_engine;
#if CSHA256_HAS_SHANI
extern CSHA256_HIDDEN const csha256_engine csha256_shani_engine;
#endif
#if CSHA256_HAS_ARMV8
extern CSHA256_HIDDEN const csha256_engine csha256_armv8_engine;
#endif

// The engine of an available path; ends the process for any other.
CSHA256_HIDDEN const csha256_engine *csha256_engine_of(csha256_path path);

// The engine of the current path.
CSHA256_HIDDEN const csha256_engine *csha256_current_engine(void);

// The initial chaining value (FIPS 180-4, 5.3.3) and the round constants (4.2.2).
extern CSHA256_HIDDEN const uint32_t csha256_initial_state[8];
extern CSHA256_HIDDEN const uint32_t csha256_round_constants[64];

// Ends a message of `length` bytes, the last `used` of which are at the start of `tail` and all
// before them through the block function: adds the padding of FIPS 180-4, 5.1.1 and returns the
// number of blocks that are then in `tail`, which must have room for `used` and nine bytes rounded
// up to whole blocks.
CSHA256_HIDDEN size_t csha256_pad(uint8_t *tail, size_t used, uint64_t length);

static inline uint32_t csha256_load32(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
         (uint32_t)bytes[3];
}

static inline void csha256_store32(uint8_t *bytes, uint32_t word) {
  bytes[0] = (uint8_t)(word >> 24);
  bytes[1] = (uint8_t)(word >> 16);
  bytes[2] = (uint8_t)(word >> 8);
  bytes[3] = (uint8_t)word;
}

static inline void csha256_store64(uint8_t *bytes, uint64_t word) {
  csha256_store32(bytes, (uint32_t)(word >> 32));
  csha256_store32(bytes + 4, (uint32_t)word);
}

#endif
