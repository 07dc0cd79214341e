/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the core asks its caches, TLBs and predictor, and what it waits for them: for the two loops that
 * execute traces. Included by each, so that the compiler has it all at hand. */
#ifndef TACHO_LOOKUP_H
#define TACHO_LOOKUP_H

#include "core.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define slow __attribute__((noinline))
#define always_inline inline __attribute__((always_inline))

static always_inline void wait(struct core* c, uint64_t cycles) { c->parts += cycles * PARTS_PER_CYCLE; }

/* ---- Translation ---- */

/* Whether the victims had the page that the main TLB has now; `gone`, which that let go, comes to them.
 * Numbers of pages are their tags. */
static int victims_had(struct cache* v, uint32_t page, uint32_t gone, uint32_t now) {
  const int way = cache_find(v, 0, page);
  uint32_t evicted;
  if (way >= 0) *cache_tag(v, 0, (unsigned)way) = gone; /* they change places */
  if (gone != NO_TAG) cache_access(v, gone, now, 1, &evicted);
  return way >= 0;
}

/* The main TLB is asked for a page that it does not list. Without one it lists none. */
static slow void ask_main_tlb(struct core* c, uint64_t address, uint32_t now, enum cause cause) {
  uint32_t gone;
  int hit = 0;
  if (c->model.main_tlb.entries) {
    hit = front_unlisted(&c->main_tlb, address, now, 1, &gone);
    if (!hit && c->victims.ways) hit = victims_had(&c->victims, (uint32_t)(address >> c->main_tlb.bits), gone, now);
  }
  c->counts[WALK_FETCHES + cause] += !hit;
  wait(c, hit ? c->model.main_tlb.latency : c->model.walk_latency);
}

/* Waits for the translation of an address whose page the micro TLB does not list. */
static always_inline void translate(struct core* c, struct front* micro, uint32_t bits, int plain,
                                    uint64_t address, uint32_t now, enum cause cause) {
  uint32_t gone;
  if (plain ? front_unlisted_plain(micro, bits, address, now, 1)
            : front_unlisted(micro, address, now, 1, &gone))
    return;
  ++c->counts[ITLB_MISSES + cause];
  if (front_listed(&c->main_tlb, bits, address, now))
    wait(c, c->model.main_tlb.latency);
  else
    ask_main_tlb(c, address, now, cause);
}

static slow void translate_any(struct core* c, struct front* micro, uint64_t address, uint32_t now,
                               enum cause cause) {
  translate(c, micro, micro->bits, 0, address, now, cause);
}

/* The same for any address. */
static always_inline void find_page(struct core* c, struct front* micro, uint64_t address,
                                    uint32_t now, enum cause cause) {
  if (!front_listed(micro, micro->bits, address, now)) translate_any(c, micro, address, now, cause);
}

/* ---- Caches ---- */

static slow int find_unlisted_line(struct front* l, uint64_t address, uint32_t now, int allocate) {
  uint32_t gone;
  return front_unlisted(l, address, now, allocate, &gone);
}

/* Whether a first level had the line. */
static always_inline int find_line(struct front* l, uint64_t address, uint32_t now, int allocate) {
  return front_listed(l, l->bits, address, now) || find_unlisted_line(l, address, now, allocate);
}

static int outer_had(struct level* l, uint64_t line, uint32_t now, int allocate) {
  uint32_t gone;
  return cache_access(&l->cache, line, now, allocate, &gone);
}

/* Waits for the bytes from `first` to `last`, which the levels before `l` missed. All their lines are
 * asked for at each level that is asked at all, and count as one, as one access has asked for them. */
static slow void ask_levels(struct core* c, struct level* l, uint64_t first, uint64_t last, uint32_t now,
                            enum cause cause) {
  uint64_t* misses = &c->counts[L2_FETCH_MISSES + 3 * (l - c->outer) + cause];
  for (; !l->is_memory; ++l, misses += 3) {
    const int allocate = cause != STORE || l->write_allocate;
    const uint64_t from = first >> l->line_bits, to = last >> l->line_bits;
    int hit = outer_had(l, from, now, allocate);
    if (from != to) hit &= outer_had(l, to, now + 1, allocate);
    if (hit) break;
    ++*misses;
  }
  c->parts += l->wait[cause];
}

/* Fetches what one entry of a segment's lines says. */
static always_inline void fetch_lines(struct core* c, fetch wanted, uint32_t now) {
  const uint64_t line = wanted >> 1 << c->l1i.bits, next = line + ((wanted & 1) << c->l1i.bits);
  int hit;
  find_page(c, &c->itlb, line, now, FETCH);
  hit = find_line(&c->l1i, line, now, 1);
  if (next != line) {
    find_page(c, &c->itlb, next, now + 1, FETCH);
    hit &= find_line(&c->l1i, next, now + 1, 1);
  }
  if (hit) return;
  ++c->counts[L1I_MISSES];
  ask_levels(c, c->outer, line, next, now, FETCH);
}

/* Who makes an access with this code; whether it brings its line in. */
static always_inline enum cause cause_of(uint32_t code) { return code & OPERAND_WRITES ? STORE : LOAD; }

