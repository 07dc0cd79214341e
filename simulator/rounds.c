/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the dependences of a round's segments together. */
#include "rounds.h"

#include "cycle_mean.h"

#define REGISTERS FROM_NOTHING

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
  static struct round_graph graph;
  unsigned number[REGISTERS], i, to, from, last;
  uint8_t written[REGISTERS] = {0};
  uint64_t time;
  for (i = 0; i < REGISTERS; ++i) {
    clear(registers[i]);
    registers[i][i] = 0;
  }
  for (i = 0; i < length; ++i) append(registers, &flows[i], (int32_t)load_latency, written);
  graph.count = 0;
  for (i = 0; i < REGISTERS; ++i)
    if (written[i]) number[graph.count++] = i;
  for (to = 0; to < graph.count; ++to)
    for (from = 0; from < graph.count; ++from)
      graph.after[to][from] = registers[number[to]][number[from]];
  time = largest_cycle_mean(&graph, &last);
  return time > PARTS_PER_CYCLE ? (uint32_t)time : PARTS_PER_CYCLE; /* a taken branch a cycle */
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
