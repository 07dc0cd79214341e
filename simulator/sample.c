/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop that executes traces instruction by instruction, and looks after each step whether an event
 * is due. */
#include "sample.h"

#include "lookup.h"
#include "words.h"

#define STALLS (~0u << STALL_FETCH)

/* ---- Periods ---- */

/* xorshift64, as in cache.c. */
static uint64_t draw(struct sampling* s, uint64_t below) {
  s->drawn ^= s->drawn << 13;
  s->drawn ^= s->drawn >> 7;
  s->drawn ^= s->drawn << 17;
  return s->drawn % below;
}

/* What the event has counted. */
static uint64_t counted_by(const struct core* c, const struct sampled_event* e) {
  uint64_t sum = e->told;
  uint32_t left = e->columns;
  for (; left; left &= left - 1) sum += c->counts[__builtin_ctz(left)];
  return sum;
}

/* By frequency: half the last period, and half what it should have been, for the rate changes. The first
 * are short, as nothing is known yet. */
static uint64_t period_by_frequency(struct core* c, struct sampled_event* e) {
  const uint64_t cycles = c->parts / PARTS_PER_CYCLE, taken = cycles - e->sampled_at;
  const uint64_t wanted = c->model.frequency_hz / e->frequency + 1;
  unsigned __int128 should = (unsigned __int128)e->average * wanted / (taken ? taken : 1);
  if (should > 16 * e->average) should = 16 * e->average;
  e->average = (e->average + (uint64_t)should + 1) / 2;
  e->sampled_at = cycles;
  return e->average;
}

static void choose_period(struct core* c, struct sampled_event* e) {
  uint64_t period = e->period;
  e->since = e->due;
  if (!period) { /* a tenth more or less, so that no loop keeps in step */
    period = period_by_frequency(c, e);
    period += draw(c->sampling, period / 5 + 1);
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
    e->told = e->since = e->sampled_at = 0;
    e->average = 1;
    e->due = e->period ? e->period : 1;
  }
  sampling_forget_branches(s);
}

void sampling_next_slice(struct core* c) {
  unsigned i;
  for (i = 0; i < c->sampling->events; ++i)
    c->sampling->event[i].told = counted_by(c, &c->sampling->event[i]);
}

/* Where cycles alone are sampled, the time of the next sample is known, in parts. */
static uint64_t due_at(const struct core* c) {
  uint64_t first = ~0ull;
  unsigned i;
  for (i = 0; i < c->sampling->events; ++i) {
    const struct sampled_event* const e = &c->sampling->event[i];
    const uint64_t at = e->columns == 1u << CYCLES ? (e->due - e->told + c->cycles_told) * PARTS_PER_CYCLE : 0;
    if (at < first) first = at;
  }
  return first;
}

