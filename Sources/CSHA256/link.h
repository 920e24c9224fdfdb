// A link on its way through the block function. A link is two messages: the body, and an outer one
// that ends with the body's hash in hexadecimal. The outer message's first blocks need nothing of the
// body, so even one link has work for two messages at once.
#ifndef CSHA256_LINK_H
#define CSHA256_LINK_H

#include "engine.h"

#include <string.h>

#define HEX 64

// What one link of the chain is computed from: the arguments of `csha256_chain_link`.
typedef struct {
  const uint8_t *previous_hex;
  const void *front;
  size_t front_count;
  const void *body;
  size_t body_count;
} csha256_link;

// Whole blocks that lie one after the other in memory.
typedef struct {
  const uint8_t *blocks;
  size_t count;
} run;

// A message on its way through the block function: what is left of it is runs[next] up to, but
// not including, runs[end]. None of those is empty.
typedef struct {
  uint32_t state[8];
  run runs[3];
  unsigned next, end;
} message;

// A link's two messages, and the padded ends of both: the bytes that fill no block, and in the
// outer one's case the body's hash, for which room is left at `body_hex`.
typedef struct {
  message body, outer;
  uint8_t *body_hex;
  size_t outer_tail_blocks;
  uint8_t body_tail[2 * CSHA256_BLOCK];
  uint8_t outer_tail[3 * CSHA256_BLOCK];
} link_work;

static inline void begin(message *m) {
  memcpy(m->state, csha256_initial_state, sizeof m->state);
  m->next = m->end = 0;
}

static inline void append(message *m, const uint8_t *blocks, size_t count) {
  if (count > 0) m->runs[m->end++] = (run){blocks, count};
}

static inline bool has_blocks(const message *m) { return m->next < m->end; }

// Appends the whole blocks of `bytes` and copies the rest to `tail`; returns the rest's size.
static inline size_t append_bytes(message *m, const uint8_t *bytes, size_t count, uint8_t *tail) {
  size_t whole = count / CSHA256_BLOCK, rest = count % CSHA256_BLOCK;
  append(m, bytes, whole);
  if (rest > 0) memcpy(tail, bytes + whole * CSHA256_BLOCK, rest);
  return rest;
}

static inline void begin_link(link_work *work, const csha256_link *link) {
  begin(&work->body);
  size_t rest = append_bytes(&work->body, link->body, link->body_count, work->body_tail);
  append(&work->body, work->body_tail, csha256_pad(work->body_tail, rest, link->body_count));

  begin(&work->outer);
  append(&work->outer, link->previous_hex, HEX / CSHA256_BLOCK);
  rest = append_bytes(&work->outer, link->front, link->front_count, work->outer_tail);
  work->body_hex = work->outer_tail + rest;
  uint64_t length = (uint64_t)HEX + link->front_count + HEX;
  work->outer_tail_blocks = csha256_pad(work->outer_tail, rest + HEX, length);
}

// Once the body is through, the outer message's end can follow.
static inline void finish_body(const csha256_engine *engine, link_work *work) {
  engine->hex(work->body.state, work->body_hex);
  append(&work->outer, work->outer_tail, work->outer_tail_blocks);
}

static inline void skip(message *m, size_t count) {
  run *now = &m->runs[m->next];
  now->blocks += count * CSHA256_BLOCK;
  now->count -= count;
  if (now->count == 0) m->next++;
}

static inline void advance_one(const csha256_engine *engine, message *m) {
  const run now = m->runs[m->next];
  engine->one(m->state, now.blocks, now.count);
  m->next++;
}

static inline void advance_two(const csha256_engine *engine, message *m, message *n) {
  const run first = m->runs[m->next], second = n->runs[n->next];
  size_t count = first.count < second.count ? first.count : second.count;
  engine->two(m->state, first.blocks, n->state, second.blocks, count);
  skip(m, count);
  skip(n, count);
}

// Takes two messages forward side by side for as long as both have blocks.
static inline void advance_both(const csha256_engine *engine, message *m, message *n) {
  while (has_blocks(m) && has_blocks(n)) advance_two(engine, m, n);
}

static inline void advance_alone(const csha256_engine *engine, message *m) {
  while (has_blocks(m)) advance_one(engine, m);
}

#endif
