/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the dependences of a round's segments together. The mean time of many rounds is the largest
 * mean of the cycles of this graph (R. M. Karp, Discrete Mathematics 23, 1978). */
#include "rounds.h"

#define REGISTERS FROM_NOTHING
#define NONE (-1) /* in place of a latency: does not depend on it */

/* When values are ready: cycles after each register at the start of the round, or NONE. */
typedef int16_t latencies[REGISTERS];

static void clear(int16_t* of) {
  unsigned i;
  for (i = 0; i < REGISTERS; ++i) of[i] = NONE;
}

static void take_later(int16_t* to, const int16_t* other, int32_t more) {
  unsigned i;
  for (i = 0; i < REGISTERS; ++i)
    if (other[i] != NONE && other[i] + more > to[i]) to[i] = (int16_t)(other[i] + more);
}

/* `registers` become what they are behind one more segment. */
static void append(latencies* registers, const struct flow* flow, int32_t load_latency,
                   uint8_t* written) {
  static latencies loaded[MAX_OPERANDS], ends[REGISTERS];
  uint8_t ended[REGISTERS] = {0};
  unsigned i;
  for (i = 0; i < flow->operands; ++i) clear(loaded[i]);
  for (i = 0; i < flow->count; ++i) {
    const struct dependence* const d = &flow->dependences[i];
    int32_t more = d->after;
    int16_t* to;
    if (d->to == TO_BRANCH) continue;
    if (d->to < TO_BRANCH) {
      to = loaded[d->to];
      more += load_latency;
    } else {
      to = ends[d->to - TO_REGISTER];
      if (!ended[d->to - TO_REGISTER]) clear(to);
      ended[d->to - TO_REGISTER] = written[d->to - TO_REGISTER] = 1;
    }
    if (d->from < FROM_NOTHING)
      take_later(to, registers[d->from], more);
    else if (d->from >= FROM_OPERAND)
      take_later(to, loaded[d->from - FROM_OPERAND], more);
  }
  for (i = 0; i < REGISTERS; ++i)
    if (ended[i]) __builtin_memcpy(registers[i], ends[i], sizeof ends[i]);
}

uint32_t rounds_time(const struct flow* flows, uint32_t length, uint64_t load_latency) {
  static latencies registers[REGISTERS];
  static int32_t longest[REGISTERS + 1][REGISTERS]; /* by the number of rounds */
  unsigned number[REGISTERS], n = 0, i, k, to, from;
  uint8_t written[REGISTERS] = {0};
  int64_t largest = PARTS_PER_CYCLE; /* a taken branch a cycle */
  for (i = 0; i < REGISTERS; ++i) {
    clear(registers[i]);
    registers[i][i] = 0;
  }
  for (i = 0; i < length; ++i) append(registers, &flows[i], (int32_t)load_latency, written);
  for (i = 0; i < REGISTERS; ++i)
    if (written[i]) number[n++] = i;
  for (to = 0; to < n; ++to) longest[0][to] = 0;
  for (k = 1; k <= n; ++k)
    for (to = 0; to < n; ++to) {
      longest[k][to] = NONE;
      for (from = 0; from < n; ++from) {
        const int32_t more = registers[number[to]][number[from]];
        if (more != NONE && longest[k - 1][from] != NONE &&
            longest[k - 1][from] + more > longest[k][to])
          longest[k][to] = longest[k - 1][from] + more;
      }
    }
  for (to = 0; to < n; ++to) {
    int64_t least = -1;
    if (longest[n][to] == NONE) continue;
    for (k = 0; k < n; ++k) {
      if (longest[k][to] == NONE) continue;
      const int64_t mean =
          (int64_t)(longest[n][to] - longest[k][to]) * PARTS_PER_CYCLE / (int64_t)(n - k);
      if (least < 0 || mean < least) least = mean;
    }
    if (least > largest) largest = least;
  }
  return (uint32_t)largest;
}

uint64_t rounds_way(const struct segment* const* path, uint32_t length) {
  uint64_t way = 0;
  uint32_t i;
  for (i = 0; i < length; ++i) way = (way ^ path[i]->number) * 0x9e3779b97f4a7c15u;
  return way;
}

uint32_t rounds_end(struct rounds* r) {
  struct flow flows[MAX_ROUND];
  const uint64_t way = rounds_way(r->path, r->length);
  struct known_round* const known = &r->known[way >> KNOWN_SHIFT];
  uint32_t parts = 0, time, i;
  if (known->way != way) {
    known->way = way;
    known->seen = known->carried = 0;
  }
  if (known->seen < SEEN_OFTEN && ++known->seen == SEEN_OFTEN) {
    for (i = 0; i < r->length; ++i) {
      const struct segment* const s = r->path[i];
      flows[i] = (struct flow){dependences_of(s), s->dependences, s->operands};
      parts += s->parts;
    }
    time = rounds_time(flows, r->length, r->load_latency);
    if (time > parts) known->carried = time - parts;
  }
  return known->carried;
}
