/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processor model, as tacho writes it into the model file (docs/explanation/simulator.md). */
#ifndef TACHO_MODEL_H
#define TACHO_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "instruction.h"

#define MAX_MODEL_BYTES 16384 /* of a model file: several times its usual size */
#define MAX_WAYS 4096         /* of a cache or a TLB */
#define MAX_HISTORIES 8       /* of a TAGE predictor */
#define MAX_HISTORY 128       /* branches of a history of TAGE */
#define SHORTEST_LINE 32      /* bytes: with 32-bit tags it fixes ADDRESS_LIMIT (fast_cache.h) */

enum replacement { REPLACE_LRU, REPLACE_ROUND_ROBIN, REPLACE_RANDOM };
enum direction { DIRECTION_FIXED, DIRECTION_BIMODAL, DIRECTION_GSHARE, DIRECTION_TAGE };

/* Fields have the names and units of CpuModel (src/simulation/cpu_model.hpp). Sizes are in bytes,
 * latencies in cycles; a cache of size 0 or a TLB of 0 entries does not exist. */
struct cache_model {
  uint64_t size, ways, line, replacement, write_allocate, latency;
  uint64_t bandwidth; /* bytes a cycle that it sends; 0: not limited */
};

struct tlb_model {
  uint64_t entries, ways, victims, replacement, latency;
};

/* What an operation costs an out-of-order core: `slots` micro-operations issue, and they keep ports
 * busy. `ports` is a mask: any one of them is busy for `cycles`. Unused ones are 0. */
#define MAX_PORT_USES 6
struct operation_model {
  uint64_t latency, slots;
  struct {
    uint64_t ports, cycles;
  } uses[MAX_PORT_USES];
};

struct model {
  uint64_t frequency_hz;
  uint64_t shortest_slice_ns, longest_slice_ns;
  uint64_t width, in_order, store_percent;
  struct {
    uint64_t integer, multiply, divide, float_add, float_multiply, float_divide;
  } latency;
  uint64_t fuses_memory, fuses_branches;
  struct operation_model operations[OPERATION_COUNT]; /* of an out-of-order core */
  struct {
    uint64_t instructions, misses, stores, walks;
  } window;
  struct cache_model l1i, l1d, l2, l3;
  uint64_t memory_latency, page;
  struct {
    uint64_t streams, distance, line_cycles;
  } prefetch;
  struct tlb_model itlb, dtlb, main_tlb;
  uint64_t walk_latency;
  struct {
    uint64_t direction, entries, history, targets, returns, mispredict;
  } branch;
  struct {
    uint64_t entries, loops;
    uint64_t histories[MAX_HISTORIES]; /* rising; 0 after the last one */
  } tage;
};

/* Parses a whole model file. Returns 0, or the number of the first wrong line. */
unsigned model_parse(const char* text, size_t length, struct model* model);

#endif
