/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated core. Speed rests on one fact: most accesses go to the line (and the page) that its
 * set used last, and change nothing there. The `settled` arrays say so in one comparison; only what
 * fails it is looked up. */
#include "core.h"

#define NO_NUMBER (~0ull) /* no line and no page has it */
#define likely(x) __builtin_expect(!!(x), 1)
#define slow __attribute__((noinline))

const char* const column_names[COLUMN_COUNT] = {
#define COLUMN(name, text) text,
    COLUMNS(COLUMN)
#undef COLUMN
};

/* ---- Making a core ---- */

static uint64_t* numbers(uint64_t count, uint64_t value, allocate_fn allocate) {
  uint64_t* const array = allocate("numbers", count * sizeof *array);
  uint64_t i;
  for (i = 0; i < count; ++i) array[i] = value;
  return array;
}

static void level_init(struct level* level, const struct cache_model* m, allocate_fn allocate) {
  cache_init(&level->cache, m->size / (m->ways * m->line), m->ways,
             (enum replacement)m->replacement, allocate);
  level->line_bits = (uint32_t)__builtin_ctzll(m->line);
  level->write_allocate = (uint32_t)m->write_allocate;
}

/* What finding something `latency` cycles away costs beyond finding it in the first level. */
static void set_stalls(uint32_t stall[3], const struct model* m, uint64_t latency) {
  const uint64_t beyond = latency > m->l1d.latency ? latency - m->l1d.latency : 0;
  const uint64_t waited = beyond > m->hidden ? beyond - m->hidden : 0;
  stall[FETCH] = (uint32_t)(latency > m->l1i.latency ? latency - m->l1i.latency : 0);
  stall[LOAD] = (uint32_t)waited;
  stall[STORE] = (uint32_t)(waited * m->store_percent / 100);
}

static void tlb_init(struct tlb* t, const struct tlb_model* m, allocate_fn allocate) {
  const uint64_t sets = m->entries / m->ways;
  cache_init(&t->cache, sets, m->ways, (enum replacement)m->replacement, allocate);
  t->victims.ways = 0;
  if (m->victims) cache_init(&t->victims, 1, m->victims, REPLACE_LRU, allocate);
  t->stall = (uint32_t)m->latency;
  /* Where a hit changes nothing, any page that is present is settled. */
  t->settled_mask = (m->replacement == REPLACE_LRU || sets > 64 ? sets : 64) - 1;
  t->settled = numbers(t->settled_mask + 1, NO_NUMBER, allocate);
}

void core_init(struct core* c, const struct model* m, allocate_fn allocate,
               void (*slice_ended)(struct core*)) {
  const struct cache_model* const outer[2] = {&m->l2, &m->l3};
  uint64_t i;
  c->model = *m;
  c->slice_ended = slice_ended;
  level_init(&c->l1i, &m->l1i, allocate);
  level_init(&c->l1d, &m->l1d, allocate);
  c->settled_i = numbers(c->l1i.cache.sets, NO_NUMBER, allocate);
  c->settled_d = numbers(c->l1d.cache.sets, NO_NUMBER, allocate);
  c->outer_levels = 0;
  for (i = 0; i < 2 && outer[i]->size; ++i) {
    level_init(&c->outer[i], outer[i], allocate);
    set_stalls(c->outer[i].stall, m, outer[i]->latency);
    ++c->outer_levels;
  }
  set_stalls(c->memory_stall, m, m->memory_latency);
  tlb_init(&c->itlb, &m->itlb, allocate);
  tlb_init(&c->dtlb, &m->dtlb, allocate);
  if (m->main_tlb.entries) tlb_init(&c->main_tlb, &m->main_tlb, allocate);
  c->page_bits = (uint32_t)__builtin_ctzll(m->page);
  if (m->branch.entries) {
    c->counters = allocate("counters", m->branch.entries);
    for (i = 0; i < m->branch.entries; ++i) c->counters[i] = 1; /* weakly not taken */
  }
  if (m->branch.targets) c->targets = numbers(m->branch.targets, NO_NUMBER, allocate);
  for (i = 0; i < 64; ++i) c->returns[i] = NO_NUMBER;
  c->returns_top = 0;
  c->history = 0;
  c->last = 0;
  core_restart(c);
}

