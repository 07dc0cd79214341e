/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated core executes a trace. Nearly all accesses find their line and page in the first level;
 * for them the loop in `run` does no more than find them listed there and note the time. */
#include "execute.h"

#include "lookup.h"
#include "sample.h"

/* ---- Misses ---- */

/* As ask_levels, for bytes of one line of the first level: mostly the second has it. */
static always_inline void ask_level2(struct core* c, uint64_t first, uint64_t last, uint32_t now,
                                     enum cause cause) {
  struct level* const l = c->outer;
  if (!likely(l->is_plain)) {
    ask_levels(c, l, first, last, now, cause);
  } else if (cache_access_plain(&l->cache, first >> l->line_bits, now, cause != STORE || l->write_allocate)) {
    c->parts += l->wait[cause];
  } else {
    ++c->counts[L2_FETCH_MISSES + cause];
    ask_levels(c, l + 1, first, last, now, cause);
  }
}

/* Fetches a segment's instructions. */
static slow void fetch_all(struct core* c, struct segment* s, uint32_t now) {
  const uint32_t bits = c->l1i.bits, page_bits = c->itlb.bits;
  const uint64_t before = c->fetch_changes;
  uint64_t first, last;
  unsigned i;
  for (i = 0; i < s->fetches; ++i, now += 2) fetch_lines(c, s->lines[i], now);
  c->fetch_changes = c->l1i.changes + c->itlb.changes;
  /* The rest of an instruction that is left in its middle fetches nothing. */
  if (!s->fetches || c->fetch_changes != before) return;
  first = s->lines[0] >> 1 << bits;
  last = (s->lines[s->fetches - 1] >> 1 << bits) + ((s->lines[s->fetches - 1] & 1) << bits);
  if ((last - first) >> bits <= 1 && first >> page_bits == last >> page_bits) {
    s->stamps[0] = *front_place(&c->l1i, bits, first);
    s->stamps[1] = *front_place(&c->l1i, bits, last);
    s->stamps[2] = *front_place(&c->itlb, page_bits, first);
    s->present_at = before;
  }
}

/* An operand whose line is not listed, or which has two. What is called, is called last: so no register
 * needs to be saved. */
static always_inline void miss_line(struct core* c, uint32_t code, uint64_t first, uint32_t now,
                                    uint32_t line_bits) {
  const uint64_t last = first + (code & OPERAND_BYTES) - 1;
  if (!likely(c->l1d.cache.plain && !(code & OPERAND_PREFETCH)) || c->in_flight || (first ^ last) >> line_bits) {
    if (code & OPERAND_PREFETCH)
      prefetch_line(c, first, now);
    else
      access_lines(c, code, first, now);
    return;
  }
  if (front_unlisted_plain(&c->l1d, line_bits, first, now, allocates(c, code))) return;
  ++c->counts[L1I_MISSES + cause_of(code)];
  ask_level2(c, first, last, now, cause_of(code));
}

/* An operand whose page is not listed. */
static always_inline void miss_page(struct core* c, uint32_t code, uint64_t first, uint32_t now,
                                    uint32_t page_bits) {
  if (code & OPERAND_PREFETCH) return; /* it does not wait */
  if (likely(c->dtlb.cache.plain))
    translate(c, &c->dtlb, page_bits, 1, first, now, cause_of(code));
  else
    translate_any(c, &c->dtlb, first, now, cause_of(code));
}

/* ---- Executing ---- */

/* What a guarded operand that was not executed has been counted as. */
static uint64_t counted_as(uint32_t code) {
  if (code & OPERAND_PREFETCH) return 0;
  if (code & OPERAND_UPDATES) return PACK_COUNTS(0, 1, 1);
  return code & OPERAND_WRITES ? PACK_COUNTS(0, 0, 1) : PACK_COUNTS(0, 1, 0);
}

typedef void miss_fn(struct core* c, uint32_t code, uint64_t first, uint32_t now);

/* Control goes from one segment to the next, which is fetched. A loop does that again and again, and may
 * change nothing by it: it went as predicted, with a counter and a history that can't grow surer, and
 * was fetched from where the segment before it was. Then it does the same next time, unless something
 * else has changed meanwhile, and `run` only counts. */
static always_inline uint32_t go_on(struct core* c, struct segment* last, struct segment* s, uint32_t now) {
  unsigned changed = last->leave > LEAVE_DIRECT;
  if (last->leave == LEAVE_CONDITIONAL ? mispredicts_direction(c, last, s->address, &changed)
                                       : changed && mispredicts_other(c, last, s->address))
    mispredicted(c);
  if (!likely(s->present_at == c->fetch_changes)) {
    fetch_all(c, s, now);
    ++c->changes;
    return now + 2 * s->fetches;
  }
  *s->stamps[0] = now;
  *s->stamps[1] = now + 1;
  *s->stamps[2] = now;
  if (changed || s->stamps[0] != last->stamps[0] || s->stamps[1] != last->stamps[1] ||
      s->stamps[2] != last->stamps[2]) {
    ++c->changes;
  } else {
    last->steady_next = s;
    last->steady_at = c->changes;
  }
  return now + 2;
}

