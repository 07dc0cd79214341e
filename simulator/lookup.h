/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses to caches and TLBs, and the time for which an in-order core waits for them. A header, so
 * that the compiler can inline them into both loops (execute.c and sample.c). */
#ifndef TACHO_LOOKUP_H
#define TACHO_LOOKUP_H

#include "core.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define out_of_line __attribute__((noinline))
#define always_inline inline __attribute__((always_inline))

static always_inline void wait(struct core* c, uint64_t cycles) {
  c->parts += cycles * PARTS_PER_CYCLE;
}

/* ---- Translation ---- */

/* The main TLB has brought in `page` and evicted `evicted`, which becomes a victim. Returns whether
 * `page` was a victim: then the two change places. The victims are one set, so a page's number is
 * its tag. */
static int swap_with_victim(struct cache* v, uint32_t page, uint32_t evicted, uint32_t now) {
  const int way = cache_find(v, 0, page);
  uint32_t lost;
  if (way >= 0) *cache_tag(v, 0, (unsigned)way) = evicted;
  if (evicted != NO_TAG) cache_access(v, evicted, now, 1, &lost);
  return way >= 0;
}

/* An access to the main TLB for a page that is not in its table. Returns the cycles that it takes.
 * A model without a main TLB has an empty table. */
static out_of_line uint64_t access_main_tlb(struct core* c, uint64_t address, uint32_t now,
                                            enum cause cause) {
  uint32_t evicted;
  int hit = 0;
  if (c->model.main_tlb.entries) {
    hit = fast_cache_unlisted(&c->main_tlb, address, now, 1, &evicted);
    if (!hit && c->victims.ways)
      hit = swap_with_victim(&c->victims, (uint32_t)(address >> c->main_tlb.bits), evicted, now);
  }
  c->counts[WALK_FETCHES + cause] += !hit;
  return hit ? c->model.main_tlb.latency : c->model.walk_latency;
}

/* Translates an address whose page is not in the table of the micro TLB. Returns the cycles that it
 * takes. */
static always_inline uint64_t translate(struct core* c, struct fast_cache* micro, uint32_t bits,
                                        int plain, uint64_t address, uint32_t now,
                                        enum cause cause) {
  uint32_t evicted;
  if (plain ? fast_cache_unlisted_plain(micro, bits, address, now, 1)
            : fast_cache_unlisted(micro, address, now, 1, &evicted))
    return 0;
  ++c->counts[ITLB_MISSES + cause];
  if (fast_cache_listed(&c->main_tlb, bits, address, now)) return c->model.main_tlb.latency;
  return access_main_tlb(c, address, now, cause);
}

static out_of_line uint64_t translate_any(struct core* c, struct fast_cache* micro,
                                          uint64_t address, uint32_t now, enum cause cause) {
  return translate(c, micro, micro->bits, 0, address, now, cause);
}

/* Translates any address. Returns the cycles that it takes. */
static always_inline uint64_t find_page(struct core* c, struct fast_cache* micro, uint64_t address,
                                        uint32_t now, enum cause cause) {
  if (fast_cache_listed(micro, micro->bits, address, now)) return 0;
  return translate_any(c, micro, address, now, cause);
}

/* ---- Caches ---- */

/* The cause of an operand with this code. */
static always_inline enum cause cause_of(uint32_t code) {
  return code & OPERAND_WRITES ? STORE : LOAD;
}

/* Whether an operand with this code brings its line into the first level. */
static always_inline int allocates(const struct core* c, uint32_t code) {
  return !(code & OPERAND_WRITES) || c->model.l1d.write_allocate;
}

static out_of_line int find_unlisted_line(struct fast_cache* l, uint64_t address, uint32_t now,
                                          int allocate) {
  uint32_t evicted;
  return fast_cache_unlisted(l, address, now, allocate, &evicted);
}

/* Looks up a line in a first-level cache; returns whether it was there. */
static always_inline int find_line(struct fast_cache* l, uint64_t address, uint32_t now,
                                   int allocate) {
  return fast_cache_listed(l, l->bits, address, now) ||
         find_unlisted_line(l, address, now, allocate);
}

/* Looks up a line in the L1D; returns whether it was there. */
static always_inline int find_data_line(struct core* c, uint32_t code, uint64_t address,
                                        uint32_t now) {
  struct fast_cache* const l = &c->l1d;
  if (fast_cache_listed(l, l->bits, address, now)) return 1;
  return likely(l->cache.plain)
             ? fast_cache_unlisted_plain(l, l->bits, address, now, allocates(c, code))
             : find_unlisted_line(l, address, now, allocates(c, code));
}

static int access_outer_cache(struct level* l, uint64_t line, uint32_t now, int allocate) {
  uint32_t evicted;
  return cache_access(&l->cache, line, now, allocate, &evicted);
}

/* Accesses the bytes from `first` to `last`, which all levels before `l` missed. If they lie in two
 * lines, each level looks up both; a miss of either or of both counts as one miss, since one access
 * causes it. Returns the level that has them. */
