/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop that executes traces instruction by instruction and checks after each step whether an
 * event is due. */
#include "sample.h"

#include "branch_predictor.h"
#include "overlap.h"
#include "words.h"

#define STALLS (~0u << STALL_FETCH)

/* ---- Periods ---- */

/* xorshift64, as in cache_victim. */
static uint64_t random_below(struct sampling* s, uint64_t below) {
  s->random_state ^= s->random_state << 13;
  s->random_state ^= s->random_state >> 7;
  s->random_state ^= s->random_state << 17;
  return s->random_state % below;
}

/* The event's count since the process began. */
static uint64_t counted_by(const struct core* c, const struct sampled_event* e) {
  uint64_t sum = e->before_slice;
  uint32_t left = e->columns;
  for (; left; left &= left - 1) sum += c->counts[__builtin_ctz(left)];
  return sum;
}

/* The next period of an event by frequency: the mean of the last period and of the one that would
 * have met the frequency, since the event's rate changes. The first period is 1, as the rate is
 * unknown; the mean grows at most 8.5-fold at a time. */
static uint64_t period_by_frequency(struct core* c, struct sampled_event* e) {
  const uint64_t cycles = c->parts / PARTS_PER_CYCLE, elapsed = cycles - e->sampled_at;
  const uint64_t wanted = c->model.frequency_hz / e->frequency + 1;
  unsigned __int128 matching = (unsigned __int128)e->average * wanted / (elapsed ? elapsed : 1);
  if (matching > 16 * e->average) matching = 16 * e->average;
  e->average = (e->average + (uint64_t)matching + 1) / 2;
  e->sampled_at = cycles;
  return e->average;
}

static void choose_period(struct core* c, struct sampled_event* e) {
  uint64_t period = e->period;
  e->since = e->due;
  if (!period) { /* up to a tenth more or less, so that periods don't keep step with a loop */
    period = period_by_frequency(c, e);
    period += random_below(c->sampling, period / 5 + 1);
    period -= period / 11;
  }
  e->due += period;
}

void sampling_restart(struct core* c) {
  struct sampling* const s = c->sampling;
  unsigned i;
  s->stalls = 0;
  s->due_at = 0;
  for (i = 0; i < s->events; ++i) {
    struct sampled_event* const e = &s->event[i];
    s->stalls |= (e->columns & STALLS) != 0;
    e->before_slice = e->since = e->sampled_at = 0;
    e->average = 1;
    e->due = e->period ? e->period : 1;
  }
  sampling_forget_branches(s);
  s->taken_first = s->taken_count;
}

void sampling_next_slice(struct core* c) {
  unsigned i;
  for (i = 0; i < c->sampling->events; ++i)
    c->sampling->event[i].before_slice = counted_by(c, &c->sampling->event[i]);
}

/* The time of the next sample, in parts, if only cycles are sampled; otherwise 0. */
static uint64_t due_at(const struct core* c) {
  uint64_t first = ~0ull;
  unsigned i;
  for (i = 0; i < c->sampling->events; ++i) {
    const struct sampled_event* const e = &c->sampling->event[i];
    const uint64_t at = e->columns == 1u << CYCLES
                            ? (e->due - e->before_slice + c->cycles_before_slice) * PARTS_PER_CYCLE
                            : 0;
    if (at < first) first = at;
  }
  return first;
}

/* The first sample of a process waits until its branch stack has an entry. Readers tell from the
 * first sample whether a recording has branch stacks: an empty one misleads llvm-profgen. */
static int waits_for_a_branch(const struct sampling* s) {
  return s->with_branches && s->taken_count == s->taken_first;
}

/* Takes the samples that are due after a step of the instruction at `ip`. */
static out_of_line void check_each_event(struct core* c, uint64_t ip) {
  struct sampling* const s = c->sampling;
  unsigned i;
  if (waits_for_a_branch(s)) return;
  if (s->stalls)
    core_settle(c);
  else
    c->counts[CYCLES] = cycles_in_slice(c);
  for (i = 0; i < s->events; ++i) {
    struct sampled_event* const e = &s->event[i];
    const uint64_t sum = counted_by(c, e);
    while (sum >= e->due) {
      const uint64_t period = e->due - e->since;
      choose_period(c, e);
      s->sampled(c, i, period, ip);
    }
  }
  s->due_at = due_at(c);
}

static always_inline void sample_if_due(struct core* c, uint64_t ip) {
  if (c->parts >= c->sampling->due_at) check_each_event(c, ip);
}

