/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated core. Speed rests on one fact: most accesses go to the line (and the page) that its
 * set used last, and change nothing there. The `settled` arrays say so in one comparison; only what
 * fails it is looked up. */
#include "core.h"

#define NO_NUMBER (~0ull) /* no line and no page has it */
#define likely(x) __builtin_expect(!!(x), 1)
#define slow __attribute__((noinline))
#define always_inline inline __attribute__((always_inline))

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
  t->keeps_track = m->replacement != REPLACE_LRU || m->victims > 0;
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
  c->fetch_state = 1;
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
  c->counters = 0;
  if (m->branch.direction != DIRECTION_FIXED) {
    c->counters = allocate("counters", m->branch.entries);
    for (i = 0; i < m->branch.entries; ++i) c->counters[i] = 1; /* weakly not taken */
  }
  if (m->branch.targets) c->targets = numbers(m->branch.targets, NO_NUMBER, allocate);
  for (i = 0; i < 64; ++i) c->returns[i] = NO_NUMBER;
  c->returns_top = 0;
  c->history = 0;
  c->history_mask = (1ull << m->branch.history) - 1;
  c->counters_mask = m->branch.entries - 1;
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

/* A page that had to go from a TLB is no longer settled there, and may be kept among the victims.
 * Whether these had the page that came. */
static slow int let_go(struct tlb* t, uint64_t page, uint64_t gone) {
  struct cache* const v = &t->victims;
  uint32_t evicted;
  int way;
  if (t->settled[gone & t->settled_mask] == gone) t->settled[gone & t->settled_mask] = NO_NUMBER;
  if (!v->ways) return 0;
  way = cache_find(v->tags, v->padded, (uint32_t)page);
  if (gone == NO_NUMBER) {
    if (way >= 0) v->tags[way] = NO_TAG;
    return way >= 0;
  }
  if (way >= 0) v->tags[way] = (uint32_t)gone; /* they change places */
  cache_access(v, 0, (uint32_t)gone, 1, &evicted);
  return way >= 0;
}

static always_inline int tlb_access(struct tlb* t, uint64_t page) {
  uint32_t tag, gone;
  const uint64_t set = cache_split(&t->cache, page, &tag);
  if (cache_access(&t->cache, set, tag, 1, &gone)) return 1;
  if (t->keeps_track)
    return let_go(t, page, gone == NO_TAG ? NO_NUMBER : (uint64_t)gone << t->cache.set_bits | set);
  return 0;
}

/* The cycles that a translation costs which is not settled. */
static slow uint64_t translate(struct core* c, struct tlb* micro, uint64_t page, enum cause cause) {
  uint64_t cycles;
  c->fetch_state += cause == FETCH;
  micro->settled[page & micro->settled_mask] = page;
  if (tlb_access(micro, page)) return 0;
  ++c->counts[ITLB_MISSES + cause];
  if (c->model.main_tlb.entries && tlb_access(&c->main_tlb, page)) {
    cycles = c->main_tlb.stall;
  } else {
    ++c->counts[WALK_FETCHES + cause];
    cycles = c->model.walk_latency;
  }
  c->counts[cause == FETCH ? STALL_ITLB : STALL_DTLB] += cycles;
  return cycles;
}

/* ---- Caches ---- */

/* Whether a first level had the line; it is settled there now, unless it was not brought in. */
static always_inline int level1(struct level* l, uint64_t* settled, uint64_t line, int allocate) {
  const uint64_t set = line & (l->cache.sets - 1);
  uint32_t evicted;
  const int hit = cache_access(&l->cache, set, (uint32_t)(line >> l->cache.set_bits), allocate, &evicted);
  if (hit || allocate) settled[set] = line;
  return hit;
}

static always_inline int outer_access(struct level* l, uint64_t line, int allocate) {
  uint32_t tag, evicted;
  const uint64_t set = cache_split(&l->cache, line, &tag);
  return cache_access(&l->cache, set, tag, allocate, &evicted);
}

