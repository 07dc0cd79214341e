/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop that executes a trace and counts. Nearly all accesses hit the first level: for them the
 * loop in `run` only compares with the table of the fast cache and stores the time. */
#include "execute.h"

#include "branch_predictor.h"
#include "overlap.h"
#include "sample.h"

/* ---- Misses ---- */

/* Fetches a segment's instructions. */
static out_of_line void fetch_all(struct core* c, struct segment* s, uint32_t now) {
  const uint32_t bits = c->l1i.bits, page_bits = c->itlb.bits;
  const uint64_t before = c->fetch_changes;
  uint64_t first, last;
  unsigned i;
  for (i = 0; i < s->fetches; ++i, now += 2) fetch_lines(c, s->lines[i], now);
  c->fetch_changes = c->l1i.changes + c->itlb.changes;
  /* A segment that begins in the middle of an instruction may have no fetches. */
  if (!s->fetches || c->fetch_changes != before) return;
  first = s->lines[0] >> 1 << bits;
  last = (s->lines[s->fetches - 1] >> 1 << bits) + ((s->lines[s->fetches - 1] & 1) << bits);
  if ((last - first) >> bits <= 1 && first >> page_bits == last >> page_bits) {
    s->stamps[0] = *fast_cache_place(&c->l1i, bits, first);
    s->stamps[1] = *fast_cache_place(&c->l1i, bits, last);
    s->stamps[2] = *fast_cache_place(&c->itlb, page_bits, first);
    s->present_at = before;
  }
}

/* On an in-order core, an operand whose line is not in the table, or which touches two lines. All
 * calls are tail calls, so that the compiler saves no registers. */
static always_inline void miss_line(struct core* c, uint32_t code, uint64_t first, uint32_t now,
                                    uint32_t line_bits) {
  const uint64_t last = first + (code & OPERAND_BYTES) - 1, at = c->parts;
  const enum cause cause = cause_of(code);
  if (!likely(c->l1d.cache.plain && !(code & OPERAND_PREFETCH)) || c->fills ||
      (first ^ last) >> line_bits) {
    if (code & OPERAND_PREFETCH)
      prefetch_line(c, first, now);
    else
      access_lines(c, code, first, now);
    return;
  }
  if (fast_cache_unlisted_plain(&c->l1d, line_bits, first, now, allocates(c, code))) return;
  ++c->counts[L1I_MISSES + cause];
  c->parts += find_outer(c, first, last, now, cause)->wait[cause];
  if (c->streams.count) follow_stream_in_order(c, first, at, now, cause);
}

/* On an in-order core, an operand whose page is not in the table. */
static always_inline void miss_page(struct core* c, uint32_t code, uint64_t first, uint32_t now,
                                    uint32_t page_bits) {
  if (code & OPERAND_PREFETCH) return; /* prefetch_line translates, without waiting */
  if (likely(c->dtlb.cache.plain))
    wait(c, translate(c, &c->dtlb, page_bits, 1, first, now, cause_of(code)));
  else
    wait(c, translate_any(c, &c->dtlb, first, now, cause_of(code)));
}

/* ---- Executing ---- */

/* The counts of a guarded operand, which are subtracted again if it was not executed. */
static uint64_t counted_as(uint32_t code) {
  if (code & (OPERAND_PREFETCH | OPERAND_CONTINUES)) return 0;
  if (code & OPERAND_UPDATES) return PACK_COUNTS(0, 1, 1);
  return code & OPERAND_WRITES ? PACK_COUNTS(0, 0, 1) : PACK_COUNTS(0, 1, 0);
}

/* The operands of a segment from `i` on, while something is on its way. */
static out_of_line uint32_t rest_in_window(struct core* c, const struct segment* s,
                                           const uint64_t* at, uint32_t i, uint32_t now) {
  for (; i < s->operands; ++i, now += 2) {
    if (at[i] == 0 && (s->codes[i] & OPERAND_GUARDED)) c->packed -= counted_as(s->codes[i]);
    operand_in_window(c, s, i, at[i], now, 0);
  }
  end_in_window(c);
  return now;
}

/* On an out-of-order core, an operand that is not in the tables while nothing is on its way. */
static out_of_line int not_listed(struct core* c, const struct segment* s, uint32_t i,
                                  uint64_t first, uint32_t now) {
  return operand_in_window(c, s, i, first, now, 1);
}

typedef void miss_fn(struct core* c, uint32_t code, uint64_t first, uint32_t now);

/* Control goes from the last segment to `s`, which is fetched. In a loop this often changes
 * nothing: the branch is predicted, its counter and the history stay the same, and `s` uses the
 * same lines and page as the last segment. Then the next time is the same, unless something else
 * has changed meanwhile, and `run` only counts. */
