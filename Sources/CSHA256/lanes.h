// The order of a block's steps, the same for every kind of SHA-256 instructions. The file that
// includes this has defined what the steps are: `working`, `words`, `load_state`, `store_state`,
// `load_words`, `rounds`, `advance`, `add_state`, INLINE, and TARGET for the functions' attribute.
//
// Everything is written out rather than looped over, so that the words stay in registers. The next
// words are computed behind the rounds that use the present ones: they have time until their turn
// comes, and the rounds, each of which waits for the one before, get the processor first.

TARGET INLINE void sixteen_rounds(working *v, words *m, int t) {
  rounds(v, m->w[0], t);
  advance(m, 0);
  rounds(v, m->w[1], t + 4);
  advance(m, 1);
  rounds(v, m->w[2], t + 8);
  advance(m, 2);
  rounds(v, m->w[3], t + 12);
  advance(m, 3);
}

TARGET INLINE void last_rounds(working *v, const words *m) {
  rounds(v, m->w[0], 48);
  rounds(v, m->w[1], 52);
  rounds(v, m->w[2], 56);
  rounds(v, m->w[3], 60);
}

TARGET static void one(uint32_t state[8], const uint8_t *blocks, size_t count) {
  working v = load_state(state);
  for (size_t block = 0; block < count; block++) {
    const working start = v;
    words m = load_words(blocks + block * CSHA256_BLOCK);
    sixteen_rounds(&v, &m, 0);
    sixteen_rounds(&v, &m, 16);
    sixteen_rounds(&v, &m, 32);
    last_rounds(&v, &m);
    add_state(&v, start);
  }
  store_state(state, v);
}

TARGET INLINE void two_rounds(working *v, const words *m, working *u, const words *n, int i,
                              int t) {
  rounds(v, m->w[i], t + 4 * i);
  rounds(u, n->w[i], t + 4 * i);
}

TARGET INLINE void two_sixteen_rounds(working *v, words *m, working *u, words *n, int t) {
  two_rounds(v, m, u, n, 0, t);
  advance(m, 0);
  advance(n, 0);
  two_rounds(v, m, u, n, 1, t);
  advance(m, 1);
  advance(n, 1);
  two_rounds(v, m, u, n, 2, t);
  advance(m, 2);
  advance(n, 2);
  two_rounds(v, m, u, n, 3, t);
  advance(m, 3);
  advance(n, 3);
}

TARGET INLINE void two_last_rounds(working *v, const words *m, working *u, const words *n) {
  two_rounds(v, m, u, n, 0, 48);
  two_rounds(v, m, u, n, 1, 48);
  two_rounds(v, m, u, n, 2, 48);
  two_rounds(v, m, u, n, 3, 48);
}

TARGET static void two(uint32_t first[8], const uint8_t *first_blocks, uint32_t second[8],
                       const uint8_t *second_blocks, size_t count) {
  working v = load_state(first), u = load_state(second);
  for (size_t block = 0; block < count; block++) {
    const working v_start = v, u_start = u;
    words m = load_words(first_blocks + block * CSHA256_BLOCK);
    words n = load_words(second_blocks + block * CSHA256_BLOCK);
    two_sixteen_rounds(&v, &m, &u, &n, 0);
    two_sixteen_rounds(&v, &m, &u, &n, 16);
    two_sixteen_rounds(&v, &m, &u, &n, 32);
    two_last_rounds(&v, &m, &u, &n);
    add_state(&v, v_start);
    add_state(&u, u_start);
  }
  store_state(first, v);
  store_state(second, u);
}
