/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mean time of the rounds of a loop. Plain C. */
#ifndef TACHO_CYCLE_MEAN_H
#define TACHO_CYCLE_MEAN_H

#include <stdint.h>

#define MAX_NODES 128
#define NONE (-1) /* in place of a latency: does not depend on it */

/* A round makes values of values of the round before: value `to` is ready `after[to][from]` cycles
 * after value `from`, or does not depend on it (NONE). */
struct round_graph {
  unsigned count; /* of values */
  int32_t after[MAX_NODES][MAX_NODES];
};

/* The largest mean of a cycle, in parts, or 0 if there is none (R. M. Karp, Discrete Mathematics
 * 23, 1978). `last` receives a value that the longest cycle leads to, or 0. */
uint64_t largest_cycle_mean(const struct round_graph* graph, unsigned* last);

#endif
