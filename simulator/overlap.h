/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An out-of-order core goes on while data are on their way. Instructions enter its window in the
 * order of the program, and leave it in this order when they are complete: so it waits only if the
 * oldest one is not complete and the window is full. Work that needs late data begins when they are
 * ready. While nothing is on its way, none of this is needed.
 *
 * Memory-level parallelism as in interval simulation (D. Genbrugge, S. Eyerman and L. Eeckhout,
 * HPCA 2010), here with the dependences of each segment. A header, so that the compiler can inline
 * it into both loops (execute.c and sample.c). */
#ifndef TACHO_OVERLAP_H
#define TACHO_OVERLAP_H

#include "lookup.h"

static always_inline uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* ---- The window ---- */

/* Waits until the oldest of a queue is ready, and removes it. What it waits for at the end is the
 * line; what comes before is the translation, if it took so long. */
static void wait_for_oldest(struct core* c, struct late_queue* q, enum late_kind kind) {
  const struct late* const oldest = &q->at[q->first];
  const uint64_t now = c->parts + c->ahead;
  q->first = (q->first + 1) % MAX_LATE;
  --q->count;
  if (oldest->ready > now) {
    const uint64_t waited = oldest->ready - now, line = oldest->ready - oldest->translated;
    uint64_t translation = waited > line ? waited - line : 0;
    if (translation > oldest->translation) translation = oldest->translation;
    c->parts += waited;
    c->late_parts[kind] += waited - translation;
    c->late_parts[LATE_TRANSLATION] += translation;
  }
}

/* Makes room: there are at most `room` numbers from the oldest of a queue to `entered`. */
static void let_leave(struct core* c, struct late_queue* q, uint64_t entered, uint64_t room,
                      enum late_kind kind) {
  while (q->count && q->at[q->first].number + room <= entered) wait_for_oldest(c, q, kind);
}

static void add_late(struct core* c, struct late_queue* q, const struct late* late,
                     enum late_kind kind) {
  if (q->count == MAX_LATE) wait_for_oldest(c, q, kind);
  q->at[(q->first + q->count++) % MAX_LATE] = *late;
}

static always_inline uint64_t instructions_of(const struct segment* s) {
  return s->counts & COUNT_MASK;
}

static always_inline uint64_t stores_of(const struct segment* s) {
  return s->counts >> (2 * COUNT_BITS);
}

static always_inline int something_is_on_its_way(const struct core* c) {
  return c->window.until > c->parts + c->ahead;
}

static void take_dependences(struct window* w, const struct segment* s) {
  w->next = dependences_of(s);
  w->end = w->next + s->dependences;
}

/* A segment enters the window. */
static void enter_window(struct core* c, const struct segment* s) {
  struct window* const w = &c->window;
  w->instructions += instructions_of(s);
  w->stores += stores_of(s);
  let_leave(c, &w->late_loads, w->instructions, c->model.window.instructions, LATE_LOAD);
  let_leave(c, &w->late_stores, w->stores, c->model.window.stores, LATE_STORE);
  take_dependences(w, s);
}

/* A segment is the first in the window. Nothing that its first `i` operands need is late. */
static void begin_window(struct core* c, const struct segment* s, uint32_t i) {
  struct window* const w = &c->window;
  uint32_t before;
  w->instructions = instructions_of(s);
  w->stores = stores_of(s);
  w->late_loads.count = w->late_stores.count = 0;
  take_dependences(w, s);
  while (w->next != w->end && w->next->to < i) ++w->next;
  for (before = 0; before < i; ++before) w->ready[FROM_OPERAND + before] = 0;
}

/* When all that a value needs is ready. Values are asked for in the order of the dependences. */
static always_inline uint64_t ready_for(struct window* w, uint32_t to) {
  uint64_t ready = 0;
  for (; w->next != w->end && w->next->to == to; ++w->next)
    ready = later(ready, w->ready[w->next->from] + w->next->after * (uint64_t)PARTS_PER_CYCLE);
  return ready;
}

