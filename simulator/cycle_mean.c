/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Karp's algorithm. */
#include "cycle_mean.h"

#include "trace.h"

uint64_t largest_cycle_mean(const struct round_graph* g, unsigned* last) {
  static int64_t longest[MAX_NODES + 1][MAX_NODES]; /* of paths of so many rounds to each value */
  const unsigned n = g->count;
  unsigned k, to, from;
  int64_t largest = 0;
  *last = 0;
  for (to = 0; to < n; ++to) longest[0][to] = 0;
  for (k = 1; k <= n; ++k)
    for (to = 0; to < n; ++to) {
      longest[k][to] = NONE;
      for (from = 0; from < n; ++from) {
        const int32_t after = g->after[to][from];
        if (after != NONE && longest[k - 1][from] != NONE &&
            longest[k - 1][from] + after > longest[k][to])
          longest[k][to] = longest[k - 1][from] + after;
      }
    }
  for (to = 0; to < n; ++to) {
    int64_t least = -1;
    if (longest[n][to] == NONE) continue;
    for (k = 0; k < n; ++k) {
      if (longest[k][to] == NONE) continue;
      const int64_t mean =
          (longest[n][to] - longest[k][to]) * (int64_t)PARTS_PER_CYCLE / (int64_t)(n - k);
      if (least < 0 || mean < least) least = mean;
    }
    if (least > largest) {
      largest = least;
      *last = to;
    }
  }
  return (uint64_t)largest;
}