static always_inline int allocates(const struct core* c, uint32_t code) {
  return !(code & OPERAND_WRITES) || c->model.l1d.write_allocate;
}

/* ---- Lines on their way ---- */

/* The flight of an address's line, or how many there are. Those that have landed are forgotten. */
static unsigned find_flight(struct core* c, uint64_t address) {
  unsigned i = 0, found;
  while (i < c->in_flight)
    if (c->flights[i].ready <= c->parts + c->ahead)
      c->flights[i] = c->flights[--c->in_flight];
    else
      ++i;
  for (found = 0; found < c->in_flight; ++found)
    if (c->flights[found].line == address >> c->l1d.bits) break;
  return found;
}

static void wait_until(struct core* c, uint64_t ready) {
  const uint64_t rest = ready - (c->parts + c->ahead);
  c->parts += rest;
  c->late_parts += rest;
}

/* An access to a line that a prefetch has asked for: a load waits for what is left. A store does not, but
 * has listed the line, where a load behind it would find it. */
static slow void await_line(struct core* c, uint32_t code, uint64_t address) {
  const unsigned flight = find_flight(c, address);
  if (flight == c->in_flight) return;
  if (code & OPERAND_WRITES)
    front_unlist(&c->l1d, address);
  else
    wait_until(c, c->flights[flight].ready);
}

static void access_lines(struct core* c, uint32_t code, uint64_t first, uint32_t now);

/* A line is asked for that is not listed in the first level, and nothing waits for it: what a load would
 * wait, is when it comes. When as many lines as can be are on their way, the first has to come before it is
 * asked for. */
static slow void prefetch_line(struct core* c, uint64_t address, uint32_t now) {
  static const enum column counted_too[] = {L1D_LOAD_MISSES, L2_LOAD_MISSES, L3_LOAD_MISSES, DTLB_LOAD_MISSES,
                                            WALK_LOADS};
  enum { COUNTED = sizeof counted_too / sizeof counted_too[0] };
  const uint64_t begun = c->parts;
  uint64_t counts[COUNTED];
  unsigned flight = find_flight(c, address), i;
  for (i = 0; i < COUNTED; ++i) counts[i] = c->counts[counted_too[i]];
  find_page(c, &c->dtlb, address, now, LOAD);
  access_lines(c, 1 | OPERAND_PREFETCH, address, now);
  const uint64_t takes = c->parts - begun;
  const int missed = c->counts[L1D_LOAD_MISSES] != counts[0];
  for (i = 0; i < COUNTED; ++i) c->counts[counted_too[i]] = counts[i];
  c->parts = begun;
  if (missed && flight == c->in_flight) {
    if (c->in_flight == MOST_FLIGHTS) {
      for (flight = 0, i = 1; i < MOST_FLIGHTS; ++i)
        if (c->flights[i].ready < c->flights[flight].ready) flight = i;
      wait_until(c, c->flights[flight].ready);
    } else {
      ++c->in_flight;
    }
    c->flights[flight].line = address >> c->l1d.bits;
    c->flights[flight].ready = c->parts + c->ahead + takes;
  }
  if (flight < c->in_flight) front_unlist(&c->l1d, address);
}

/* ---- Operands ---- */

/* Looks up the lines of any operand, and the page of the second. */
static slow void access_lines(struct core* c, uint32_t code, uint64_t first, uint32_t now) {
  const uint64_t last = first + (code & OPERAND_BYTES) - 1;
  const int two = (first ^ last) >> c->l1d.bits != 0;
  int hit = find_line(&c->l1d, first, now, allocates(c, code));
  if (two) {
    if ((first ^ last) >> c->dtlb.bits) find_page(c, &c->dtlb, last, now + 1, cause_of(code));
    hit &= find_line(&c->l1d, last, now + 1, allocates(c, code));
  }
  if (!hit) {
    ++c->counts[L1I_MISSES + cause_of(code)];
    ask_levels(c, c->outer, first, last, now, cause_of(code));
  }
  /* Nothing waits for what a prefetch has missed: no line has come by the time when that will be there. */
  if (!c->in_flight || code & OPERAND_PREFETCH) return;
  /* Behind the other line's miss: a line on its way comes nearer in the meantime. */
  await_line(c, code, first);
  if (two) await_line(c, code, last);
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

/* Whether a condition is mispredicted; and the predictor is as it was if `changed` stays so. */
static always_inline unsigned mispredicts_direction(struct core* c, const struct segment* s, uint64_t to,
                                                    unsigned* changed) {
  const unsigned taken = (unsigned)(to == s->exit) ^ s->inverted;
  const uint64_t history = (c->history << 1 | taken) & c->history_mask;
  uint8_t* counter;
  unsigned state, next;
  if (!c->counters) return *changed = s->backward ^ taken;
  counter = &c->counters[(s->branch ^ c->history) & c->counters_mask];
  state = *counter;
  next = counted[state][taken];
  *changed = state != next || history != c->history;
  *counter = (uint8_t)next;
  c->history = history;
  return state >> 1 ^ taken;
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

static slow void mispredicted(struct core* c) {
  ++c->counts[BRANCH_MISSES];
  wait(c, c->model.branch.mispredict);
}

#endif
