/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling: each time that an event has counted a period more, what ran. A core that samples executes
 * its traces instruction by instruction, in a loop of its own, and counts the same. Plain C. */
#ifndef TACHO_SAMPLE_H
#define TACHO_SAMPLE_H

#include "core.h"

#define MOST_SAMPLED 32  /* events */
#define MOST_TAKEN 32    /* branches that are remembered */
#define MOST_CALLERS 127 /* that a sample tells */
#define MOST_CALLS 4096  /* that are remembered: of deeper ones the outermost go */

struct sampled_event {
  uint32_t columns;   /* whose counts add up to the event's, as bits */
  uint64_t period;    /* or 0 */
  uint64_t frequency; /* where there is no period: samples a second of simulated time */
  uint64_t told;      /* what it has counted up to the current slice */
  uint64_t since;     /* and up to its last sample */
  uint64_t due;       /* it is sampled when it has counted this */
  uint64_t average;   /* by frequency: what a period is about */
  uint64_t sampled_at; /* the cycle of the last sample */
};

/* A taken branch, of the kinds of PERF_BR_* of Linux. */
struct taken {
  uint64_t from, to;
  uint32_t cycles; /* since the one before; 0: there is none */
  uint8_t kind;
  uint8_t mispredicted;
};

/* Calls that have not returned: where each returns to. */
struct calls {
  uint64_t count; /* the newest is at (count - 1) % MOST_CALLS */
  uint64_t oldest; /* as count: those before it are gone */
  uint64_t back[MOST_CALLS];
};

struct sampling {
  unsigned events;
  struct sampled_event event[MOST_SAMPLED];
  uint64_t branches; /* whether samples tell the branches before them */
  uint64_t chains;   /* and the callers */
  uint64_t drawn;    /* what was drawn last for a period */
  int stalls;        /* some event counts what is waited for */
  uint64_t due_at;   /* before this time, in parts, nothing is; 0: that is not known */
  struct taken taken[MOST_TAKEN];
  uint64_t taken_count; /* the newest is at (taken_count - 1) % MOST_TAKEN */
  uint64_t taken_since; /* no older than this one is remembered */
  uint64_t taken_at;    /* the newest one's cycle */
  struct calls* calls;  /* of the thread that runs */
  /* A sample: the event, what it had counted since the last one, and the instruction. */
  void (*sampled)(struct core*, unsigned event, uint64_t period, uint64_t ip);
};

/* Reads a whole file of what to sample (docs/explanation/simulator.md). Returns 0, or the number of the line that
 * is not as it has to be. */
unsigned sampling_parse(const char* text, size_t length, struct sampling* sampling);

/* The core does not know that it samples. It samples once `core->sampling` is set and sampling_restart() was
 * called. From then on its owner calls these three, too: after core_restart(), before core_next_slice() and
 * after core_switch(). */
void sampling_restart(struct core* core);
void sampling_next_slice(struct core* core);
void sampling_forget_branches(struct sampling* sampling);

/* Executes a trace and samples. */
void sampling_execute(struct core* core, const uint64_t* trace, const uint64_t* end);

/* The taken branches that are remembered, and the `i`th of them, from the newest on. */
static inline unsigned taken_known(const struct sampling* s) {
  const uint64_t known = s->taken_count - s->taken_since;
  return known < MOST_TAKEN ? (unsigned)known : MOST_TAKEN;
}
static inline const struct taken* taken_before(const struct sampling* s, unsigned i) {
  return &s->taken[(s->taken_count - 1 - i) % MOST_TAKEN];
}

#endif