/* Looks up the operands of a segment, which are at `at`. Where the first byte's place lists the last
 * byte's line, they are in one: neighbours are in two sets, if there are so many. */
static always_inline uint32_t access_operands(struct core* c, const struct segment* s, const uint64_t* at,
                                              uint32_t now, const uint32_t line_bits,
                                              const uint64_t sets, const uint32_t page_bits,
                                              miss_fn* const line_missed, miss_fn* const page_missed) {
  size_t i;
  for (i = 0; i < s->operands; ++i, now += 2) {
    const uint32_t code = s->codes[i];
    const uint64_t first = at[i], last = first + (code & OPERAND_BYTES) - 1;
    uint32_t* const page = *front_place(&c->dtlb, page_bits, first);
    uint32_t* line;
    if (likely(!front_differs(page, page_bits, first))) {
      *page = now;
    } else if (first == 0 && (code & OPERAND_GUARDED)) {
      c->packed -= counted_as(code);
      continue;
    } else {
      page_missed(c, code, first, now);
    }
    line = *front_place(&c->l1d, line_bits, first);
    if (likely(!front_differs(line, line_bits, last)) && (sets > 1 || (first ^ last) >> line_bits == 0))
      *line = now;
    else
      line_missed(c, code, first, now);
  }
  return now;
}

static always_inline void run(struct core* c, const uint64_t* at, const uint64_t* end,
                              const uint32_t line_bits, const uint64_t sets, const uint32_t page_bits,
                              miss_fn* const line_missed, miss_fn* const page_missed) {
  uint32_t now = c->now;
  while (at < end) {
    struct segment* const s = (struct segment*)(uintptr_t)*at;
    struct segment* const last = c->last;
    uint64_t again = 0; /* times that the segment runs once more, and control's way changes nothing */
    c->last = s;
    c->counts[BRANCHES] += last->leave != LEAVE_NOT;
    c->packed += s->counts;
    c->dependency_parts += s->dependency;
    c->parts += s->parts;
    if (last->steady_next != s || last->steady_at != c->changes) now = go_on(c, last, s, now);
    for (;;) {
      now = access_operands(c, s, at + 1, now, line_bits, sets, page_bits, line_missed, page_missed);
      at += 1 + s->operands;
      if (likely(at == end || *at != (uint64_t)(uintptr_t)s) || s->steady_next != s ||
          s->steady_at != c->changes || c->parts >= c->slice_end)
        break;
      ++again;
      c->parts += s->parts;
    }
    if (again) {
      c->counts[BRANCHES] += again * (s->leave != LEAVE_NOT);
      c->packed += again * s->counts;
      c->dependency_parts += again * s->dependency;
    }

    if (!likely(c->parts < c->slice_end)) {
      core_settle(c);
      c->slice_ended(c);
    }
  }
  c->now = now;
  core_settle(c);
}

/* With the bits of lines and pages as constants the compiler keeps them out of the registers, of which
 * there are too few. */
#define RUN(name, line_bits, sets, page_bits)                                                      \
  static slow void miss_line_##name(struct core* c, uint32_t code, uint64_t first, uint32_t now) { \
    miss_line(c, code, first, now, line_bits);                                                     \
  }                                                                                                \
  static slow void miss_page_##name(struct core* c, uint32_t code, uint64_t first, uint32_t now) { \
    miss_page(c, code, first, now, page_bits);                                                     \
  }                                                                                                \
  static void run_##name(struct core* c, const uint64_t* at, const uint64_t* end) {                \
    run(c, at, end, line_bits, sets, page_bits, miss_line_##name, miss_page_##name);               \
  }
RUN(64_4096, 6, 2, 12) /* or more */
RUN(32_4096, 5, 2, 12)
RUN(any, c->l1d.bits, c->l1d.cache.sets, c->dtlb.bits)

void execute_trace(struct core* c, const uint64_t* at, const uint64_t* end) {
  const int usual = c->dtlb.bits == 12 && c->l1d.cache.sets > 1;
  if (c->now >= LAST_TIME) core_renew_times(c); /* what a trace takes until then fits behind */
  if (c->sampling)
    sampling_execute(c, at, end);
  else if (usual && c->l1d.bits == 6)
    run_64_4096(c, at, end);
  else if (usual && c->l1d.bits == 5)
    run_32_4096(c, at, end);
  else
    run_any(c, at, end);
}
