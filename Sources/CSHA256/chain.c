// One link of the log's chain.
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