static out_of_line struct level* access_outer_levels(struct core* c, struct level* l,
                                                     uint64_t first, uint64_t last, uint32_t now,
                                                     enum cause cause) {
  uint64_t* misses = &c->counts[L2_FETCH_MISSES + 3 * (l - c->outer) + cause];
  for (; !l->is_memory; ++l, misses += 3) {
    const int allocate = cause != STORE || l->write_allocate;
    const uint64_t from = first >> l->line_bits, to = last >> l->line_bits;
    int hit = access_outer_cache(l, from, now, allocate);
    if (from != to) hit &= access_outer_cache(l, to, now + 1, allocate);
    if (hit) break;
    ++*misses;
  }
  return l;
}

/* access_outer_levels from the first outer level on: mostly it has the bytes, in one line. */
static always_inline struct level* find_outer(struct core* c, uint64_t first, uint64_t last,
                                              uint32_t now, enum cause cause) {
  struct level* const l = c->outer;
  if (!likely(l->is_plain) || (first ^ last) >> l->line_bits)
    return access_outer_levels(c, l, first, last, now, cause);
  if (cache_access_plain(&l->cache, first >> l->line_bits, now,
                         cause != STORE || l->write_allocate))
    return l;
  ++c->counts[L2_FETCH_MISSES + cause];
  return access_outer_levels(c, l + 1, first, last, now, cause);
}

/* Executes one fetch: one line, or two if an instruction lies in both. */
static always_inline void fetch_lines(struct core* c, fetch wanted, uint32_t now) {
  const uint64_t line = wanted >> 1 << c->l1i.bits, next = line + ((wanted & 1) << c->l1i.bits);
  int hit;
  wait(c, find_page(c, &c->itlb, line, now, FETCH));
  hit = find_line(&c->l1i, line, now, 1);
  if (next != line) {
    wait(c, find_page(c, &c->itlb, next, now + 1, FETCH));
    hit &= find_line(&c->l1i, next, now + 1, 1);
  }
  if (hit) return;
  ++c->counts[L1I_MISSES];
  c->parts += access_outer_levels(c, c->outer, line, next, now, FETCH)->wait[FETCH];
}

/* ---- Prefetched lines ---- */

/* The place of a line among `count` that are on their way, or `count` if it is not. Removes those
 * that are ready. */
static unsigned find_fill(const struct core* c, struct fill_buffer* fills, uint32_t* count,
                          uint64_t line) {
  uint32_t i, left = 0;
  for (i = 0; i < *count; ++i)
    if (fills[i].ready > c->parts + c->ahead) fills[left++] = fills[i];
  *count = left;
  for (i = 0; i < left; ++i)
    if (fills[i].line == line) break;
  return i;
}

static void wait_until(struct core* c, uint64_t ready) {
  const uint64_t rest = ready - (c->parts + c->ahead);
  c->parts += rest;
  c->late_parts[LATE_LOAD] += rest;
}

/* An access to a line that may be in a fill buffer. A load waits until the line is ready. A store
 * does not wait, but it has listed the line: the line leaves the table again, so that a later load
 * comes here and waits. */
static out_of_line void await_line(struct core* c, uint32_t code, uint64_t address) {
  const unsigned fill = find_fill(c, c->fill_buffers, &c->fills, address >> c->l1d.bits);
  if (fill == c->fills) return;
  if (code & OPERAND_WRITES)
    fast_cache_unlist(&c->l1d, address);
  else
    wait_until(c, c->fill_buffers[fill].ready);
}

/* When a cache sends a line that is wanted at the time `at`. Lines are asked for in the order of
 * the program, not of time, so one that is wanted late does not hold up those that follow. */
static always_inline uint64_t sent_at(const struct core* c, struct level* l, uint64_t at) {
  const uint64_t now = c->parts + c->ahead, begins = at < l->free ? l->free : at;
  l->free = (l->free < now ? now : l->free) + l->line_parts;
  return begins;
}

/* The hardware prefetcher asks for a line at the time `at`: all levels but the first get it. */
static void bring_line(struct core* c, uint64_t line, uint64_t at, uint32_t now) {
  struct level* l = c->outer;
  const uint64_t address = line << l->line_bits;
  if (c->lines_on_the_way == LINES_ON_THE_WAY || access_outer_cache(l, line, now, 1)) return;
  for (++l; !l->is_memory; ++l)
    if (access_outer_cache(l, address >> l->line_bits, now, 1)) break;
  if (l->is_memory) {
    if (at < c->memory_free) at = c->memory_free;
    c->memory_free = at + c->model.prefetch.line_cycles * PARTS_PER_CYCLE;
  } else {
    at = sent_at(c, l, at);
  }
  c->on_the_way[c->lines_on_the_way].line = line;
  c->on_the_way[c->lines_on_the_way++].ready = at + l->wait[LOAD];
}

/* The first level has asked the second for an address at the time `at`: the hardware prefetcher
 * follows the stream. Returns when the line is ready if it was still on its way, or 0. */
