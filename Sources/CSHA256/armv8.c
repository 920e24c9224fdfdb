// The block function with the SHA-256 instructions of ARMv8 processors.
#include "engine.h"

#if CSHA256_HAS_ARMV8

#include <arm_neon.h>

// Only these functions are compiled for processors with the instructions, so that the program as
// a whole still runs on those without. Clang needs to be told nothing where the build asks for the
// instructions anyway, as it does for Apple's processors; GCC's intrinsics want all of `crypto`.
#if !defined(__clang__)
#define ARMV8 __attribute__((target("+crypto")))
#elif defined(__ARM_FEATURE_SHA2) || defined(__ARM_FEATURE_CRYPTO)
#define ARMV8
#else
#define ARMV8 __attribute__((target("sha2")))
#endif
#define INLINE static inline __attribute__((always_inline))

typedef struct {
  uint32x4_t abcd, efgh;
} working;

typedef struct {
  uint32x4_t w[4];
} words;

ARMV8 INLINE working load_state(const uint32_t state[8]) {
  return (working){vld1q_u32(state), vld1q_u32(state + 4)};
}

ARMV8 INLINE void store_state(uint32_t state[8], working v) {
  vst1q_u32(state, v.abcd);
  vst1q_u32(state + 4, v.efgh);
}

// The message's words are big-endian in memory.
ARMV8 INLINE words load_words(const uint8_t *block) {
  words m;
  for (int i = 0; i < 4; i++)
    m.w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * i)));
  return m;
}

// Rounds t to t + 3, whose words are `w`. Both instructions start from the variables as they were
// before the first of the four rounds.
ARMV8 INLINE void rounds(working *v, uint32x4_t w, int t) {
  uint32x4_t sum = vaddq_u32(w, vld1q_u32(csha256_round_constants + t));
  uint32x4_t abcd = v->abcd;
  v->abcd = vsha256hq_u32(abcd, v->efgh, sum);
  v->efgh = vsha256h2q_u32(v->efgh, abcd, sum);
}

// Replaces words t - 16 to t - 13 of the message, which are w[i], with words t to t + 3.
ARMV8 INLINE void advance(words *m, int i) {
  uint32x4_t sum = vsha256su0q_u32(m->w[i], m->w[(i + 1) & 3]);
  m->w[i] = vsha256su1q_u32(sum, m->w[(i + 2) & 3], m->w[(i + 3) & 3]);
}

ARMV8 INLINE void add_state(working *v, working start) {
  v->abcd = vaddq_u32(v->abcd, start.abcd);
  v->efgh = vaddq_u32(v->efgh, start.efgh);
}

#define TARGET ARMV8
#include "lanes.h"

// The 32 hexadecimal characters of four words: each byte's two digits are put side by side, and
// each digit then looks up its character.
ARMV8 INLINE void hex_of_words(uint32x4_t four_words, uint8_t characters[32]) {
  const uint8x16_t alphabet = vld1q_u8((const uint8_t *)"0123456789abcdef");
  uint8x16_t bytes = vrev32q_u8(vreinterpretq_u8_u32(four_words));
  uint8x16_t high = vshrq_n_u8(bytes, 4);
  uint8x16_t low = vandq_u8(bytes, vdupq_n_u8(0x0F));
  vst1q_u8(characters, vqtbl1q_u8(alphabet, vzip1q_u8(high, low)));
  vst1q_u8(characters + 16, vqtbl1q_u8(alphabet, vzip2q_u8(high, low)));
}

ARMV8 static void hex(const uint32_t state[8], uint8_t characters[64]) {
  hex_of_words(vld1q_u32(state), characters);
  hex_of_words(vld1q_u32(state + 4), characters + 32);
}

const csha256_engine csha256_armv8_engine = {one, two, hex};

#endif
