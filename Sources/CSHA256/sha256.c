// Messages: cutting them into blocks, padding the last one, writing the digest.
#include "engine.h"

#include <string.h>

size_t csha256_pad(uint8_t *tail, size_t used, uint64_t length) {
  size_t blocks = (used + 1 + 8 + CSHA256_BLOCK - 1) / CSHA256_BLOCK;
  size_t end = blocks * CSHA256_BLOCK - 8;
  tail[used] = 0x80;
  memset(tail + used + 1, 0, end - used - 1);
  csha256_store64(tail + end, length * 8);
  return blocks;
}

static void write_digest(const uint32_t state[8], uint8_t digest[32]) {
  for (int i = 0; i < 8; i++) csha256_store32(digest + 4 * i, state[i]);
}

static void digest_through(const csha256_engine *engine, const uint8_t *bytes, size_t count,
                           uint8_t digest[32]) {
  uint32_t state[8];
  uint8_t tail[2 * CSHA256_BLOCK];
  size_t whole = count / CSHA256_BLOCK, rest = count % CSHA256_BLOCK;
  memcpy(state, csha256_initial_state, sizeof state);
  if (whole > 0) engine->one(state, bytes, whole);
  if (rest > 0) memcpy(tail, bytes + whole * CSHA256_BLOCK, rest);
  engine->one(state, tail, csha256_pad(tail, rest, count));
  write_digest(state, digest);
}

void csha256_digest(const void *bytes, size_t count, uint8_t digest[32]) {
  digest_through(csha256_current_engine(), bytes, count, digest);
}

void csha256_digest_with(csha256_path path, const void *bytes, size_t count, uint8_t digest[32]) {
  digest_through(csha256_engine_of(path), bytes, count, digest);
}

// Written in plain C on every path: only the chain's links need it fast, and they call the engine's
// own. So wherever the tests run, they see both.
void csha256_hex(const uint8_t digest[32], uint8_t hex[64]) {
  uint32_t state[8];
  for (int i = 0; i < 8; i++) state[i] = csha256_load32(digest + 4 * i);
  csha256_portable_engine.hex(state, hex);
}