static out_of_line uint64_t follow_stream(struct core* c, uint64_t address, uint64_t at,
                                          uint32_t now) {
  const uint64_t line = address >> c->outer->line_bits;
  const unsigned fill = find_fill(c, c->on_the_way, &c->lines_on_the_way, line);
  const uint64_t ready = fill < c->lines_on_the_way ? c->on_the_way[fill].ready : 0;
  uint64_t asked[2];
  const unsigned count = streams_request(&c->streams, line, asked);
  unsigned i;
  for (i = 0; i < count; ++i) bring_line(c, asked[i], at, now + 1);
  return ready;
}

/* As follow_stream, on an in-order core. A load waits. */
static out_of_line void follow_stream_in_order(struct core* c, uint64_t address, uint64_t at,
                                               uint32_t now, enum cause cause) {
  const uint64_t ready = follow_stream(c, address, at, now);
  if (cause == LOAD && ready > c->parts + c->ahead) wait_until(c, ready);
}

/* A prefetch is not counted. */
static const enum column counted_by_loads[] = {L1D_LOAD_MISSES, L2_LOAD_MISSES, L3_LOAD_MISSES,
                                               DTLB_LOAD_MISSES, WALK_LOADS};
#define COUNTED_BY_LOADS (sizeof counted_by_loads / sizeof counted_by_loads[0])

struct kept_counts {
  uint64_t of[COUNTED_BY_LOADS];
};

static void keep_counts(const struct core* c, struct kept_counts* kept) {
  unsigned i;
  for (i = 0; i < COUNTED_BY_LOADS; ++i) kept->of[i] = c->counts[counted_by_loads[i]];
}

static void restore_counts(struct core* c, const struct kept_counts* kept) {
  unsigned i;
  for (i = 0; i < COUNTED_BY_LOADS; ++i) c->counts[counted_by_loads[i]] = kept->of[i];
}

static void access_lines(struct core* c, uint32_t code, uint64_t first, uint32_t now);

/* A prefetch on an in-order core, of a line that is not in the table of the L1D. The access runs as
 * a load would; then its counts and its time are taken back, and the line is ready after that time.
 * If all fill buffers are in use, the prefetch first waits for the earliest of them. */
static out_of_line void prefetch_line(struct core* c, uint64_t address, uint32_t now) {
  const uint64_t begun = c->parts, late = c->late_parts[LATE_LOAD];
  struct kept_counts kept;
  unsigned fill = find_fill(c, c->fill_buffers, &c->fills, address >> c->l1d.bits), i;
  keep_counts(c, &kept);
  wait(c, find_page(c, &c->dtlb, address, now, LOAD));
  access_lines(c, 1 | OPERAND_PREFETCH, address, now);
  const uint64_t takes = c->parts - begun;
  const int missed = c->counts[L1D_LOAD_MISSES] != kept.of[0];
  restore_counts(c, &kept);
  c->parts = begun;
  c->late_parts[LATE_LOAD] = late;
  if (missed && fill == c->fills) {
    if (c->fills == FILL_BUFFERS) {
      for (fill = 0, i = 1; i < FILL_BUFFERS; ++i)
        if (c->fill_buffers[i].ready < c->fill_buffers[fill].ready) fill = i;
      wait_until(c, c->fill_buffers[fill].ready);
    } else {
      ++c->fills;
    }
    c->fill_buffers[fill].line = address >> c->l1d.bits;
    c->fill_buffers[fill].ready = c->parts + c->ahead + takes;
  }
  if (fill < c->fills) fast_cache_unlist(&c->l1d, address);
}

/* ---- Operands ---- */

/* Looks up the line or the two lines of an operand in the first level, and the page of the second
 * line, which adds to `cycles`. Returns whether all were there. */
static always_inline int find_lines(struct core* c, uint32_t code, uint64_t first, uint32_t now,
                                    uint64_t* cycles) {
  const uint64_t last = first + (code & OPERAND_BYTES) - 1;
  const int hit = find_data_line(c, code, first, now);
  if (likely((first ^ last) >> c->l1d.bits == 0)) return hit;
  if ((first ^ last) >> c->dtlb.bits)
    *cycles += find_page(c, &c->dtlb, last, now + 1, cause_of(code));
  return find_data_line(c, code, last, now + 1) & hit;
}

/* An operand on an in-order core. */
static out_of_line void access_lines(struct core* c, uint32_t code, uint64_t first, uint32_t now) {
  const uint64_t last = first + (code & OPERAND_BYTES) - 1;
  const int two = (first ^ last) >> c->l1d.bits != 0;
  const enum cause cause = cause_of(code);
  uint64_t cycles = 0;
  const int hit = find_lines(c, code, first, now, &cycles);
  wait(c, cycles);
  if (!hit) {
    const uint64_t at = c->parts + c->ahead;
    ++c->counts[L1I_MISSES + cause];
    c->parts += access_outer_levels(c, c->outer, first, last, now, cause)->wait[cause];
    if (c->streams.count) follow_stream_in_order(c, first, at, now, cause);
  }
  /* A prefetch does not wait for its own miss, so it does not wait for fill buffers either. */
  if (!c->fills || code & OPERAND_PREFETCH) return;
  /* After the miss of the other line: while the access waited for that, prefetched lines came
   * closer. */
  await_line(c, code, first);
  if (two) await_line(c, code, last);
}

#endif
