/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated core. Nearly all accesses find their line and page in the first level; for them the
 * loop in `run` does no more than find them listed there and note the time. */
#include "core.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define slow __attribute__((noinline))
#define always_inline inline __attribute__((always_inline))

const char* const column_names[COLUMN_COUNT] = {
#define COLUMN(name, text) text,
    COLUMNS(COLUMN)
#undef COLUMN
};

/* ---- Making a core ---- */

static void level_init(struct level* level, const struct cache_model* m, allocate_fn allocate) {
  cache_init(&level->cache, m->size / (m->ways * m->line), m->ways,
             (enum replacement)m->replacement, allocate);
  level->line_bits = (uint32_t)__builtin_ctzll(m->line);
  level->write_allocate = (uint32_t)m->write_allocate;
}

static void level1_init(struct front* front, const struct cache_model* m, allocate_fn allocate) {
  front_init(front, m->size / (m->ways * m->line), m->ways, (enum replacement)m->replacement, allocate);
}

static void micro_init(struct front* front, const struct tlb_model* m, allocate_fn allocate) {
  front_init(front, m->entries / m->ways, m->ways, (enum replacement)m->replacement, allocate);
}

/* What finding something `latency` cycles away costs beyond finding it in the first level. */
static void set_stalls(uint32_t stall[3], const struct model* m, uint64_t latency) {
  const uint64_t beyond = latency > m->l1d.latency ? latency - m->l1d.latency : 0;
  const uint64_t waited = beyond > m->hidden ? beyond - m->hidden : 0;
  stall[FETCH] = (uint32_t)(latency > m->l1i.latency ? latency - m->l1i.latency : 0);
  stall[LOAD] = (uint32_t)waited;
  stall[STORE] = (uint32_t)(waited * m->store_percent / 100);
}

