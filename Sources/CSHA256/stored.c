// Checking many stored links: two lanes, each of which takes the next link when it is done with one.
#include "link.h"

#include <string.h>

typedef struct {
  link_work work;
  // The one of the link's two messages that this lane is at; null when no link is left.
  message *now;
  const uint8_t *hash_hex;
} lane;

typedef struct {
  const uint8_t *bytes;
  const csha256_stored_link *next, *end;
} queue;

static void take(lane *lane, queue *queue) {
  lane->now = NULL;
  if (queue->next == queue->end) return;
  const csha256_stored_link *stored = queue->next++;
  const csha256_link link = {
      queue->bytes + stored->previous_hex, queue->bytes + stored->front,
      stored->body - stored->front, queue->bytes + stored->body, stored->body_end - stored->body};
  begin_link(&lane->work, &link);
  lane->hash_hex = queue->bytes + stored->hash_hex;
  lane->now = &lane->work.body;
}

// Goes on from a message that is through to the link's other one, or to the next link. Returns
// false for a link that is not what it must be.
static bool turn(const csha256_engine *engine, lane *lane, queue *queue) {
  if (has_blocks(lane->now)) return true;
  if (lane->now == &lane->work.body) {
    finish_body(engine, &lane->work);
    lane->now = &lane->work.outer;
    return true;
  }
  uint8_t hex[HEX];
  engine->hex(lane->work.outer.state, hex);
  if (memcmp(hex, lane->hash_hex, HEX) != 0) return false;
  take(lane, queue);
  return true;
}

bool csha256_chain_holds(const uint8_t *bytes, const csha256_stored_link *links, size_t count) {
  const csha256_engine *engine = csha256_current_engine();
  queue queue = {bytes, links, links + count};
  lane a, b;
  take(&a, &queue);
  take(&b, &queue);
  while (a.now && b.now) {
    advance_two(engine, a.now, b.now);
    if (!turn(engine, &a, &queue) || !turn(engine, &b, &queue)) return false;
  }
  lane *last = a.now ? &a : &b;
  while (last->now) {
    advance_one(engine, last->now);
    if (!turn(engine, last, &queue)) return false;
  }
  return true;
}