/* A segment ends: registers get what it has left in them. */
static void end_in_window(struct core* c) {
  struct window* const w = &c->window;
  uint64_t ready[FROM_NOTHING];
  uint16_t registers[FROM_NOTHING];
  uint32_t count = 0;
  w->branch = ready_for(w, TO_BRANCH);
  while (w->next != w->end) {
    registers[count] = w->next->to - TO_REGISTER;
    ready[count++] = ready_for(w, w->next->to);
  }
  while (count--) w->ready[registers[count]] = ready[count];
}

/* A mispredicted branch is known as such when what it needs is ready. */
static always_inline void wait_for_branch(struct core* c) {
  if (c->window.branch > c->parts + c->ahead) wait_until(c, c->window.branch);
}

/* ---- Operands ---- */

/* When a page table walk ends that can begin at a time and takes so long. */
static uint64_t walk_ends(struct core* c, uint64_t begins, uint64_t takes) {
  uint64_t* const ends = c->window.walks;
  uint32_t i, first = 0;
  for (i = 1; i < c->model.window.walks; ++i)
    if (ends[i] < ends[first]) first = i;
  return ends[first] = later(begins, ends[first]) + takes;
}

static always_inline uint64_t asked_bit(uint64_t line) {
  return (uint64_t)1 << line % 64;
}

/* Asks for a line of the first level at a time. It is there after the time that it takes, but not
 * before `least`. Returns when that is. */
static uint64_t ask_for(struct core* c, uint64_t line, uint64_t at, uint64_t takes,
                        uint64_t least) {
  struct asked_line* const asked = c->window.asked;
  uint32_t i, first = 0;
  for (i = 1; i < c->model.window.misses; ++i)
    if (asked[i].ready < asked[first].ready) first = i;
  asked[first].line = line;
  c->window.asked_bits = 0;
  for (i = 0; i < c->model.window.misses; ++i) c->window.asked_bits |= asked_bit(asked[i].line);
  return asked[first].ready = later(later(at, asked[first].ready) + takes, least);
}

/* When a line of the first level arrives that was asked for; or a time that is over. */
static uint64_t line_arrives(const struct core* c, uint64_t line) {
  const struct asked_line* const asked = c->window.asked;
  uint32_t i;
  if (!(c->window.asked_bits & asked_bit(line))) return 0;
  for (i = 0; i < c->model.window.misses; ++i)
    if (asked[i].line == line) return asked[i].ready;
  return 0;
}

/* The lines of an operand have missed the first level. Returns when they are there. */
static uint64_t bring_in(struct core* c, uint32_t code, uint64_t first, uint64_t at, uint32_t now) {
  const uint64_t last = first + (code & OPERAND_BYTES) - 1;
  const enum cause cause = cause_of(code);
  struct level* const l = find_outer(c, first, last, now, cause);
  const uint64_t prefetched = c->streams.count ? follow_stream(c, first, at, now) : 0;
  ++c->counts[L1I_MISSES + cause];
  if (!l->is_memory) at = sent_at(c, l, at);
  return ask_for(c, first >> c->l1d.bits, at, l->wait[cause], prefetched);
}

/* When the lines of an operand arrive, which are listed in the first level. */
static uint64_t lines_arrive(const struct core* c, uint32_t code, uint64_t first) {
  const uint64_t line = first >> c->l1d.bits;
  const uint64_t last = (first + (code & OPERAND_BYTES) - 1) >> c->l1d.bits;
  const uint64_t there = line_arrives(c, line);
  return line == last ? there : later(there, line_arrives(c, last));
}

static always_inline struct stored_word* stored_word(struct core* c, uint64_t address) {
  return &c->window.stored[(address >> 3) % STORED_WORDS];
}

static void store_word(struct core* c, uint64_t address, uint64_t ready) {
  *stored_word(c, address) = (struct stored_word){address >> 3, ready};
}