void core_init(struct core* c, const struct model* m, allocate_fn allocate,
               void (*slice_ended)(struct core*)) {
  const struct cache_model* const outer[2] = {&m->l2, &m->l3};
  uint64_t i;
  c->model = *m;
  c->slice_ended = slice_ended;
  level1_init(&c->l1i, &m->l1i, allocate);
  level1_init(&c->l1d, &m->l1d, allocate);
  micro_init(&c->itlb, &m->itlb, allocate);
  micro_init(&c->dtlb, &m->dtlb, allocate);
  c->line_bits_i = (uint32_t)__builtin_ctzll(m->l1i.line);
  c->line_bits_d = (uint32_t)__builtin_ctzll(m->l1d.line);
  c->page_bits = (uint32_t)__builtin_ctzll(m->page);
  c->now = 1;
  c->fetch_changes = 1;
  c->outer_levels = 0;
  for (i = 0; i < 2 && outer[i]->size; ++i) {
    level_init(&c->outer[i], outer[i], allocate);
    set_stalls(c->outer[i].stall, m, outer[i]->latency);
    ++c->outer_levels;
  }
  set_stalls(c->memory_stall, m, m->memory_latency);
  c->victims.ways = 0;
  if (m->main_tlb.entries) {
    cache_init(&c->main_tlb, m->main_tlb.entries / m->main_tlb.ways, m->main_tlb.ways,
               (enum replacement)m->main_tlb.replacement, allocate);
    if (m->main_tlb.victims) cache_init(&c->victims, 1, m->main_tlb.victims, REPLACE_LRU, allocate);
  }
  c->counters = 0;
  if (m->branch.direction != DIRECTION_FIXED) {
    c->counters = allocate("counters", m->branch.entries);
    for (i = 0; i < m->branch.entries; ++i) c->counters[i] = 1; /* weakly not taken */
  }
  c->targets = m->branch.targets ? allocate("targets", m->branch.targets * sizeof *c->targets) : 0;
  for (i = 0; i < m->branch.targets; ++i) c->targets[i] = NO_NUMBER;
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

/* Whether the victims had the page that the main TLB has now; what that let go comes to them. */
static slow int victims_had(struct cache* v, uint64_t page, uint64_t gone) {
  const int way = cache_find(v->tags, v->padded, (uint32_t)page);
  uint32_t evicted;
  if (way >= 0) v->tags[way] = gone == NO_NUMBER ? NO_TAG : (uint32_t)gone; /* they change places */
  if (gone != NO_NUMBER) cache_access(v, 0, (uint32_t)gone, 1, &evicted);
  return way >= 0;
}

static always_inline int main_tlb_had(struct core* c, uint64_t page) {
  uint32_t tag, gone;
  const uint64_t set = cache_split(&c->main_tlb, page, &tag);
  if (cache_access(&c->main_tlb, set, tag, 1, &gone)) return 1;
  if (!c->victims.ways) return 0;
  return victims_had(&c->victims, page,
                     gone == NO_TAG ? NO_NUMBER : (uint64_t)gone << c->main_tlb.set_bits | set);
}

/* The cycles that a translation costs which the micro TLB's table does not list. */
static slow uint64_t translate(struct core* c, struct front* micro, uint64_t page, uint64_t now,
                               enum cause cause) {
  uint64_t cycles;
  if (front_access(micro, page, now, 1)) return 0;
  ++c->counts[ITLB_MISSES + cause];
  if (c->model.main_tlb.entries && main_tlb_had(c, page)) {
    cycles = c->model.main_tlb.latency;
  } else {
    ++c->counts[WALK_FETCHES + cause];
    cycles = c->model.walk_latency;
  }
  c->counts[cause == FETCH ? STALL_ITLB : STALL_DTLB] += cycles;
  return cycles;
}

/* The same for any page. */
static always_inline uint64_t find_page(struct core* c, struct front* micro, uint64_t page,
                                        uint64_t now, enum cause cause) {
  const struct known* const place = front_place(micro, page);
  if (!likely(place->number == page)) return translate(c, micro, page, now, cause);
  *place->stamp = now;
  return 0;
}

/* ---- Caches ---- */

/* Whether a first level had the line. */
static always_inline int find_line(struct front* l, uint64_t line, uint64_t now, int allocate) {
  const struct known* const place = front_place(l, line);
  if (place->number != line) return front_access(l, line, now, allocate);
  *place->stamp = now;
  return 1;
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

/* The cycles that fetching a segment's instructions is held up. */
static slow uint64_t fetch_all(struct core* c, struct segment* s, uint64_t now) {
  const uint32_t page_shift = c->page_bits - c->line_bits_i;
  uint64_t cycles = 0, first = 0, last = 0, before = c->fetch_changes;
  unsigned i;
  for (i = 0; i < s->fetches; ++i, now += 2) {
    const uint64_t line = s->lines[i] >> 1, next = line + (s->lines[i] & 1);
    int hit;
    cycles += find_page(c, &c->itlb, line >> page_shift, now, FETCH);
    hit = find_line(&c->l1i, line, now, 1);
    if (next != line) {
      cycles += find_page(c, &c->itlb, next >> page_shift, now + 1, FETCH);
      hit &= find_line(&c->l1i, next, now + 1, 1);
    }
    if (!hit) cycles += beyond_level1(c, line << c->line_bits_i, next << c->line_bits_i, FETCH);
    if (i == 0) first = line;
    last = next;
  }
  c->fetch_changes = c->l1i.changes + c->itlb.changes;
  /* The rest of an instruction that is left in its middle fetches nothing. */
  if (s->fetches && c->fetch_changes == before && last - first <= 1 &&
      first >> page_shift == last >> page_shift) {
    const struct known* const places[3] = {front_place(&c->l1i, first), front_place(&c->l1i, last),
                                           front_place(&c->itlb, first >> page_shift)};
    for (i = 0; i < 3; ++i) s->stamps[i] = places[i]->stamp;
    s->present_at = before;
  }
  return cycles;
}

/* The cycles that an operand is waited for whose line or page is not listed, or which has two. */
static slow uint64_t access_data(struct core* c, uint16_t code, uint64_t first, uint64_t last,
                                 uint64_t now) {
  const enum cause cause = code & OPERAND_WRITES ? STORE : LOAD;
  const int allocate = cause != STORE || c->model.l1d.write_allocate;
  const uint64_t page = first >> c->page_bits, last_page = last >> c->page_bits;
  const uint64_t line = first >> c->line_bits_d, last_line = last >> c->line_bits_d;
  uint64_t cycles = find_page(c, &c->dtlb, page, now, cause);
  int hit = find_line(&c->l1d, line, now, allocate);
  if (last_line != line) {
    if (last_page != page) cycles += find_page(c, &c->dtlb, last_page, now + 1, cause);
    hit &= find_line(&c->l1d, last_line, now + 1, allocate);
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

/* With line and page as constants the compiler keeps them out of the registers, of which there are
 * too few. */
static always_inline void run(struct core* c, const uint64_t* at, const uint64_t* end,
                              const uint32_t line_bits, const uint32_t page_bits) {
  struct segment* last = c->last;
  unsigned leave = last ? last->leave : LEAVE_NOT;
  uint64_t parts = c->parts, packed = 0, dependency = 0, branches = 0, history = c->history;
  uint64_t now = c->now, fetch_changes = c->fetch_changes;
  const struct known *const lines = c->l1d.known, *const pages = c->dtlb.known;

  while (at < end) {
    struct segment* const s = (struct segment*)(uintptr_t)*at++;
    const uint16_t* code = s->codes;
    const uint64_t* const operands_end = at + s->operands;
    uint64_t cycles = 0;
    if (leave == LEAVE_CONDITIONAL ? mispredicts_direction(c, last, s->address, &history)
                                   : leave && mispredicts_other(c, last, s->address))
      cycles += mispredicted(c);
    branches += leave != LEAVE_NOT;
    leave = s->leave;
    last = s;
    parts += s->parts;
    packed += s->counts;
    dependency += s->dependency;
    if (likely(s->present_at == fetch_changes)) {
      *s->stamps[0] = now;
      *s->stamps[1] = now + 1;
      *s->stamps[2] = now;
      now += 2;
    } else {
      cycles += fetch_all(c, s, now);
      fetch_changes = c->fetch_changes;
      now += 2 * s->fetches;
    }

    for (; at < operands_end; ++at, ++code, now += 2) {
      const uint64_t first = *at, last_byte = first + (*code & OPERAND_BYTES) - 1;
      const uint64_t line = first >> line_bits, page = first >> page_bits;
      const struct known *const l = &lines[line & (KNOWN - 1)], *const p = &pages[page & (KNOWN - 1)];
      if (likely(((l->number ^ line) | (line ^ (last_byte >> line_bits)) | (p->number ^ page)) == 0)) {
        *l->stamp = now;
        *p->stamp = now;
      } else if (first == 0 && (*code & OPERAND_GUARDED)) {
        packed -= counted_as(*code);
      } else {
        cycles += access_data(c, *code, first, last_byte, now);
      }
    }

    parts += cycles * PARTS_PER_CYCLE;
    if (!likely(parts < c->slice_end)) {
      settle_counts(c, packed, parts, dependency, branches);
      packed = dependency = branches = 0;
      c->slice_ended(c);
    }
  }
  settle_counts(c, packed, parts, dependency, branches);
  c->history = history;
  c->now = now;
  c->last = last;
}

void core_run(struct core* c, const uint64_t* at, const uint64_t* end) {
  if (c->page_bits == 12 && c->line_bits_d == 6)
    run(c, at, end, 6, 12);
  else if (c->page_bits == 12 && c->line_bits_d == 5)
    run(c, at, end, 5, 12);
  else
    run(c, at, end, c->line_bits_d, c->page_bits);
}

void core_switch(struct core* c) { c->last = 0; }
