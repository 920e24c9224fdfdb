/// SHA-256 (FIPS 180-4) for the hash-chained log.
///
/// The block function is picked at run time: the processor's own SHA-256 instructions where it has
/// them, portable C where it does not. Every path gives the same digests; only the speed differs.
/// Wherever a count is zero, the pointer beside it may be null.
#ifndef CSHA256_H
#define CSHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Hashes one message that lies in memory as a whole.
void csha256_digest(const void *bytes, size_t count, uint8_t digest[32]);

/// Writes a digest as 64 lower-case hexadecimal ASCII characters, with no terminator.
void csha256_hex(const uint8_t digest[32], uint8_t hex[64]);

/// Computes one link of the log's chain:
/// hex(SHA-256(previous_hex || front || hex(SHA-256(body)))), in lower case.
/// `hash_hex` may be the same memory as any of the inputs.
void csha256_chain_link(const uint8_t previous_hex[64], const void *front, size_t front_count,
                        const void *body, size_t body_count, uint8_t hash_hex[64]);

/// Where the parts of a stored link stand, in bytes from some place in memory: the previous hash, the
/// front, the body, which begins at the front's end, and the link's own hash.
typedef struct {
  uint32_t previous_hex;
  uint32_t front;
  uint32_t body;
  uint32_t body_end;
  uint32_t hash_hex;
} csha256_stored_link;

/// Whether each of these links is what it must be. Two are hashed side by side, which takes less
/// time than one after the other where the processor has SHA-256 instructions, and the next link
/// begins as soon as either has ended.
bool csha256_chain_holds(const uint8_t *bytes, const csha256_stored_link *links, size_t count);

/// The implementations of the block function there are.
typedef enum { CSHA256_PORTABLE = 0, CSHA256_SHANI = 1, CSHA256_ARMV8 = 2 } csha256_path;

/// The implementation that every function without a path argument uses in this process.
csha256_path csha256_current_path(void);

/// Whether this build has the implementation and this processor can run it.
bool csha256_path_available(csha256_path path);

/// `csha256_digest` through a named implementation, to test them against each other. Naming one
/// that is not available ends the process, as it would otherwise test something else.
void csha256_digest_with(csha256_path path, const void *bytes, size_t count, uint8_t digest[32]);

#ifdef __cplusplus
}
#endif

#endif