/* ---- Branches and calls ---- */

void sampling_forget_branches(struct sampling* s) {
  s->taken_since = s->taken_count;
}

static uint64_t end_of(const struct segment* s) {
  const struct step* const last = &steps_of(s)[s->steps - 1];
  return s->address + last->offset + last->bytes;
}

/* At least 1, since 0 means unknown. */
static uint32_t cycles_between(const struct sampling* s, uint64_t cycle) {
  if (s->taken_count - s->taken_since <= 1) return 0; /* it is the oldest in the branch stack */
  return cycle > s->taken_at ? (uint32_t)(cycle - s->taken_at) : 1;
}

/* The time of a branch is that of its retirement: an instruction retires when it and all before it
 * are complete. */
static uint64_t retired_at(const struct core* c) {
  return later(c->parts, c->window.complete) / PARTS_PER_CYCLE;
}

/* Control has gone from the segment `last` to an address: notes the branch if it was taken. */
static void remember_branch(struct core* c, const struct segment* last, uint64_t to,
                            int mispredicted) {
  static const uint8_t kinds[] = {0, 2, 1, 3, 4, 5, 6}; /* PERF_BR_*, by enum leave */
  struct sampling* const s = c->sampling;
  const uint64_t cycle = retired_at(c);
  const int is_branch = last->leave != LEAVE_NONE;
  const int taken =
      last->leave == LEAVE_CONDITIONAL ? (to == last->exit) ^ last->inverted : is_branch;
  if (is_branch && taken) {
    struct taken_branch* const t = &s->taken[s->taken_count++ % MAX_TAKEN_BRANCHES];
    t->from = last->branch;
    t->to = to;
    t->kind = kinds[last->leave];
    t->mispredicted = (uint8_t)mispredicted;
    t->cycles = cycles_between(s, cycle);
    s->taken_at = cycle;
  } else if (last->steps && to != end_of(last) && to != last->branch) {
    sampling_forget_branches(s); /* no branch leads here: a signal */
  }
}

static void follow_call(struct calls* calls, const struct segment* last, uint64_t to) {
  uint64_t i;
  if (last->leave == LEAVE_CALL || last->leave == LEAVE_INDIRECT_CALL) {
    calls->back[calls->count++ % MAX_CALLS] = last->back;
    if (calls->count - calls->oldest > MAX_CALLS) calls->oldest = calls->count - MAX_CALLS;
    return;
  }
  if (last->leave != LEAVE_RETURN) return;
  /* A return to an outer caller (longjmp) ends all calls inside it. A return to no caller's address
   * changes nothing: the program has pushed that address itself. */
  for (i = calls->count; i > calls->oldest; --i) {
    if (calls->back[(i - 1) % MAX_CALLS] != to) continue;
    calls->count = i - 1;
    return;
  }
}

/* ---- Executing ---- */

/* Control goes from the last segment to `s`. */
static void arrive(struct core* c, struct segment* last, const struct segment* s) {
  unsigned changed;
  int wrong;
  if (last->leave != LEAVE_NONE) ++c->counts[BRANCHES];
  wrong = last->leave == LEAVE_CONDITIONAL
              ? (int)mispredicts_direction(c, last, s->address, &changed)
          : last->leave > LEAVE_DIRECT ? mispredicts_unconditional(c, last, s->address)
                                       : 0;
  if (c->sampling->with_branches) remember_branch(c, last, s->address, wrong);
  if (c->sampling->with_callers) follow_call(c->sampling->calls, last, s->address);
  if (wrong) mispredicted(c);
  if (last->leave != LEAVE_NONE) sample_if_due(c, last->branch);
}

static uint32_t fetch_steps(struct core* c, const struct segment* s, uint32_t now) {
  const struct step* step = steps_of(s);
  unsigned fetched = 0, i;
  for (; fetched < s->fetches; ++step) {
    for (i = 0; i < step->fetches; ++i, now += 2) fetch_lines(c, s->lines[fetched++], now);
    if (step->fetches) sample_if_due(c, s->address + step->offset);
  }
  return now;
}

static void count_operand(struct core* c, uint32_t code, uint64_t first) {
  if ((first == 0 && (code & OPERAND_GUARDED)) || code & (OPERAND_PREFETCH | OPERAND_CONTINUES))
    return;
  if (!(code & OPERAND_WRITES) || (code & OPERAND_UPDATES)) ++c->counts[LOADS];
  if (code & (OPERAND_WRITES | OPERAND_UPDATES)) ++c->counts[STORES];
}