static always_inline uint32_t continue_with(struct core* c, struct segment* last, struct segment* s,
                                            uint32_t now) {
  unsigned changed = last->leave > LEAVE_DIRECT;
  if (last->leave == LEAVE_CONDITIONAL ? mispredicts_direction(c, last, s->address, &changed)
                                       : changed && mispredicts_unconditional(c, last, s->address))
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

/* Looks up the operands of a segment, whose addresses begin at `at`. If the place of the operand's
 * first byte lists the line of its last byte, both bytes are in one line: with more than one set,
 * two adjacent lines have different places. */
static always_inline uint32_t access_operands(struct core* c, const struct segment* s,
                                              const uint64_t* at, uint32_t now,
                                              const uint32_t line_bits, const uint64_t sets,
                                              const uint32_t page_bits, miss_fn* const line_missed,
                                              miss_fn* const page_missed, const int in_order) {
  uint32_t i;
  for (i = 0; i < s->operands; ++i, now += 2) {
    const uint32_t code = s->codes[i];
    const uint64_t first = at[i], last = first + (code & OPERAND_BYTES) - 1;
    uint32_t* const page = *fast_cache_place(&c->dtlb, page_bits, first);
    uint32_t* line;
    if (likely(!fast_cache_differs(page, page_bits, first))) {
      *page = now;
    } else if (first == 0 && (code & OPERAND_GUARDED)) {
      c->packed -= counted_as(code);
      continue;
    } else if (in_order) {
      page_missed(c, code, first, now);
    } else if (not_listed(c, s, i, first, now)) {
      return rest_in_window(c, s, at, i + 1, now + 2);
    } else {
      continue;
    }
    line = *fast_cache_place(&c->l1d, line_bits, first);
    if (likely(!fast_cache_differs(line, line_bits, last)) &&
        (sets > 1 || (first ^ last) >> line_bits == 0))
      *line = now;
    else if (in_order)
      line_missed(c, code, first, now);
    else if (not_listed(c, s, i, first, now))
      return rest_in_window(c, s, at, i + 1, now + 2);
  }
  return now;
}

/* Where the trace reaches the turn of a loop of one segment at which its branch has to be predicted
 * again. */
static always_inline const uint64_t* end_of_turns(const struct core* c, const struct segment* s,
                                                  const uint64_t* at, const uint64_t* end) {
  const uint64_t words = 1 + s->operands;
  uint64_t turns;
  if (s->steady_next != s) return end;
  turns = tage_turns_left(&c->tage, s->branch);
  return turns <= MOST_TURNS && (1 + turns) * words < (uint64_t)(end - at)
             ? at + (1 + turns) * words
             : end;
}

static always_inline void run(struct core* c, const uint64_t* at, const uint64_t* end,
                              const uint32_t line_bits, const uint64_t sets,
                              const uint32_t page_bits, miss_fn* const line_missed,
                              miss_fn* const page_missed, const int in_order) {
  uint32_t now = c->now;
  while (at < end) {
    struct segment* const s = (struct segment*)(uintptr_t)*at;
    struct segment* const last = c->last;
    const uint32_t carried = in_order ? 0 : rounds_follow(&c->rounds, last, s);
    const uint64_t* stop;
    uint64_t again = 0; /* further executions, whose branch and fetch change nothing */
    c->last = s;
    c->counts[BRANCHES] += last->leave != LEAVE_NONE;
    if (last->steady_next != s || last->steady_at != c->changes ||
        !tage_turns_left(&c->tage, last->branch))
      now = continue_with(c, last, s, now);
    else
      tage_turn(&c->tage, last->branch, 1);
    c->packed += s->counts;
    c->dependency_parts += s->dependency + carried;
    c->parts += s->parts + carried;
    stop = end_of_turns(c, s, at, end);
    for (;;) {
      if (!in_order && something_is_on_its_way(c)) {
        enter_window(c, s);
        now = rest_in_window(c, s, at + 1, 0, now);
      } else {
        now = access_operands(c, s, at + 1, now, line_bits, sets, page_bits, line_missed,
                              page_missed, in_order);
      }
      at += 1 + s->operands;
      if (likely(at == stop || *at != (uint64_t)(uintptr_t)s) || s->steady_next != s ||
          s->steady_at != c->changes || c->parts >= c->slice_end)
        break;
      ++again;
      c->parts += s->parts + s->carried;
    }
    if (again) {
      tage_turn(&c->tage, s->branch, again);
      c->counts[BRANCHES] += again * (s->leave != LEAVE_NONE);
      c->packed += again * s->counts;
      if (!in_order) rounds_follow(&c->rounds, s, s);
      c->dependency_parts += again * (s->dependency + s->carried);
    }
    if (!likely(c->parts < c->slice_end)) {
      core_settle(c);
      c->slice_ended(c);
    }
  }
  c->now = now;
  core_settle(c);
}

/* The usual line and page sizes are compiled as constants, which need no registers: the host has
 * too few. `any` is the loop for other sizes. */
#define RUN(name, line_bits, sets, page_bits)                                             \
  static out_of_line void miss_line_##name(struct core* c, uint32_t code, uint64_t first, \
                                           uint32_t now) {                                \
    miss_line(c, code, first, now, line_bits);                                            \
  }                                                                                       \
  static out_of_line void miss_page_##name(struct core* c, uint32_t code, uint64_t first, \
                                           uint32_t now) {                                \
    miss_page(c, code, first, now, page_bits);                                            \
  }                                                                                       \
  static void run_##name(struct core* c, const uint64_t* at, const uint64_t* end) {       \
    if (c->model.in_order)                                                                \
      run(c, at, end, line_bits, sets, page_bits, miss_line_##name, miss_page_##name, 1); \
    else                                                                                  \
      run(c, at, end, line_bits, sets, page_bits, 0, 0, 0);                               \
  }
RUN(64_4096, 6, 2, 12) /* 2 sets stand for any number above 1 */
RUN(32_4096, 5, 2, 12)
RUN(any, c->l1d.bits, c->l1d.cache.sets, c->dtlb.bits)

void execute_trace(struct core* c, const uint64_t* at, const uint64_t* end) {
  const int usual = c->dtlb.bits == 12 && c->l1d.cache.sets > 1;
  if (c->now >= LAST_TIME) core_renew_times(c); /* behind LAST_TIME there is room for one trace */
  if (c->sampling)
    sampling_execute(c, at, end);
  else if (usual && c->l1d.bits == 6)
    run_64_4096(c, at, end);
  else if (usual && c->l1d.bits == 5)
    run_32_4096(c, at, end);
  else
    run_any(c, at, end);
}
