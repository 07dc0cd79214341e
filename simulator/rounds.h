/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bounds the time of a segment on an out-of-order core: its units, and the results that each
 * round of a loop needs of the round before. The longest time of the rounds is the largest mean of
 * the cycles of a graph, whose nodes are registers and whose edges are latencies (R. M. Karp,
 * Discrete Mathematics 23, 1978). Plain C without Valgrind. A header, so that REGISTERS can be the
 * number of registers that its user follows. */
#ifndef TACHO_ROUNDS_H
#define TACHO_ROUNDS_H

#include "op_class.h"
#include "trace.h"

#define MAX_WRITTEN (REGISTERS < 64 ? REGISTERS : 64) /* by a segment; more are not followed */
#define MAX_LOADS 64                                  /* of a segment; more are not followed */
#define INDEPENDENT (-1) /* in place of a latency: does not depend on it */

/* What a value depends on. */
struct origin {
  int after[REGISTERS]; /* cycles after each register's value at the segment's start, or INDEPENDENT
                         */
  uint64_t loads;       /* a bit for each load of the segment */
};

struct load {
  unsigned operand;
  struct origin address;
};

/* The registers that the segment writes, and what each depends on at its end. */
struct round {
  unsigned count;
  unsigned number[MAX_WRITTEN];
  struct origin end[MAX_WRITTEN];
};

static void origin_clear(struct origin* o) {
  unsigned i;
  for (i = 0; i < REGISTERS; ++i) o->after[i] = INDEPENDENT;
  o->loads = 0;
}

/* The latest of both, the second one after `cycles`. */
static void origin_take_later(struct origin* to, const struct origin* other, int cycles) {
  unsigned i;
  for (i = 0; i < REGISTERS; ++i)
    if (other->after[i] != INDEPENDENT && other->after[i] + cycles > to->after[i])
      to->after[i] = other->after[i] + cycles;
  to->loads |= other->loads;
}

static void take_longer(uint32_t* parts, uint64_t uses, uint64_t units) {
  const uint32_t taken = (uint32_t)(uses * PARTS_PER_CYCLE / units);
  if (taken > *parts) *parts = taken;
}

/* Makes the time of a segment at least that of its busiest units. It has so many loads and stores,
 * and so many instructions of each class. */
static void bound_by_units(uint32_t* parts, const struct model* m, unsigned loads, unsigned stores,
                           const unsigned counts[OP_CLASSES]) {
  take_longer(parts, loads, m->units.loads);
  take_longer(parts, stores, m->units.stores);
  take_longer(parts, counts[OP_MULTIPLY], m->units.multiply);
  take_longer(parts, counts[OP_FLOAT_ADD] + counts[OP_FLOAT_MULTIPLY], m->units.floats);
  take_longer(parts, counts[OP_DIVIDE] * m->units.divide_cycles, 1);
  take_longer(parts, counts[OP_FLOAT_DIVIDE] * m->units.float_divide_cycles, 1);
}

/* The mean time of a round, in parts: the largest mean of a cycle of dependences. `last` receives
 * the place of a register of it, unless the time is 0. */
static uint32_t time_of_round(const struct round* r, unsigned* last) {
  static int64_t longest[MAX_WRITTEN + 1]
                        [MAX_WRITTEN]; /* of paths of so many rounds to each register */
  const unsigned n = r->count;
  uint32_t time = 0;
  unsigned k, to, from;
  for (to = 0; to < n; ++to) longest[0][to] = 0;
  for (k = 1; k <= n; ++k)
    for (to = 0; to < n; ++to) {
      longest[k][to] = INDEPENDENT;
      for (from = 0; from < n; ++from) {
        const int after = r->end[to].after[r->number[from]];
        if (after != INDEPENDENT && longest[k - 1][from] != INDEPENDENT &&
            longest[k - 1][from] + after > longest[k][to])
          longest[k][to] = longest[k - 1][from] + after;
      }
    }
  for (to = 0; to < n; ++to) {
    int64_t least = -1;
    if (longest[n][to] == INDEPENDENT) continue;
    for (k = 0; k < n; ++k) {
      if (longest[k][to] == INDEPENDENT) continue;
      const int64_t mean = (longest[n][to] - longest[k][to]) * PARTS_PER_CYCLE / (int64_t)(n - k);
      if (least < 0 || mean < least) least = mean;
    }
    if (least > (int64_t)time) {
      time = (uint32_t)least;
      *last = to;
    }
  }
  return time;
}

/* Marks each load whose address depends on a value that it has loaded in an earlier round. */
static void mark_chains(const struct round* r, const struct load* loads, unsigned load_count,
                        uint16_t* codes) {
  uint64_t reached[MAX_WRITTEN]; /* the registers that each one depends on after some rounds */
  unsigned i, from, to;
  for (to = 0; to < r->count; ++to) {
    reached[to] = 1ull << to;
    for (from = 0; from < r->count; ++from)
      if (r->end[to].after[r->number[from]] != INDEPENDENT) reached[to] |= 1ull << from;
  }
  for (i = 0; i < r->count; ++i)
    for (to = 0; to < r->count; ++to)
      if (reached[to] >> i & 1) reached[to] |= reached[i];
  for (i = 0; i < load_count; ++i) {
    uint64_t loaded = 0, needed = 0;
    for (to = 0; to < r->count; ++to) {
      if (r->end[to].loads >> i & 1) loaded |= 1ull << to;
      if (loads[i].address.after[r->number[to]] != INDEPENDENT) needed |= reached[to];
    }
    if (loaded & needed) codes[loads[i].operand] |= OPERAND_CHAINED;
  }
}

#endif
