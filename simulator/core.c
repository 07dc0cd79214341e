/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The infrequent operations of the simulated core: initialization, slices, time stamps, and the
 * counts that follow from other counts. */
#include "core.h"

const char* const column_names[COLUMN_COUNT] = {
#define COLUMN(name, text) text,
    COLUMNS(COLUMN)
#undef COLUMN
};

/* Stands for the segment before the first one. Never written to: without fetches it has no stamps
 * to compare. */
static struct segment no_segment;

/* ---- Initialization ---- */

static void level1_init(struct fast_cache* fast, const struct cache_model* m,
                        allocate_fn allocate) {
  fast_cache_init(fast, (uint32_t)__builtin_ctzll(m->line), m->size / (m->ways * m->line), m->ways,
                  (enum replacement)m->replacement, allocate);
}

static void tlb_init(struct fast_cache* fast, const struct tlb_model* m, uint64_t page,
                     allocate_fn allocate) {
  fast_cache_init(fast, (uint32_t)__builtin_ctzll(page), m->entries / m->ways, m->ways,
                  (enum replacement)m->replacement, allocate);
}

/* The wait for a line that is `latency` cycles away, beyond that of a first-level hit. */
static void set_wait(struct level* level, const struct model* m, uint64_t latency) {
  const uint64_t beyond = latency > m->l1d.latency ? latency - m->l1d.latency : 0;
  const uint64_t fetched = latency > m->l1i.latency ? latency - m->l1i.latency : 0;
  level->wait[FETCH] = (uint32_t)fetched * PARTS_PER_CYCLE;
  level->wait[LOAD] = (uint32_t)beyond * PARTS_PER_CYCLE;
  level->wait[STORE] =
      (uint32_t)(m->in_order ? beyond * m->store_percent / 100 : beyond) * PARTS_PER_CYCLE;
}

static void outer_init(struct level* level, const struct model* m, allocate_fn allocate) {
  const struct cache_model* const caches[2] = {&m->l2, &m->l3};
  unsigned i;
  for (i = 0; i < 2 && caches[i]->size; ++i, ++level) {
    const struct cache_model* const from = caches[i];
    cache_init(&level->cache, from->size / (from->ways * from->line), from->ways,
               (enum replacement)from->replacement, allocate);
    level->is_memory = 0;
    level->is_plain = level->cache.plain && from->line >= m->l1d.line && from->line >= m->l1i.line;
    level->line_bits = (uint32_t)__builtin_ctzll(from->line);
    level->write_allocate = (uint32_t)from->write_allocate;
    level->line_parts =
        from->bandwidth ? (uint32_t)(from->line * PARTS_PER_CYCLE / from->bandwidth) : 0;
    set_wait(level, m, from->latency);
  }
  level->is_memory = 1;
  level->is_plain = 0;
  set_wait(level, m, m->memory_latency);
}

static void prefetcher_init(struct core* c, const struct model* m) {
  c->streams.count = 0;
  if (m->prefetch.streams)
    streams_init(&c->streams, m->prefetch.streams, m->prefetch.distance, m->page, m->l2.line);
}

void core_init(struct core* c, const struct model* m, allocate_fn allocate,
               void (*slice_ended)(struct core*)) {
  uint64_t i;
  c->model = *m;
  c->slice_ended = slice_ended;
  level1_init(&c->l1i, &m->l1i, allocate);
  level1_init(&c->l1d, &m->l1d, allocate);
  tlb_init(&c->itlb, &m->itlb, m->page, allocate);
  tlb_init(&c->dtlb, &m->dtlb, m->page, allocate);
  c->now = FIRST_TIME;
  c->fetch_changes = c->changes = 1;
  outer_init(c->outer, m, allocate);
  prefetcher_init(c, m);
  c->victims.ways = 0;
  tlb_init(&c->main_tlb, m->main_tlb.entries ? &m->main_tlb : &m->dtlb, m->page, allocate);
  if (m->main_tlb.entries && m->main_tlb.victims)
    cache_init(&c->victims, 1, m->main_tlb.victims, REPLACE_LRU, allocate);
  c->counters = 0;
  tage_init(&c->tage, m, allocate);
  if (m->branch.direction == DIRECTION_BIMODAL || m->branch.direction == DIRECTION_GSHARE) {
    c->counters = allocate("counters", m->branch.entries);
    for (i = 0; i < m->branch.entries; ++i) c->counters[i] = 1; /* weakly not taken */
  }
  c->targets = m->branch.targets ? allocate("targets", m->branch.targets * sizeof *c->targets) : 0;
  for (i = 0; i < m->branch.targets; ++i) c->targets[i] = NO_ADDRESS;
  for (i = 0; i < 64; ++i) c->returns[i] = NO_ADDRESS;
  c->returns_top = 0;
  c->history = 0;
  c->history_mask = (1ull << m->branch.history) - 1;
  c->counters_mask = m->branch.entries - 1;
  c->last = &no_segment;
  c->packed = 0;
  c->sampling = 0;
  for (i = 0; i < KNOWN_ROUNDS; ++i) c->rounds.known[i].seen = 0;
  c->rounds.load_latency = m->l1d.latency;
  core_restart(c);
}