/* ---- Time ---- */

static uint64_t parts_of_ns(const struct model* m, uint64_t ns) {
  return (uint64_t)((unsigned __int128)ns * m->frequency_hz * PARTS_PER_CYCLE / 1000000000u);
}

void core_next_slice(struct core* c) {
  const uint64_t shortest = parts_of_ns(&c->model, c->model.shortest_slice_ns);
  const uint64_t longest = parts_of_ns(&c->model, c->model.longest_slice_ns);
  uint64_t length = c->parts / 512;
  uint64_t i;
  if (length < shortest) length = shortest;
  if (length > longest) length = longest;
  c->slice_end = c->parts + length;
  for (i = 0; i < COLUMN_COUNT; ++i) c->counts[i] = 0;
  c->cycles_told = c->parts / PARTS_PER_CYCLE;
  c->dependency_told = c->dependency_parts / PARTS_PER_CYCLE;
}

void core_restart(struct core* c) {
  c->parts = c->dependency_parts = 0;
  core_next_slice(c);
}

/* ---- Translation ---- */

static int tlb_access(struct tlb* t, uint64_t page) {
  uint32_t tag, gone = NO_TAG;
  uint64_t gone_page;
  int way;
  const uint64_t set = cache_split(&t->cache, page, &tag);
  if (cache_access(&t->cache, set, tag, 1, &gone)) return 1;
  gone_page = gone == NO_TAG ? NO_NUMBER : ((uint64_t)gone << t->cache.set_bits | set);
  if (t->settled[gone_page & t->settled_mask] == gone_page)
    t->settled[gone_page & t->settled_mask] = NO_NUMBER;
  if (!t->victims.ways) return 0;
  way = cache_find(t->victims.tags, t->victims.padded, (uint32_t)page);
  if (way >= 0) t->victims.tags[way] = NO_TAG;
  if (gone != NO_TAG) {
    /* Into the place that has become free, else into the oldest. */
    const int place = way >= 0 ? way : cache_find(t->victims.tags, t->victims.ways, NO_TAG);
    if (place >= 0 && place < (int)t->victims.ways) {
      t->victims.tags[place] = (uint32_t)gone_page;
      cache_access(&t->victims, 0, (uint32_t)gone_page, 0, 0);
    } else {
      cache_access(&t->victims, 0, (uint32_t)gone_page, 1, 0);
    }
  }
  return way >= 0;
}

/* The cycles that a translation costs which is not settled. */
static slow uint32_t translate(struct core* c, struct tlb* micro, uint64_t page, enum cause cause) {
  const enum column stall = cause == FETCH ? STALL_ITLB : STALL_DTLB;
  uint32_t cycles = 0;
  if (!tlb_access(micro, page)) {
    ++c->counts[ITLB_MISSES + cause];
    if (c->model.main_tlb.entries && tlb_access(&c->main_tlb, page)) {
      cycles = c->main_tlb.stall;
    } else {
      ++c->counts[WALK_FETCHES + cause];
      cycles = (uint32_t)c->model.walk_latency;
    }
    c->counts[stall] += cycles;
  }
  micro->settled[page & micro->settled_mask] = page;
  return cycles;
}

/* ---- Caches ---- */

/* Whether a first level had the line; it is settled there now, unless it was not brought in. */
static inline int level1(struct level* l, uint64_t* settled, uint64_t line, int allocate) {
  const uint64_t set = line & (l->cache.sets - 1);
  const int hit = cache_access(&l->cache, set, (uint32_t)(line >> l->cache.set_bits), allocate, 0);
  if (hit || allocate) settled[set] = line;
  return hit;
}

static inline int outer_access(struct level* l, uint64_t line, int allocate) {
  uint32_t tag;
  const uint64_t set = cache_split(&l->cache, line, &tag);
  return cache_access(&l->cache, set, tag, allocate, 0);
}

/* What the bytes from `first` to `last` cost that the first level missed. All their lines are asked
 * for at each level that is asked at all, and count as one, as one access has asked for them. */
