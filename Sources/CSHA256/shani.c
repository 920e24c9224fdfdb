// The block function with the SHA-256 instructions of x86 processors.
#include "engine.h"

#if CSHA256_HAS_SHANI

#include <immintrin.h>

// Only these functions are compiled for processors with the instructions, so that the program as
// a whole still runs on those without.
#define SHANI __attribute__((target("sha,sse4.1,ssse3")))
#define INLINE static inline __attribute__((always_inline))

// The instructions keep the eight working variables in two registers, in this order from the
// highest word down, and take the message's words from four more.
typedef struct {
  __m128i abef, cdgh;
} working;

typedef struct {
  __m128i w[4];
} words;

SHANI INLINE working load_state(const uint32_t state[8]) {
  __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1);
  __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  return (working){_mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xF0)};
}

SHANI INLINE void store_state(uint32_t state[8], working v) {
  __m128i feba = _mm_shuffle_epi32(v.abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(v.cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

SHANI INLINE __m128i swap_bytes(__m128i four_words) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(four_words, order);
}

// The message's words are big-endian in memory.
SHANI INLINE words load_words(const uint8_t *block) {
  words m;
  for (int i = 0; i < 4; i++)
    m.w[i] = swap_bytes(_mm_loadu_si128((const __m128i *)block + i));
  return m;
}

// Rounds t to t + 3, whose words are `w`. An instruction does two rounds; what it leaves in the
// one register is the new half of the variables, and the half that was new becomes the old one.
SHANI INLINE void rounds(working *v, __m128i w, int t) {
  __m128i sum = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(csha256_round_constants + t)));
  v->cdgh = _mm_sha256rnds2_epu32(v->cdgh, v->abef, sum);
  v->abef = _mm_sha256rnds2_epu32(v->abef, v->cdgh, _mm_shuffle_epi32(sum, 0x0E));
}

// The four words that follow sixteen: `a` the oldest four, `d` the newest.
SHANI INLINE __m128i next_words(__m128i a, __m128i b, __m128i c, __m128i d) {
  __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4));
  return _mm_sha256msg2_epu32(sum, d);
}

// Replaces words t - 16 to t - 13 of the message, which are w[i], with words t to t + 3.
SHANI INLINE void advance(words *m, int i) {
  m->w[i] = next_words(m->w[i], m->w[(i + 1) & 3], m->w[(i + 2) & 3], m->w[(i + 3) & 3]);
}

SHANI INLINE void add_state(working *v, working start) {
  v->abef = _mm_add_epi32(v->abef, start.abef);
  v->cdgh = _mm_add_epi32(v->cdgh, start.cdgh);
}

#define TARGET SHANI
#include "lanes.h"

// The 32 hexadecimal characters of four words: each byte's two digits are put side by side, and
// each digit then looks up its character.
SHANI INLINE void hex_of_words(__m128i four_words, uint8_t characters[32]) {
  const __m128i alphabet = _mm_loadu_si128((const __m128i *)"0123456789abcdef");
  const __m128i low_digit = _mm_set1_epi8(0x0F);
  __m128i bytes = swap_bytes(four_words);
  __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), low_digit);
  __m128i low = _mm_and_si128(bytes, low_digit);
  __m128i start = _mm_shuffle_epi8(alphabet, _mm_unpacklo_epi8(high, low));
  __m128i end = _mm_shuffle_epi8(alphabet, _mm_unpackhi_epi8(high, low));
  _mm_storeu_si128((__m128i *)characters, start);
  _mm_storeu_si128((__m128i *)(characters + 16), end);
}

SHANI static void hex(const uint32_t state[8], uint8_t characters[64]) {
  hex_of_words(_mm_loadu_si128((const __m128i *)state), characters);
  hex_of_words(_mm_loadu_si128((const __m128i *)(state + 4)), characters + 32);
}

const csha256_engine csha256_shani_engine = {one, two, hex};

#endif