/* What the bytes from `first` to `last` cost that the first level missed. All their lines are asked
 * for at each level that is asked at all, and count as one, as one access has asked for them. */
static slow uint64_t beyond_level1(struct core* c, uint64_t first, uint64_t last, enum cause cause) {
  uint64_t cycles = c->memory_stall[cause];
  uint32_t i;
  ++c->counts[L1I_MISSES + cause];
  for (i = 0; i < c->outer_levels; ++i) {
    struct level* const l = &c->outer[i];
    const int allocate = cause != STORE || l->write_allocate;
    const uint64_t from = first >> l->line_bits, to = last >> l->line_bits;
    int hit = outer_access(l, from, allocate);
    if (from != to) hit &= outer_access(l, to, allocate);
    if (hit) {
      cycles = l->stall[cause];
      break;
    }
    ++c->counts[L2_FETCH_MISSES + 3 * i + cause];
  }
  c->counts[cause == FETCH ? STALL_FETCH : STALL_FETCH + 1 + cause] += cycles;
  return cycles;
}

/* Of lines of which one at least is not settled. */
static slow uint64_t fetch_lines(struct core* c, uint64_t line, uint64_t next) {
  int hit = level1(&c->l1i, c->settled_i, line, 1);
  if (next != line) hit &= level1(&c->l1i, c->settled_i, next, 1);
  ++c->fetch_state;
  return hit ? 0 : beyond_level1(c, line << c->l1i.line_bits, next << c->l1i.line_bits, FETCH);
}