/* ---- Time ---- */

static uint64_t parts_of_ns(const struct model* m, uint64_t ns) {
  return (uint64_t)((unsigned __int128)ns * m->frequency_hz * PARTS_PER_CYCLE / 1000000000u);
}

void core_next_slice(struct core* c) {
  const uint64_t shortest = parts_of_ns(&c->model, c->model.shortest_slice_ns);
  const uint64_t longest = parts_of_ns(&c->model, c->model.longest_slice_ns);
  uint64_t length = c->parts / 512; /* docs/explanation/simulator.md: slice_ns */
  uint64_t i;
  if (length < shortest) length = shortest;
  if (length > longest) length = longest;
  c->slice_end = c->parts + length;
  for (i = 0; i < COLUMN_COUNT; ++i) c->counts[i] = 0;
  c->cycles_before_slice = c->parts / PARTS_PER_CYCLE;
  c->dependency_before_slice = c->dependency_parts / PARTS_PER_CYCLE;
  for (i = 0; i < 3; ++i) c->late_before_slice[i] = c->late_parts[i] / PARTS_PER_CYCLE;
}

void core_restart(struct core* c) {
  unsigned i;
  c->parts = c->dependency_parts = c->ahead = 0;
  for (i = 0; i < 3; ++i) c->late_parts[i] = 0;
  c->window = (struct window){0};
  c->rounds.length = 0;
  for (i = 0; !c->outer[i].is_memory; ++i) c->outer[i].free = 0;
  c->memory_free = 0;
  c->fills = c->lines_on_the_way = 0;
  core_next_slice(c);
}

void core_switch(struct core* c) {
  c->last = &no_segment;
  c->rounds.length = 0;
  ++c->changes; /* segments may be freed, and others get their addresses */
}

/* The tables of the fast caches point to time stamps, which keep their places. */
void core_renew_times(struct core* c) {
  struct fast_cache* const fast_caches[] = {&c->l1i, &c->l1d, &c->itlb, &c->dtlb, &c->main_tlb};
  unsigned i;
  for (i = 0; i < sizeof fast_caches / sizeof fast_caches[0]; ++i)
    cache_renew(&fast_caches[i]->cache);
  for (i = 0; !c->outer[i].is_memory; ++i) cache_renew(&c->outer[i].cache);
  if (c->victims.ways) cache_renew(&c->victims);
  c->now = RENEWED_TIME;
}

/* ---- Counts ---- */

/* Stall cycles by cause. Each miss that is waited for takes a fixed time: those times follow from
 * the counts of misses. An out-of-order core waits for fetches only. */
static void settle_stalls(struct core* c) {
  static const enum column stalls[3] = {STALL_FETCH, STALL_LOAD, STALL_STORE};
  static const enum column late[3] = {STALL_LOAD, STALL_STORE, STALL_DTLB};
  const unsigned last = c->model.in_order ? STORE : FETCH;
  uint64_t* const n = c->counts;
  uint64_t translated[3] = {0, 0, 0};
  unsigned cause, i;
  n[STALL_LOAD] = n[STALL_STORE] = 0;
  for (cause = FETCH; cause <= last; ++cause) {
    uint64_t asked = n[L1I_MISSES + cause], waited = 0;
    for (i = 0; !c->outer[i].is_memory; ++i) {
      const uint64_t missed = n[L2_FETCH_MISSES + 3 * i + cause];
      waited += (asked - missed) * c->outer[i].wait[cause];
      asked = missed;
    }
    n[stalls[cause]] = (waited + asked * c->outer[i].wait[cause]) / PARTS_PER_CYCLE;
    translated[cause] =
        (n[ITLB_MISSES + cause] - n[WALK_FETCHES + cause]) * c->model.main_tlb.latency +
        n[WALK_FETCHES + cause] * c->model.walk_latency;
  }
  n[STALL_ITLB] = translated[FETCH];
  n[STALL_DTLB] = translated[LOAD] + translated[STORE];
  for (i = 0; i < 3; ++i)
    n[late[i]] += c->late_parts[i] / PARTS_PER_CYCLE - c->late_before_slice[i];
  n[STALL_BRANCH] = n[BRANCH_MISSES] * c->model.branch.mispredict;
  n[STALL_DEPENDENCY] = c->dependency_parts / PARTS_PER_CYCLE - c->dependency_before_slice;
}

void core_settle(struct core* c) {
  c->counts[INSTRUCTIONS] += c->packed & COUNT_MASK;
  c->counts[LOADS] += (c->packed >> COUNT_BITS) & COUNT_MASK;
  c->counts[STORES] += c->packed >> (2 * COUNT_BITS);
  c->counts[CYCLES] = cycles_in_slice(c);
  c->packed = 0;
  settle_stalls(c);
}
