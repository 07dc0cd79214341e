/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predicts the directions of branches by histories of several lengths (TAGE: A. Seznec, P. Michaud,
 * Journal of Instruction-Level Parallelism 8, 2006), and by a loop predictor beside it (L-TAGE:
 * A. Seznec, JILP 9, 2007). docs/explanation/simulator.md, "Branch prediction". Plain C. */
#ifndef TACHO_TAGE_H
#define TACHO_TAGE_H

#include "cache.h" /* allocate_fn */

#define HISTORY_WORDS (MAX_HISTORY / 64)
#define MOST_TURNS 16383u /* of a loop: 14 bits (L-TAGE) */
#define FEWEST_TURNS 3u   /* shorter loops are left to the histories (L-TAGE) */
#define SURE 3u           /* equal loops until a loop is predicted: 2 bits (L-TAGE) */
#define OLDEST 7u         /* failed allocations until a loop's entry is replaced */

/* States of a branch that has gone only one way: it is predicted to do so again, and is in no
 * history (AMD, Software Optimization Guide for Family 19h, conditional branch predictor). A branch
 * that was never seen is predicted not to be taken. The other states are 2-bit counters. */
enum { NEVER_SEEN = 4, NEVER_TAKEN, ALWAYS_TAKEN };

/* An entry of a table for one length of history. */
struct tagged {
  uint16_t tag;    /* 0: it is empty */
  uint8_t counter; /* 0 to 7; 4 and more: taken */
  uint8_t useful;  /* 0 to 3; 0: it can be replaced */
};

/* A branch that goes one way for some turns, then once the other way. */
struct loop {
  uint64_t branch; /* its address, or NO_BRANCH */
  uint32_t turns;  /* of the last whole loop; 0: not known */
  uint32_t now;    /* turns so far of this loop */
  uint8_t stays;   /* the way that it goes in each turn: 1 if the branch is taken */
  uint8_t sure;    /* how many loops in a row had as many turns; SURE: it is predicted */
  uint8_t age;
};

struct tage {
  uint8_t* base; /* a 2-bit counter or another state for each place; 0: there is no TAGE */
  uint64_t base_mask;
  struct tagged* tables[MAX_HISTORIES]; /* by length of history, the shortest first */
  uint32_t count;                       /* of tables */
  uint32_t shift;                       /* of a hash, to an index of `tables` */
  uint64_t history[HISTORY_WORDS];      /* the latest branch in the lowest bit: 1 if taken */
  uint64_t masks[MAX_HISTORIES][HISTORY_WORDS];
  uint32_t
      prefer_other;   /* 0 to 15; 8 and more: the longest history's entry is not trusted if new */
  struct loop* loops; /* by address; 0: there is no loop predictor */
  uint64_t loops_mask;
};

void tage_init(struct tage* t, const struct model* m, allocate_fn allocate);

/* Whether a branch that has gone both ways is mispredicted. Sets `changed` if the predictor's state
 * has changed in more than the turns of this branch's loop. */
unsigned tage_mispredicts(struct tage* t, uint64_t branch, unsigned taken, unsigned* changed);

/* The same for a branch that has gone only the other way until now. */
unsigned tage_turns_back(struct tage* t, uint64_t branch, unsigned taken);

/* The same for any branch. */
static inline unsigned tage_mispredicts_any(struct tage* t, uint64_t branch, unsigned taken,
                                            unsigned* changed) {
  uint8_t* const state = &t->base[branch & t->base_mask];
  const uint8_t same = taken ? ALWAYS_TAKEN : NEVER_TAKEN;
  *changed = 0;
  if (*state == same) return 0;
  if (*state < NEVER_SEEN) return tage_mispredicts(t, branch, taken, changed);
  *changed = 1;
  if (*state != NEVER_SEEN) return tage_turns_back(t, branch, taken);
  *state = same;
  return taken;
}

/* The number of turns that a branch can go on with its loop and change nothing else. */
static inline uint64_t tage_turns_left(const struct tage* t, uint64_t branch) {
  const struct loop* l;
  if (!t->loops) return ~0ull;
  l = &t->loops[branch & t->loops_mask];
  if (l->branch != branch) return ~0ull;
  return (l->turns ? l->turns : MOST_TURNS) - l->now;
}

/* A branch goes on with its loop for as many turns, at most tage_turns_left. */
static inline void tage_turn(struct tage* t, uint64_t branch, uint64_t turns) {
  struct loop* l;
  if (!t->loops) return;
  l = &t->loops[branch & t->loops_mask];
  if (l->branch == branch) l->now += (uint32_t)turns;
}

#endif
