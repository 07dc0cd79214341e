/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated processor core: reads traces, keeps the state of caches, TLBs and predictor, and
 * counts. Plain C that knows nothing of Valgrind: tests run it against a slow reference. */
#ifndef TACHO_CORE_H
#define TACHO_CORE_H

#include "front.h"
#include "model.h"
#include "trace.h"

#define NO_ADDRESS (~0ull) /* no code has it */

/* The counts, in the order in which records have them. */
#define COLUMNS(X)                                                                             \
  X(CYCLES, "cycles") X(INSTRUCTIONS, "instructions") X(LOADS, "loads") X(STORES, "stores")    \
  X(BRANCHES, "branches") X(BRANCH_MISSES, "branch-misses")                                    \
  X(L1I_MISSES, "l1i-misses") X(L1D_LOAD_MISSES, "l1d-load-misses")                            \
  X(L1D_STORE_MISSES, "l1d-store-misses")                                                      \
  X(L2_FETCH_MISSES, "l2-fetch-misses") X(L2_LOAD_MISSES, "l2-load-misses")                    \
  X(L2_STORE_MISSES, "l2-store-misses")                                                        \
  X(L3_FETCH_MISSES, "l3-fetch-misses") X(L3_LOAD_MISSES, "l3-load-misses")                    \
  X(L3_STORE_MISSES, "l3-store-misses")                                                        \
  X(ITLB_MISSES, "itlb-misses") X(DTLB_LOAD_MISSES, "dtlb-load-misses")                        \
  X(DTLB_STORE_MISSES, "dtlb-store-misses")                                                    \
  X(WALK_FETCHES, "walk-fetches") X(WALK_LOADS, "walk-loads") X(WALK_STORES, "walk-stores")    \
  X(STALL_FETCH, "stall-fetch") X(STALL_ITLB, "stall-itlb") X(STALL_LOAD, "stall-load")        \
  X(STALL_STORE, "stall-store") X(STALL_DTLB, "stall-dtlb") X(STALL_BRANCH, "stall-branch")    \
  X(STALL_DEPENDENCY, "stall-dependency")

enum column {
#define COLUMN(name, text) name,
  COLUMNS(COLUMN)
#undef COLUMN
      COLUMN_COUNT
};

extern const char* const column_names[COLUMN_COUNT];

/* Who caused an access: the offset of its column from that of fetches. */
enum cause { FETCH, LOAD, STORE };

/* What is behind the first level, and what an access is waited for that finds its line there, beyond
 * the first level's hit: by cause, in 1/PARTS_PER_CYCLE. */
struct level {
  struct cache cache;
  uint32_t is_memory; /* it has every line, and no cache */
  uint32_t is_plain;  /* the cache is, and no line of the first level has more than one of its lines */
  uint32_t line_bits;
  uint32_t write_allocate;
  uint32_t wait[3];
};

/* A line that a prefetch has asked for: present in all caches, but not before its time. */
struct flight {
  uint64_t line;
  uint64_t ready; /* in parts */
};
#define MOST_FLIGHTS 12 /* as a Skylake's line fill buffers */

struct core {
  struct model model;
  uint64_t counts[COLUMN_COUNT]; /* since the last slice; core_run brings them up to date */
  uint64_t packed;               /* PACK_COUNTS that are not in counts yet */
  uint64_t parts;                /* the time, in 1/PARTS_PER_CYCLE */
  uint64_t cycles_told;          /* of it, in slices so far */
  uint64_t dependency_parts, dependency_told;
  uint64_t slice_end;            /* in parts */
  uint64_t ahead; /* of the segment's parts, those that are not in `parts` yet: where accesses wait, all are */
  uint64_t late_parts, late_told; /* waited for lines that were on their way */
  struct flight flights[MOST_FLIGHTS];
  uint32_t in_flight; /* the first so many are in use */
  struct segment* last;          /* whose way out is not known yet */

  uint32_t now; /* the time of accesses: each has its own */
  struct front l1i, l1d, itlb, dtlb, main_tlb;
  uint64_t fetch_changes; /* of l1i and itlb together */
  uint64_t changes;       /* of these, the order of their uses, and of what predicts branches */
  struct level outer[3];  /* up to two caches, then memory */
  struct cache victims;   /* of the main TLB, fully associative; ways 0: none */

  uint8_t* counters; /* 2-bit, of branch directions */
  uint64_t counters_mask;
  uint64_t history, history_mask;
  uint64_t* targets;
  uint64_t returns[64];
  uint32_t returns_top;

  void (*slice_ended)(struct core*); /* must call core_next_slice */
  struct sampling* sampling;         /* or 0: it only counts (sample.h) */
};

/* A model that model_parse has taken. The allocator returns memory for good, aligned to 16 bytes. */
void core_init(struct core* core, const struct model* model, allocate_fn allocate,
               void (*slice_ended)(struct core*));

/* Another thread goes on: what the last segment led to is not known. */
void core_switch(struct core* core);

/* Time begins anew, at 0; caches and all stay as they are. */
void core_restart(struct core* core);

/* Begins a slice: the counts from here on. */
void core_next_slice(struct core* core);

/* Brings the counts up to date. */
void core_settle(struct core* core);

/* Renumbers the times of accesses from the first one on, in the same order: they are used up. */
void core_renew_times(struct core* core);

/* Simulated cycles since the slice began. */
static inline uint64_t cycles_in_slice(const struct core* c) {
  return c->parts / PARTS_PER_CYCLE - c->cycles_told;
}

#endif
