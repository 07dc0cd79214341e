/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops on an out-of-order core. A round needs values of the round before, so rounds can take
 * longer than their instructions need to issue. Plain C. */
#ifndef TACHO_ROUNDS_H
#define TACHO_ROUNDS_H

#include "trace.h"

#define MAX_ROUND 32 /* segments of a round; longer rounds are taken as independent */
#define KNOWN_ROUNDS 4096
#define KNOWN_SHIFT 52 /* of a way, to its place among them */
#define SEEN_OFTEN 16  /* from its 16th execution on, a round's time is known */

/* The way of a round, by the numbers of its segments. */
struct known_round {
  uint64_t way;
  uint32_t seen;    /* up to SEEN_OFTEN */
  uint32_t carried; /* time for which it waits for the round before, in parts */
};

struct rounds {
  uint64_t load_latency;                 /* cycles */
  const struct segment* path[MAX_ROUND]; /* since the last branch backward */
  uint32_t length;                       /* MAX_ROUND + 1: it is longer */
  /* By the highest bits of `way`. Two ways with the same highest bits replace each other. */
  struct known_round known[KNOWN_ROUNDS];
};

/* The dependences of a segment. */
struct flow {
  const struct dependence* dependences;
  uint32_t count, operands;
};

/* The mean time, in parts, that a round takes which executes such segments one after the other, if
 * only dependences bound it. */
uint32_t rounds_time(const struct flow* flows, uint32_t length, uint64_t load_latency);

/* A number for the way of a round. */
uint64_t rounds_way(const struct segment* const* path, uint32_t length);

/* The time for which the round waits that has just ended. */
uint32_t rounds_end(struct rounds* rounds);

/* Control goes from a segment to another one. Returns the time for which it waits, if this ends a
 * round of a loop. */
static inline uint32_t rounds_follow(struct rounds* r, const struct segment* from,
                                     const struct segment* to) {
  uint32_t carried = 0;
  if (from->address == to->address) {
    carried = to->carried;
    r->length = 0;
  } else if ((from->leave == LEAVE_CONDITIONAL || from->leave == LEAVE_DIRECT) &&
             to->address <= from->branch) {
    if (r->length && r->length <= MAX_ROUND && r->path[0] == to) carried = rounds_end(r);
    r->length = 0;
  }
  if (r->length < MAX_ROUND)
    r->path[r->length++] = to;
  else
    r->length = MAX_ROUND + 1;
  return carried;
}

#endif