static inline uint32_t beyond_level1(struct core* c, uint64_t first, uint64_t last, enum cause cause) {
  uint32_t i;
  for (i = 0; i < c->outer_levels; ++i) {
    struct level* const l = &c->outer[i];
    const int allocate = cause != STORE || l->write_allocate;
    const uint64_t from = first >> l->line_bits, to = last >> l->line_bits;
    int hit = outer_access(l, from, allocate);
    if (from != to) hit &= outer_access(l, to, allocate);
    if (hit) return l->stall[cause];
    ++c->counts[L2_FETCH_MISSES + 3 * i + cause];
  }
  return c->memory_stall[cause];
}

static slow uint32_t fetch_lookup(struct core* c, fetch what) {
  const uint64_t line = what >> 1, next = line + (what & 1);
  int hit = level1(&c->l1i, c->settled_i, line, 1);
  uint32_t cycles;
  if (next != line) hit &= level1(&c->l1i, c->settled_i, next, 1);
  if (hit) return 0;
  ++c->counts[L1I_MISSES];
  cycles = beyond_level1(c, line << c->l1i.line_bits, next << c->l1i.line_bits, FETCH);
  c->counts[STALL_FETCH] += cycles;
  return cycles;
}

static slow uint32_t data_lookup(struct core* c, uint64_t first, uint64_t last, enum cause cause) {
  const uint64_t line = first >> c->l1d.line_bits, next = last >> c->l1d.line_bits;
  const int allocate = cause != STORE || c->l1d.write_allocate;
  int hit = level1(&c->l1d, c->settled_d, line, allocate);
  uint32_t cycles;
  if (next != line) hit &= level1(&c->l1d, c->settled_d, next, allocate);
  if (hit) return 0;
  ++c->counts[L1I_MISSES + cause];
  cycles = beyond_level1(c, first, last, cause);
  c->counts[STALL_FETCH + 1 + cause] += cycles;
  return cycles;
}

/* ---- Branches ---- */

static int mispredicts_target(struct core* c, const struct segment* s, uint64_t to) {
  uint64_t* target;
  int wrong;
  if (!c->model.branch.targets) return 1;
  target = &c->targets[s->branch & (c->model.branch.targets - 1)];
  wrong = *target != to;
  *target = to;
  return wrong;
}

static int mispredicts_return(struct core* c, uint64_t to) {
  if (!c->model.branch.returns) return 1;
  c->returns_top = (c->returns_top ? c->returns_top : (uint32_t)c->model.branch.returns) - 1;
  return c->returns[c->returns_top] != to;
}

static void remember_return(struct core* c, uint64_t back) {
  if (!c->model.branch.returns) return;
  c->returns[c->returns_top] = back;
  c->returns_top = c->returns_top + 1 == c->model.branch.returns ? 0 : c->returns_top + 1;
}

static inline int mispredicts_direction(struct core* c, const struct segment* s, uint64_t to) {
  const int taken = (to == s->exit) ^ s->inverted;
  uint8_t* counter;
  int predicted;
  if (c->model.branch.direction == DIRECTION_FIXED) return s->backward != taken;
  counter = &c->counters[(s->branch ^ c->history) & (c->model.branch.entries - 1)];
  predicted = *counter >= 2;
  if (taken)
    *counter += *counter < 3;
  else
    *counter -= *counter > 0;
  c->history = ((c->history << 1) | (uint64_t)taken) & ((1ull << c->model.branch.history) - 1);
  return predicted != taken;
}

static slow int mispredicts_other(struct core* c, const struct segment* s, uint64_t to) {
  switch (s->leave) {
    case LEAVE_INDIRECT: return mispredicts_target(c, s, to);
    case LEAVE_RETURN: return mispredicts_return(c, to);
    case LEAVE_CALL: remember_return(c, s->back); return 0;
    case LEAVE_INDIRECT_CALL: remember_return(c, s->back); return mispredicts_target(c, s, to);
    default: return 0;
  }
}

/* The cycles lost when a segment was left for `to`. */
static inline uint32_t left(struct core* c, const struct segment* s, uint64_t to) {
  ++c->counts[BRANCHES];
  if (likely(!(s->leave == LEAVE_CONDITIONAL ? mispredicts_direction(c, s, to)
                                             : mispredicts_other(c, s, to))))
    return 0;
  ++c->counts[BRANCH_MISSES];
  c->counts[STALL_BRANCH] += c->model.branch.mispredict;
  return (uint32_t)c->model.branch.mispredict;
}

/* ---- Executing ---- */