/* After a step: whether something is due. */
static slow void look_closely(struct core* c, uint64_t ip) {
  struct sampling* const s = c->sampling;
  unsigned i;
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

static always_inline void look(struct core* c, uint64_t ip) {
  if (c->parts >= c->sampling->due_at) look_closely(c, ip);
}

/* ---- Branches and calls ---- */

void sampling_forget_branches(struct sampling* s) { s->taken_since = s->taken_count; }

static uint64_t end_of(const struct segment* s) {
  const struct step* const last = &steps_of(s)[s->steps - 1];
  return s->address + last->offset + last->bytes;
}

/* At least 1: as 0 they would not be known. */
static uint32_t cycles_between(const struct sampling* s, uint64_t cycle) {
  if (s->taken_count - s->taken_since <= 1) return 0; /* the first that is remembered */
  return cycle > s->taken_at ? (uint32_t)(cycle - s->taken_at) : 1;
}

/* Control has come from `last` to an address. */
static void remember_branch(struct core* c, const struct segment* last, uint64_t to, int mispredicted) {
  static const uint8_t kinds[] = {0, 2, 1, 3, 4, 5, 6}; /* by enum leave: PERF_BR_UNCOND, _COND, … */
  struct sampling* const s = c->sampling;
  const uint64_t cycle = c->parts / PARTS_PER_CYCLE;
  const int is_branch = last->leave != LEAVE_NOT;
  const int taken = last->leave == LEAVE_CONDITIONAL ? (to == last->exit) ^ last->inverted : is_branch;
  if (is_branch && taken) {
    struct taken* const t = &s->taken[s->taken_count++ % MOST_TAKEN];
    t->from = last->branch;
    t->to = to;
    t->kind = kinds[last->leave];
    t->mispredicted = (uint8_t)mispredicted;
    t->cycles = cycles_between(s, cycle);
    s->taken_at = cycle;
  } else if (last->steps && to != end_of(last) && to != last->branch) {
    sampling_forget_branches(s); /* a signal: control did not come here by itself */
  }
}

static void follow_call(struct calls* calls, const struct segment* last, uint64_t to) {
  uint64_t i;
  if (last->leave == LEAVE_CALL || last->leave == LEAVE_INDIRECT_CALL) {
    calls->back[calls->count++ % MOST_CALLS] = last->back;
    if (calls->count - calls->oldest > MOST_CALLS) calls->oldest = calls->count - MOST_CALLS;
    return;
  }
  if (last->leave != LEAVE_RETURN) return;
  /* One may return to a caller further out, as longjmp does; one that returns to none has been put on the
   * stack by hand. */
  for (i = calls->count; i > calls->oldest; --i) {
    if (calls->back[(i - 1) % MOST_CALLS] != to) continue;
    calls->count = i - 1;
    return;
  }
}

/* ---- Executing ---- */

static void arrive(struct core* c, struct segment* last, const struct segment* s) {
  unsigned changed;
  int wrong;
  if (last->leave != LEAVE_NOT) ++c->counts[BRANCHES];
  wrong = last->leave == LEAVE_CONDITIONAL ? (int)mispredicts_direction(c, last, s->address, &changed)
          : last->leave > LEAVE_DIRECT     ? mispredicts_other(c, last, s->address)
                                           : 0;
  if (c->sampling->branches) remember_branch(c, last, s->address, wrong);
  if (c->sampling->chains) follow_call(c->sampling->calls, last, s->address);
  if (wrong) mispredicted(c);
  if (last->leave != LEAVE_NOT) look(c, last->branch);
}

static uint32_t fetch_steps(struct core* c, const struct segment* s, uint32_t now) {
  const struct step* step = steps_of(s);
  unsigned fetched = 0, i;
  for (; fetched < s->fetches; ++step) {
    for (i = 0; i < step->fetches; ++i, now += 2) fetch_lines(c, s->lines[fetched++], now);
    if (step->fetches) look(c, s->address + step->offset);
  }
  return now;
}

static void execute_operand(struct core* c, uint32_t code, uint64_t first, uint32_t now) {
  if (first == 0 && (code & OPERAND_GUARDED)) return;
  if (code & OPERAND_PREFETCH) {
    front_listed(&c->dtlb, c->dtlb.bits, first, now);
    if (!front_listed(&c->l1d, c->l1d.bits, first, now)) prefetch_line(c, first, now);
    return;
  }
  if (!(code & OPERAND_WRITES) || (code & OPERAND_UPDATES)) ++c->counts[LOADS];
  if (code & (OPERAND_WRITES | OPERAND_UPDATES)) ++c->counts[STORES];
  find_page(c, &c->dtlb, first, now, cause_of(code));
  if ((first ^ (first + (code & OPERAND_BYTES) - 1)) >> c->l1d.bits || !front_listed(&c->l1d, c->l1d.bits, first, now))
    access_lines(c, code, first, now);
}

void sampling_execute(struct core* c, const uint64_t* at, const uint64_t* end) {
  uint32_t now = c->now;
  while (at < end) {
    struct segment* const s = (struct segment*)(uintptr_t)*at++;
    const struct step* const steps = steps_of(s);
    const uint16_t* code = s->codes;
    unsigned i, j;
    arrive(c, c->last, s);
    c->last = s;
    c->ahead = s->parts;
    now = fetch_steps(c, s, now);
    for (i = 0; i < s->steps; ++i) {
      c->parts += steps[i].parts;
      c->ahead -= steps[i].parts;
      c->dependency_parts += steps[i].dependency;
      c->counts[INSTRUCTIONS] += steps[i].instructions;
      for (j = 0; j < steps[i].operands; ++j, now += 2) execute_operand(c, *code++, *at++, now);
      look(c, s->address + steps[i].offset);
    }
    if (c->parts < c->slice_end) continue;
    core_settle(c);
    c->slice_ended(c);
  }
  c->now = now;
  core_settle(c);
}

/* ---- What to sample ---- */

/* "loads+stores" */
static int is_columns(const char** at, const char* end, uint32_t* columns) {
  unsigned i;
  *columns = 0;
  do {
    const char* after = *at;
    for (i = 0; i < COLUMN_COUNT; ++i) {
      after = *at;
      if (is_word(&after, end, column_names[i]) && (after == end || *after == '+' || *after == '\n')) break;
    }
    if (i == COLUMN_COUNT) return 0;
    *columns |= 1u << i;
    *at = after;
  } while (is_word(at, end, "+"));
  return 1;
}

static int is_event(const char** at, const char* end, struct sampled_event* e) {
  return is_number(at, end, &e->period, 1ull << 62) && is_number(at, end, &e->frequency, 1ull << 40) &&
         (e->period || e->frequency) && is_word(at, end, " ") && is_columns(at, end, &e->columns);
}

unsigned sampling_parse(const char* text, size_t length, struct sampling* s) {
  const char* at = text;
  const char* const end = text + length;
  unsigned line = 1;
  if (!is_word(&at, end, "tacho-sampling 1\nseed") || !is_number(&at, end, &s->drawn, ~0ull >> 1) ||
      !is_word(&at, end, "\ntells") || !is_number(&at, end, &s->branches, 1) ||
      !is_number(&at, end, &s->chains, 1) || !is_word(&at, end, "\n"))
    return line;
  s->drawn |= 1; /* any but 0 */
  for (line = 4; is_word(&at, end, "event"); ++line) {
    if (s->events == MOST_SAMPLED || !is_event(&at, end, &s->event[s->events++]) || !is_word(&at, end, "\n"))
      return line;
  }
  return s->events && is_word(&at, end, "end\n") && at == end ? 0 : line;
}
