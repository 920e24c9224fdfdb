// The links of the log's chain. A link is two messages: the body, and an outer one that ends with
// the body's hash in hexadecimal. The outer message's first blocks need nothing of the body, so
// even one link has work for two messages at once.
#include "engine.h"

#include <string.h>

#define HEX 64

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

static void begin(message *m) {
  memcpy(m->state, csha256_initial_state, sizeof m->state);
  m->next = m->end = 0;
}

static void append(message *m, const uint8_t *blocks, size_t count) {
  if (count > 0) m->runs[m->end++] = (run){blocks, count};
}

static bool has_blocks(const message *m) { return m->next < m->end; }

// Appends the whole blocks of `bytes` and copies the rest to `tail`; returns the rest's size.
static size_t append_bytes(message *m, const uint8_t *bytes, size_t count, uint8_t *tail) {
  size_t whole = count / CSHA256_BLOCK, rest = count % CSHA256_BLOCK;
  append(m, bytes, whole);
  if (rest > 0) memcpy(tail, bytes + whole * CSHA256_BLOCK, rest);
  return rest;
}

static void begin_link(link_work *work, const csha256_link *link) {
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
static void finish_body(const csha256_engine *engine, link_work *work) {
  engine->hex(work->body.state, work->body_hex);
  append(&work->outer, work->outer_tail, work->outer_tail_blocks);
}

static void skip(message *m, size_t count) {
  run *now = &m->runs[m->next];
  now->blocks += count * CSHA256_BLOCK;
  now->count -= count;
  if (now->count == 0) m->next++;
}

static void advance_one(const csha256_engine *engine, message *m) {
  const run now = m->runs[m->next];
  engine->one(m->state, now.blocks, now.count);
  m->next++;
}

static void advance_two(const csha256_engine *engine, message *m, message *n) {
  const run first = m->runs[m->next], second = n->runs[n->next];
  size_t count = first.count < second.count ? first.count : second.count;
  engine->two(m->state, first.blocks, n->state, second.blocks, count);
  skip(m, count);
  skip(n, count);
}

// Takes two messages forward side by side for as long as both have blocks.
static void advance_both(const csha256_engine *engine, message *m, message *n) {
  while (has_blocks(m) && has_blocks(n)) advance_two(engine, m, n);
}

static void advance_alone(const csha256_engine *engine, message *m) {
  while (has_blocks(m)) advance_one(engine, m);
}

void csha256_chain_link(const uint8_t previous_hex[64], const void *front, size_t front_count,
                        const void *body, size_t body_count, uint8_t hash_hex[64]) {
  const csha256_engine *engine = csha256_current_engine();
  const csha256_link link = {previous_hex, front, front_count, body, body_count};
  link_work work;
  begin_link(&work, &link);
  advance_both(engine, &work.body, &work.outer);
  advance_alone(engine, &work.body);
  finish_body(engine, &work);
  advance_alone(engine, &work.outer);
  engine->hex(work.outer.state, hash_hex);
}

void csha256_chain_links2(const csha256_link *first, const csha256_link *second,
                          uint8_t first_hash_hex[64], uint8_t second_hash_hex[64]) {
  const csha256_engine *engine = csha256_current_engine();
  link_work a, b;
  begin_link(&a, first);
  begin_link(&b, second);
  advance_both(engine, &a.body, &b.body);
  // One body may be left over: the longer one. The shorter one's link is ready to go on to its
  // end beside it, and after that the longer one's own outer blocks.
  link_work *longer = has_blocks(&a.body) ? &a : &b;
  link_work *shorter = longer == &a ? &b : &a;
  finish_body(engine, shorter);
  advance_both(engine, &longer->body, &shorter->outer);
  advance_both(engine, &longer->body, &longer->outer);
  advance_alone(engine, &longer->body);
  finish_body(engine, longer);
  advance_both(engine, &longer->outer, &shorter->outer);
  advance_alone(engine, &longer->outer);
  advance_alone(engine, &shorter->outer);
  engine->hex(a.outer.state, first_hash_hex);
  engine->hex(b.outer.state, second_hash_hex);
}