static void settle_counts(struct core* c, uint64_t packed, uint64_t parts, uint64_t dependency) {
  c->counts[INSTRUCTIONS] += packed & COUNT_MASK;
  c->counts[LOADS] += (packed >> COUNT_BITS) & COUNT_MASK;
  c->counts[STORES] += packed >> (2 * COUNT_BITS);
  c->parts = parts;
  c->dependency_parts += dependency;
  c->counts[CYCLES] = parts / PARTS_PER_CYCLE - c->cycles_told;
  c->counts[STALL_DEPENDENCY] = c->dependency_parts / PARTS_PER_CYCLE - c->dependency_told;
}

/* What a guarded operand that was not executed has been counted as. */
static uint64_t counted_as(uint16_t code) {
  if (code & OPERAND_UPDATES) return PACK_COUNTS(0, 1, 1);
  return code & OPERAND_WRITES ? PACK_COUNTS(0, 0, 1) : PACK_COUNTS(0, 1, 0);
}

void core_run(struct core* c, const uint64_t* at, const uint64_t* end) {
  const struct segment* last = c->last;
  uint64_t parts = c->parts, packed = 0, dependency = 0;
  const uint64_t *const settled_i = c->settled_i, *const settled_d = c->settled_d;
  const uint64_t sets_i = c->l1i.cache.sets - 1, sets_d = c->l1d.cache.sets - 1;
  const uint64_t *const pages_i = c->itlb.settled, *const pages_d = c->dtlb.settled;
  const uint64_t mask_i = c->itlb.settled_mask, mask_d = c->dtlb.settled_mask;
  const uint32_t line_bits_d = c->l1d.line_bits, page_bits = c->page_bits;
  const uint32_t fetch_page_bits = page_bits - c->l1i.line_bits + 1;

  while (at < end) {
    const struct segment* const s = (const struct segment*)(uintptr_t)*at++;
    uint64_t cycles = 0;
    unsigned i;
    if (last && last->leave != LEAVE_NOT) cycles += left(c, last, s->address);
    parts += s->parts;
    packed += s->counts;
    dependency += s->dependency;

    for (i = 0; i < s->fetches; ++i) {
      const fetch what = s->lines[i];
      const uint64_t page = what >> fetch_page_bits;
      if (!likely(pages_i[page & mask_i] == page)) cycles += translate(c, &c->itlb, page, FETCH);
      if (!likely(settled_i[(what >> 1) & sets_i] == what >> 1) || (what & 1)) {
        const uint64_t next_page = (what + 2 * (what & 1)) >> fetch_page_bits;
        if (next_page != page && pages_i[next_page & mask_i] != next_page)
          cycles += translate(c, &c->itlb, next_page, FETCH);
        cycles += fetch_lookup(c, what);
      }
    }

    for (i = 0; i < s->operands; ++i) {
      const uint16_t code = s->codes[i];
      const uint64_t first = at[i], last_byte = first + (code & OPERAND_BYTES) - 1;
      const uint64_t line = first >> line_bits_d, page = first >> page_bits;
      if (!likely(settled_d[line & sets_d] == line && line == last_byte >> line_bits_d &&
                  pages_d[page & mask_d] == page)) {
        const enum cause cause = code & OPERAND_WRITES ? STORE : LOAD;
        const uint64_t last_page = last_byte >> page_bits;
        if (first == 0 && (code & OPERAND_GUARDED)) {
          packed -= counted_as(code);
          continue;
        }
        if (pages_d[page & mask_d] != page) cycles += translate(c, &c->dtlb, page, cause);
        if (last_page != page && pages_d[last_page & mask_d] != last_page)
          cycles += translate(c, &c->dtlb, last_page, cause);
        if (settled_d[line & sets_d] != line || line != last_byte >> line_bits_d)
          cycles += data_lookup(c, first, last_byte, cause);
      }
    }
    at += s->operands;

    parts += cycles * PARTS_PER_CYCLE;
    last = s;
    if (!likely(parts < c->slice_end)) {
      settle_counts(c, packed, parts, dependency);
      packed = dependency = 0;
      c->slice_ended(c);
    }
  }
  settle_counts(c, packed, parts, dependency);
  c->last = last;
}

void core_switch(struct core* c) { c->last = 0; }
