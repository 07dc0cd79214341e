/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling: each time that an event has counted one more period, a sample shows which instruction
 * did it. A core that samples executes its traces instruction by instruction, in a loop of its own;
 * its counts are the same. docs/explanation/simulator.md, "Sampling". Plain C. */
#ifndef TACHO_SAMPLE_H
#define TACHO_SAMPLE_H

#include "core.h"

#define MAX_SAMPLED_EVENTS 32
#define MAX_TAKEN_BRANCHES 32 /* in the branch stack; as many as a Skylake's LBR has */
#define MAX_CALLERS 127       /* in a sample; the default of kernel.perf_event_max_stack */
#define MAX_CALLS 4096        /* in a call stack; a deeper stack loses its outermost calls */

struct sampled_event {
  uint32_t columns;      /* a bit for each column whose counts add up to the event's count */
  uint64_t period;       /* 0: by frequency */
  uint64_t frequency;    /* samples per second of simulated time */
  uint64_t before_slice; /* the event's count when the current slice began */
  uint64_t since;        /* its count when the last sample was due */
  uint64_t due;          /* its count at the next sample */
  uint64_t average;      /* by frequency: moving average of the periods */
  uint64_t sampled_at;   /* by frequency: cycle of the last sample */
};

/* A taken branch. */
struct taken_branch {
  uint64_t from, to;
  uint32_t cycles; /* since the previous taken branch; 0: unknown */
  uint8_t kind;    /* PERF_BR_* of <linux/perf_event.h> */
  uint8_t mispredicted;
};

/* A thread's call stack, as a ring: the return addresses of calls that have not returned. */
struct calls {
  uint64_t count;  /* the newest is at (count - 1) % MAX_CALLS */
  uint64_t oldest; /* the value of `count` before the oldest call that the ring still has */
  uint64_t back[MAX_CALLS];
};

struct sampling {
  unsigned events;
  struct sampled_event event[MAX_SAMPLED_EVENTS];
  uint64_t with_branches; /* 1: samples have the branch stack */
  uint64_t with_callers;  /* 1: samples have the call stack */
  uint64_t random_state;  /* for periods */
  int stalls;             /* whether an event counts stall cycles */
  uint64_t due_at;        /* no event is due before this time, in parts; 0: the time is unknown */
  struct taken_branch taken[MAX_TAKEN_BRANCHES]; /* the branch stack, as a ring */
  uint64_t taken_count; /* the newest is at (taken_count - 1) % MAX_TAKEN_BRANCHES */
  uint64_t taken_since; /* the value of taken_count when the branch stack was emptied */
  uint64_t taken_first; /* the value of taken_count when the process began */
  uint64_t taken_at;    /* cycle of the newest branch */
  struct calls* calls;  /* of the running thread */
  /* Called for each sample. `period` is the event's count since its last sample, `ip` the
   * instruction's address. */
  void (*sampled)(struct core*, unsigned event, uint64_t period, uint64_t ip);
};

/* Parses a whole sampling file (docs/explanation/simulator.md). Returns 0, or the number of the
 * first wrong line. */
unsigned sampling_parse(const char* text, size_t length, struct sampling* sampling);

/* core.c does not know of sampling. Sampling begins when the owner of a core sets `core->sampling`
 * and calls sampling_restart(). From then on the owner calls these functions, too: the first after
 * core_restart(), the second before core_next_slice(), the third after core_switch(). */
void sampling_restart(struct core* core);
void sampling_next_slice(struct core* core);
void sampling_forget_branches(struct sampling* sampling);

/* Executes a trace and samples. */
void sampling_execute(struct core* core, const uint64_t* trace, const uint64_t* end);

/* The length of the branch stack, and its `i`th branch from the newest on. */
static inline unsigned taken_known(const struct sampling* s) {
  const uint64_t known = s->taken_count - s->taken_since;
  return known < MAX_TAKEN_BRANCHES ? (unsigned)known : MAX_TAKEN_BRANCHES;
}
static inline const struct taken_branch* taken_before(const struct sampling* s, unsigned i) {
  return &s->taken[(s->taken_count - 1 - i) % MAX_TAKEN_BRANCHES];
}

#endif
