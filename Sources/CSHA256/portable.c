// The block function in plain C, straight from FIPS 180-4: for processors without SHA-256
// instructions, and as what the other paths are tested against.
#include "engine.h"

const uint32_t csha256_initial_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint32_t csha256_round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate(uint32_t x, unsigned bits) { return x >> bits | x << (32 - bits); }

// The functions of FIPS 180-4, 4.1.2. Choose and majority are written with one operation less
// than in the standard; the bits that come out are the same.
static inline uint32_t choose(uint32_t x, uint32_t y, uint32_t z) { return z ^ (x & (y ^ z)); }

static inline uint32_t majority(uint32_t x, uint32_t y, uint32_t z) {
  return (x & y) | (z & (x | y));
}

static inline uint32_t sum0(uint32_t x) { return rotate(x, 2) ^ rotate(x, 13) ^ rotate(x, 22); }

static inline uint32_t sum1(uint32_t x) { return rotate(x, 6) ^ rotate(x, 11) ^ rotate(x, 25); }

static inline uint32_t sigma0(uint32_t x) { return rotate(x, 7) ^ rotate(x, 18) ^ x >> 3; }

static inline uint32_t sigma1(uint32_t x) { return rotate(x, 17) ^ rotate(x, 19) ^ x >> 10; }

// One round. Rather than moving eight variables on, the caller names them one place further each
// time, so only the two that change are written.
#define ROUND(a, b, c, d, e, f, g, h, t)                                                 \
  do {                                                                                   \
    uint32_t sum = h + sum1(e) + choose(e, f, g) + csha256_round_constants[t] + words[t]; \
    d += sum;                                                                            \
    h = sum + sum0(a) + majority(a, b, c);                                               \
  } while (0)

static void schedule(uint32_t words[64], const uint8_t *block) {
  for (int t = 0; t < 16; t++) words[t] = csha256_load32(block + 4 * t);
  for (int t = 16; t < 64; t++)
    words[t] = sigma1(words[t - 2]) + words[t - 7] + sigma0(words[t - 15]) + words[t - 16];
}

static void compress(uint32_t state[8], const uint8_t *block) {
  uint32_t words[64];
  schedule(words, block);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int t = 0; t < 64; t += 8) {
    ROUND(a, b, c, d, e, f, g, h, t);
    ROUND(h, a, b, c, d, e, f, g, t + 1);
    ROUND(g, h, a, b, c, d, e, f, t + 2);
    ROUND(f, g, h, a, b, c, d, e, t + 3);
    ROUND(e, f, g, h, a, b, c, d, t + 4);
    ROUND(d, e, f, g, h, a, b, c, t + 5);
    ROUND(c, d, e, f, g, h, a, b, t + 6);
    ROUND(b, c, d, e, f, g, h, a, t + 7);
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void one(uint32_t state[8], const uint8_t *blocks, size_t count) {
  for (size_t i = 0; i < count; i++) compress(state, blocks + i * CSHA256_BLOCK);
}

// Plain C has its arithmetic units busy with one message already, so two go one after the other.
static void two(uint32_t first[8], const uint8_t *first_blocks, uint32_t second[8],
                const uint8_t *second_blocks, size_t count) {
  one(first, first_blocks, count);
  one(second, second_blocks, count);
}

// The eight hexadecimal characters of a word, the first in the highest byte. The four bits of each
// digit are spread to a byte of their own; then all eight become ASCII at once: digits above nine
// carry into bit four when six is added, and those lie 39 further on, at the letters.
static inline uint64_t hex_of_word(uint32_t word) {
  uint64_t digits = word;
  digits = (digits | digits << 16) & 0x0000FFFF0000FFFF;
  digits = (digits | digits << 8) & 0x00FF00FF00FF00FF;
  digits = (digits | digits << 4) & 0x0F0F0F0F0F0F0F0F;
  uint64_t letters = (digits + 0x0606060606060606) >> 4 & 0x0101010101010101;
  return digits + 0x3030303030303030 + letters * ('a' - '0' - 10);
}

static void hex(const uint32_t state[8], uint8_t characters[64]) {
  for (int i = 0; i < 8; i++) csha256_store64(characters + 8 * i, hex_of_word(state[i]));
}

const csha256_engine csha256_portable_engine = {one, two, hex};
