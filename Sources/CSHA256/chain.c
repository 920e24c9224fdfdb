// The links of the log's chain, one alone and two side by side.
#include "link.h"

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