/* An operand on an in-order core. */
static void execute_operand(struct core* c, uint32_t code, uint64_t first, uint32_t now) {
  if (first == 0 && (code & OPERAND_GUARDED)) return;
  if (code & OPERAND_PREFETCH) {
    fast_cache_listed(&c->dtlb, c->dtlb.bits, first, now);
    if (!fast_cache_listed(&c->l1d, c->l1d.bits, first, now)) prefetch_line(c, first, now);
    return;
  }
  wait(c, find_page(c, &c->dtlb, first, now, cause_of(code)));
  if ((first ^ (first + (code & OPERAND_BYTES) - 1)) >> c->l1d.bits ||
      !fast_cache_listed(&c->l1d, c->l1d.bits, first, now))
    access_lines(c, code, first, now);
}

void sampling_execute(struct core* c, const uint64_t* at, const uint64_t* end) {
  uint32_t now = c->now;
  while (at < end) {
    struct segment* const s = (struct segment*)(uintptr_t)*at++;
    const struct step* const steps = steps_of(s);
    unsigned i, j, k = 0;
    int in_window;
    const uint32_t carried = c->model.in_order ? 0 : rounds_follow(&c->rounds, c->last, s);
    const unsigned waits = c->last->address == s->address ? s->waits : 0;
    arrive(c, c->last, s);
    c->last = s;
    c->ahead = s->parts + carried;
    now = fetch_steps(c, s, now);
    in_window = !c->model.in_order && something_is_on_its_way(c);
    if (in_window) {
      enter_window(c, s);
      sample_if_due(c, s->address);
    }
    for (i = 0; i < s->steps; ++i) {
      c->parts += steps[i].parts;
      c->ahead -= steps[i].parts;
      if (i == waits) {
        c->parts += carried;
        c->dependency_parts += carried;
        c->ahead -= carried;
      }
      c->dependency_parts += steps[i].dependency;
      c->counts[INSTRUCTIONS] += steps[i].instructions;
      for (j = 0; j < steps[i].operands; ++j, ++k, ++at, now += 2) {
        count_operand(c, s->codes[k], *at);
        if (c->model.in_order)
          execute_operand(c, s->codes[k], *at, now);
        else if (in_window)
          operand_in_window(c, s, k, *at, now, 0);
        else
          in_window = operand_in_window(c, s, k, *at, now, 1);
      }
      sample_if_due(c, s->address + steps[i].offset);
    }
    if (in_window) end_in_window(c);
    if (c->parts < c->slice_end) continue;
    core_settle(c);
    c->slice_ended(c);
  }
  c->now = now;
  core_settle(c);
}

/* ---- The sampling file ---- */

/* Finds columns, such as "loads+stores", as a mask. */
static int take_columns(const char** at, const char* end, uint32_t* columns) {
  unsigned i;
  *columns = 0;
  do {
    const char* after = *at;
    for (i = 0; i < COLUMN_COUNT; ++i) {
      after = *at;
      if (take_word(&after, end, column_names[i]) &&
          (after == end || *after == '+' || *after == '\n'))
        break;
    }
    if (i == COLUMN_COUNT) return 0;
    *columns |= 1u << i;
    *at = after;
  } while (take_word(at, end, "+"));
  return 1;
}

static int take_event(const char** at, const char* end, struct sampled_event* e) {
  return take_number(at, end, &e->period, 1ull << 62) &&
         take_number(at, end, &e->frequency, 1ull << 40) && (e->period || e->frequency) &&
         take_word(at, end, " ") && take_columns(at, end, &e->columns);
}

unsigned sampling_parse(const char* text, size_t length, struct sampling* s) {
  const char* at = text;
  const char* const end = text + length;
  unsigned line = 1;
  if (!take_word(&at, end, "tacho-sampling 1\nseed") ||
      !take_number(&at, end, &s->random_state, ~0ull >> 1) || !take_word(&at, end, "\ntells") ||
      !take_number(&at, end, &s->with_branches, 1) || !take_number(&at, end, &s->with_callers, 1) ||
      !take_word(&at, end, "\n"))
    return line;
  s->random_state |= 1; /* any value but 0 */
  for (line = 4; take_word(&at, end, "event"); ++line) {
    if (s->events == MAX_SAMPLED_EVENTS || !take_event(&at, end, &s->event[s->events++]) ||
        !take_word(&at, end, "\n"))
      return line;
  }
  return s->events && take_word(&at, end, "end\n") && at == end ? 0 : line;
}
