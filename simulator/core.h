/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the simulated processor core: caches, TLBs, branch predictor, time and counts.
 * execute.c and sample.c change it as they execute traces. Plain C without Valgrind, so that unit
 * tests can compare it with a slow reference (tests/unit/simulator_reference.hpp). */
#ifndef TACHO_CORE_H
#define TACHO_CORE_H

#include "fast_cache.h"
#include "model.h"
#include "rounds.h"
#include "streams.h"
#include "tage.h"
#include "trace.h"
#include "window.h"

#define NO_ADDRESS (~0ull) /* where no code can be */

/* The counts, in the order of the records. docs/explanation/simulator.md defines each. */
/* clang-format off */
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
/* clang-format on */

enum column {
#define COLUMN(name, text) name,
  COLUMNS(COLUMN)
#undef COLUMN
      COLUMN_COUNT
};

extern const char* const column_names[COLUMN_COUNT];

/* The cause of an access. Its value is the distance of its column from the column of fetches. */
enum cause { FETCH, LOAD, STORE };

/* The indices of late_parts. */
enum late_kind { LATE_LOAD, LATE_STORE, LATE_TRANSLATION };

/* A level behind the first: a cache, or memory. */
struct level {
  struct cache cache;
  uint32_t is_memory; /* it has every line and no cache */
  uint32_t is_plain;  /* the cache is plain, and its lines are no shorter than the first level's */
  uint32_t line_bits;
  uint32_t write_allocate;
  uint32_t wait[3];    /* by cause, in parts: the wait of a hit here beyond a first-level hit */
  uint32_t line_parts; /* of a cache: from one line that it sends to the next */
  uint64_t free;       /* of a cache, in parts: when it can send the next line */
};

/* A line that a prefetch has asked for. The caches have it already, but an access waits until it is
 * ready. */
struct fill_buffer {
  uint64_t line;
  uint64_t ready; /* in parts */
};
#define FILL_BUFFERS 12 /* as many as a Skylake core has line fill buffers */
#define LINES_ON_THE_WAY 64

struct core {
  struct model model;
  uint64_t counts[COLUMN_COUNT]; /* of the current slice; core_settle brings them up to date */
  uint64_t packed;               /* PACK_COUNTS that core_settle has not added to `counts` yet */

  /* Times are in parts (1/PARTS_PER_CYCLE cycles) since the process began; values before the
   * current slice are in cycles. */
  uint64_t parts;
  uint64_t cycles_before_slice;
  uint64_t dependency_parts, dependency_before_slice; /* waited for operands */
  /* Waited for late loads, stores and translations, beyond what follows from the counts of misses:
   * on an in-order core only for lines that a prefetch had asked for. */
  uint64_t late_parts[3], late_before_slice[3];
  uint64_t slice_end;
  /* The time of the current segment that is not in `parts` yet. The counting loop adds a segment's
   * time at its start, so `ahead` is 0; the sampling loop adds it step by step. Accesses see the
   * time parts + ahead. */
  uint64_t ahead;
  struct fill_buffer fill_buffers[FILL_BUFFERS];
  uint32_t fills;       /* number of fill buffers in use, from the first on */
  struct segment* last; /* the last segment executed: the next one shows where its branch went */

  uint32_t now; /* time stamp of accesses, different for each */
  struct fast_cache l1i, l1d, itlb, dtlb, main_tlb;
  uint64_t fetch_changes; /* sum of the changes of l1i and itlb */
  uint64_t changes; /* of l1i and itlb, of the order of their uses, and of the branch predictor */
  struct level outer[3]; /* up to two caches, then memory */
  struct window window;  /* of an out-of-order core */
  struct rounds rounds;  /* of an out-of-order core */
  struct streams streams;
  /* What the hardware prefetcher has asked for and the second level still waits for. */
  struct fill_buffer on_the_way[LINES_ON_THE_WAY];
  uint32_t lines_on_the_way;
  uint64_t memory_free; /* in parts: when memory can send the next prefetched line */
  struct cache victims; /* victim entries of the main TLB, fully associative; 0 ways: none */

  uint8_t* counters; /* 2-bit counters that predict the direction of branches */
  uint64_t counters_mask;
  uint64_t history, history_mask;
  struct tage tage;     /* predicts it instead, if it has a base */
  uint64_t* targets;    /* predicted targets of indirect branches */
  uint64_t returns[64]; /* return address stack */
  uint32_t returns_top;

  void (*slice_ended)(struct core*); /* must call core_next_slice; see also sample.h */
  struct sampling* sampling;         /* 0: the core only counts; see sample.h */
};

/* `model` comes from model_parse. `allocate` returns memory that is never freed, aligned to 16
 * bytes. */
void core_init(struct core* core, const struct model* model, allocate_fn allocate,
               void (*slice_ended)(struct core*));

/* Another thread continues: the target of the last segment's branch stays unknown. */
void core_switch(struct core* core);

/* Restarts time and counts at 0. Caches, TLBs and the predictor keep their contents. */
void core_restart(struct core* core);

/* Begins a slice: sets its end and zeroes the counts. */
void core_next_slice(struct core* core);

/* Brings the counts up to date. */
void core_settle(struct core* core);

/* Renumbers the time stamps of accesses in the same order, once they reach LAST_TIME. */
void core_renew_times(struct core* core);

/* Simulated cycles since the slice began. */
static inline uint64_t cycles_in_slice(const struct core* c) {
  return c->parts / PARTS_PER_CYCLE - c->cycles_before_slice;
}

#endif