/* A load's value is there. */
static void load_in_window(struct core* c, uint32_t k, uint32_t code, uint64_t first,
                           struct late* late) {
  const uint64_t latency = c->model.l1d.latency * PARTS_PER_CYCLE;
  const struct stored_word* const stored = stored_word(c, first);
  struct window* const w = &c->window;
  late->ready = later(late->ready, late->translated);
  if (stored->word == first >> 3) late->ready = later(late->ready, stored->ready);
  late->ready += latency;
  late->number = w->instructions;
  w->ready[FROM_OPERAND + k] = late->ready;
  w->complete = later(w->complete, late->ready);
  if (code & OPERAND_UPDATES)
    store_word(c, first, late->ready + c->model.latency.integer * PARTS_PER_CYCLE);
  if (late->ready > c->parts + c->ahead + latency) {
    w->until = later(w->until, late->ready);
    add_late(c, &w->late_loads, late, LATE_LOAD);
  }
}

/* A store's line is there. What it stores is ready at `data`. */
static void store_in_window(struct core* c, uint64_t first, uint64_t data, struct late* late) {
  struct window* const w = &c->window;
  store_word(c, first, data);
  late->ready = later(late->ready, late->translated);
  late->number = w->stores;
  if (late->ready > c->parts + c->ahead) {
    w->until = later(w->until, late->ready);
    add_late(c, &w->late_stores, late, LATE_STORE);
  }
}

/* Prefetches a line: as a load that nothing waits for and that is not counted. */
static void prefetch_in_window(struct core* c, uint64_t address, uint32_t now) {
  const uint32_t code = 1 | OPERAND_PREFETCH;
  struct kept_counts kept;
  uint64_t cycles, at;
  keep_counts(c, &kept);
  cycles = find_page(c, &c->dtlb, address, now, LOAD);
  if (!find_lines(c, code, address, now, &cycles)) {
    at = c->parts + c->ahead + cycles * PARTS_PER_CYCLE;
    c->window.until = later(c->window.until, bring_in(c, code, address, at, now));
  }
  restore_counts(c, &kept);
}

/* Executes operand `k` of a segment, at an address. If nothing is on its way, `alone` is 1. Returns
 * whether something is on its way then. */
static always_inline int operand_in_window(struct core* c, const struct segment* s, uint32_t k,
                                           uint64_t first, uint32_t now, int alone) {
  struct window* const w = &c->window;
  const uint32_t code = s->codes[k];
  const enum cause cause = cause_of(code);
  const uint64_t time = c->parts + c->ahead;
  const uint64_t walks = c->counts[WALK_FETCHES + cause];
  const uint64_t needs = alone ? 0 : ready_for(w, k);
  struct late late;
  uint64_t cycles;
  int hit;
  w->ready[FROM_OPERAND + k] = 0;
  if (first == 0 && (code & OPERAND_GUARDED)) return !alone;
  if (code & OPERAND_PREFETCH) {
    prefetch_in_window(c, first, now);
    if (alone && !something_is_on_its_way(c)) return 0;
    if (alone) begin_window(c, s, k + 1);
    return 1;
  }
  cycles = find_page(c, &c->dtlb, first, now, cause);
  hit = find_lines(c, code, first, now, &cycles);
  if (alone) {
    if (hit && !cycles) return 0;
    begin_window(c, s, k + 1);
  }
  late.translated = cause == LOAD ? later(time, needs) : time;
  late.translation = late.translated;
  late.translated = c->counts[WALK_FETCHES + cause] != walks
                        ? walk_ends(c, late.translated, cycles * PARTS_PER_CYCLE)
                        : late.translated + cycles * PARTS_PER_CYCLE;
  late.translation = late.translated - late.translation;
  late.ready = hit ? lines_arrive(c, code, first) : bring_in(c, code, first, late.translated, now);
  if (cause == LOAD)
    load_in_window(c, k, code, first, &late);
  else
    store_in_window(c, first, needs, &late);
  return 1;
}

#endif
