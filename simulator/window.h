/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of an out-of-order core while data are on their way to it. Its functions are in
 * overlap.h. All times are in parts since the process began. */
#ifndef TACHO_WINDOW_H
#define TACHO_WINDOW_H

#include "trace.h"

#define MAX_MISSES 64 /* lines that are asked for at a time */
#define MAX_LATE 256  /* loads, and stores, that are waited for at a time */
#define MAX_WALKS 8   /* page table walks at a time */
#define STORED_WORDS 64

/* A load whose value is late, or a store whose line is. */
struct late {
  uint64_t number; /* of the instruction or of the store, in the order of the program */
  uint64_t ready;
  uint64_t translated;  /* when its address had been translated */
  uint64_t translation; /* for how long that took */
};

/* They leave in the order of the program. */
struct late_queue {
  struct late at[MAX_LATE]; /* a ring */
  uint32_t first, count;
};

struct asked_line {
  uint64_t line, ready;
};

struct stored_word {
  uint64_t word; /* its address / 8 */
  uint64_t ready;
};

struct window {
  uint64_t complete; /* when all loads so far are ready */
  uint64_t until;    /* when the last line that was asked for, and the last late load, is ready */
  uint64_t instructions, stores; /* that have entered since something has been on its way */
  struct late_queue late_loads, late_stores;
  struct asked_line asked[MAX_MISSES];
  uint64_t asked_bits;       /* asked_bit() of each of them: most lines are known not to be there */
  uint64_t walks[MAX_WALKS]; /* when each page table walk ends */
  uint64_t ready[FROM_OPERAND + MAX_OPERANDS]; /* values, by `from` of struct dependence */
  uint64_t branch;                             /* when the last branch is resolved */
  struct stored_word stored[STORED_WORDS];     /* by the lowest bits of `word` */
  const struct dependence *next, *end;         /* of the current segment: not yet taken */
};

#endif