/* The cycles that an operand is waited for which is not settled. */
static slow uint64_t access_data(struct core* c, uint16_t code, uint64_t first, uint64_t last) {
  const enum cause cause = code & OPERAND_WRITES ? STORE : LOAD;
  const int allocate = cause != STORE || c->l1d.write_allocate;
  const uint64_t page = first >> c->page_bits, last_page = last >> c->page_bits;
  const uint64_t line = first >> c->l1d.line_bits, last_line = last >> c->l1d.line_bits;
  uint64_t cycles = 0;
  int hit;
  if (c->dtlb.settled[page & c->dtlb.settled_mask] != page)
    cycles = translate(c, &c->dtlb, page, cause);
  if (c->settled_d[line & (c->l1d.cache.sets - 1)] == line && line == last_line) return cycles;
  hit = level1(&c->l1d, c->settled_d, line, allocate);
  if (!likely(line == last_line)) {
    hit &= level1(&c->l1d, c->settled_d, last_line, allocate);
    if (c->dtlb.settled[last_page & c->dtlb.settled_mask] != last_page)
      cycles += translate(c, &c->dtlb, last_page, cause);
  }
  return hit ? cycles : cycles + beyond_level1(c, first, last, cause);
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

/* A 2-bit counter's next state, by its state and whether the branch was taken. */
static const uint8_t counted[4][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};

static always_inline unsigned mispredicts_direction(struct core* c, const struct segment* s,
                                                    uint64_t to, uint64_t* history) {
  const unsigned taken = (unsigned)(to == s->exit) ^ s->inverted;
  uint8_t* counter;
  unsigned predicted;
  if (!c->counters) return s->backward != taken;
  counter = &c->counters[(s->branch ^ (*history & c->history_mask)) & c->counters_mask];
  predicted = *counter >> 1;
  *counter = counted[*counter][taken];
  *history = *history << 1 | taken;
  return predicted ^ taken;
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

static slow uint64_t mispredicted(struct core* c) {
  ++c->counts[BRANCH_MISSES];
  c->counts[STALL_BRANCH] += c->model.branch.mispredict;
  return c->model.branch.mispredict;
}

/* ---- Executing ---- */

static void settle_counts(struct core* c, uint64_t packed, uint64_t parts,
                          uint64_t dependency, uint64_t branches) {
  c->counts[INSTRUCTIONS] += packed & COUNT_MASK;
  c->counts[LOADS] += (packed >> COUNT_BITS) & COUNT_MASK;
  c->counts[STORES] += packed >> (2 * COUNT_BITS);
  c->counts[BRANCHES] += branches;
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

/* The cycles that fetching a segment's instructions is held up. */
static slow uint64_t fetch_all(struct core* c, struct segment* s) {
  const uint32_t page_shift = c->page_bits - c->l1i.line_bits;
  const uint64_t before = c->fetch_state;
  uint64_t cycles = 0;
  unsigned i;
  for (i = 0; i < s->fetches; ++i) {
    const uint64_t line = s->lines[i] >> 1, next = line + (s->lines[i] & 1);
    const uint64_t page = line >> page_shift, next_page = next >> page_shift;
    if (c->itlb.settled[page & c->itlb.settled_mask] != page)
      cycles += translate(c, &c->itlb, page, FETCH);
    if (c->itlb.settled[next_page & c->itlb.settled_mask] != next_page)
      cycles += translate(c, &c->itlb, next_page, FETCH);
    if (c->settled_i[line & (c->l1i.cache.sets - 1)] != line ||
        c->settled_i[next & (c->l1i.cache.sets - 1)] != next)
      cycles += fetch_lines(c, line, next);
  }
  if (c->fetch_state == before) s->fetched_at = before;
  return cycles;
}

/* With line and page as constants the compiler keeps them out of the registers, of which there are
 * too few. */
static always_inline void run(struct core* c, const uint64_t* at, const uint64_t* end,
                              const uint32_t line_bits, const uint32_t page_bits) {
  struct segment* last = c->last;
  unsigned leave = last ? last->leave : LEAVE_NOT;
  uint64_t parts = c->parts, packed = 0, dependency = 0, branches = 0, history = c->history;
  const uint64_t *const lines = c->settled_d, *const pages = c->dtlb.settled;
  const uint64_t line_mask = c->l1d.cache.sets - 1, page_mask = c->dtlb.settled_mask;

  while (at < end) {
    struct segment* const s = (struct segment*)(uintptr_t)*at++;
    const unsigned operands = s->operands;
    uint64_t cycles = 0;
    unsigned i;
    if (leave == LEAVE_CONDITIONAL ? mispredicts_direction(c, last, s->address, &history)
                                   : leave && mispredicts_other(c, last, s->address))
      cycles += mispredicted(c);
    branches += leave != LEAVE_NOT;
    leave = s->leave;
    last = s;
    parts += s->parts;
    packed += s->counts;
    dependency += s->dependency;
    if (!likely(s->fetched_at == c->fetch_state)) cycles += fetch_all(c, s);

    for (i = 0; i < operands; ++i) {
      const uint16_t code = s->codes[i];
      const uint64_t first = at[i], last_byte = first + (code & OPERAND_BYTES) - 1;
      const uint64_t line = first >> line_bits, page = first >> page_bits;
      if (likely(((lines[line & line_mask] ^ line) | (line ^ (last_byte >> line_bits)) |
                  (pages[page & page_mask] ^ page)) == 0))
        continue;
      if (first == 0 && (code & OPERAND_GUARDED))
        packed -= counted_as(code);
      else
        cycles += access_data(c, code, first, last_byte);
    }
    at += operands;

    parts += cycles * PARTS_PER_CYCLE;
    if (!likely(parts < c->slice_end)) {
      settle_counts(c, packed, parts, dependency, branches);
      packed = dependency = branches = 0;
      c->slice_ended(c);
    }
  }
  settle_counts(c, packed, parts, dependency, branches);
  c->history = history;
  c->last = last;
}

void core_run(struct core* c, const uint64_t* at, const uint64_t* end) {
  if (c->page_bits == 12 && c->l1d.line_bits == 6)
    run(c, at, end, 6, 12);
  else if (c->page_bits == 12 && c->l1d.line_bits == 5)
    run(c, at, end, 5, 12);
  else
    run(c, at, end, c->l1d.line_bits, c->page_bits);
}

void core_switch(struct core* c) { c->last = 0; }
