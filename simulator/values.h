/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What values of a segment depend on. Plain C. A header, so that REGISTERS can be the number of
 * registers that its user follows; at most FROM_NOTHING. */
#ifndef TACHO_VALUES_H
#define TACHO_VALUES_H

#include "trace.h"

#define MAX_LOADS 64 /* of a segment; further ones are not followed */
#define SOURCES (REGISTERS + MAX_LOADS)
#define MAX_DEPENDENCES 4096 /* of a segment */
#define INDEPENDENT (-1)     /* in place of a latency: does not depend on it */

/* When a value is ready: cycles after each register at the segment's start, and after each load of
 * the segment; or INDEPENDENT. */
struct origin {
  int16_t after[SOURCES];
};

/* What an operand needs: a load its address, a store its data. */
struct need {
  unsigned operand;
  struct origin of;
};

/* The needs of a segment's operands, and the dependences that follow from them. */
struct values {
  unsigned load_latency;
  unsigned loads[MAX_LOADS]; /* their operands */
  unsigned load_count;
  struct need needs[MAX_OPERANDS];
  unsigned need_count;
  struct dependence dependences[MAX_DEPENDENCES];
  unsigned dependence_count;
};

static void origin_clear(struct origin* o) {
  unsigned i;
  for (i = 0; i < SOURCES; ++i) o->after[i] = INDEPENDENT;
}

/* The latest of both, the second one after `cycles`. */
static void origin_take_later(struct origin* to, const struct origin* other, int cycles) {
  unsigned i;
  for (i = 0; i < SOURCES; ++i)
    if (other->after[i] != INDEPENDENT && other->after[i] + cycles > to->after[i])
      to->after[i] = (int16_t)(other->after[i] + cycles);
}

/* Begins a segment. */
static void values_begin(struct values* v) {
  v->load_count = v->need_count = v->dependence_count = 0;
}

/* The operands of a segment are added in their order. */
static void values_need(struct values* v, unsigned operand, const struct origin* of) {
  if (v->need_count == MAX_OPERANDS) return;
  v->needs[v->need_count].operand = operand;
  v->needs[v->need_count++].of = *of;
}

/* Adds a load, whose address depends on `value`. What it loads depends on the address and on the
 * load itself. */
static void values_load(struct values* v, unsigned operand, struct origin* value) {
  const struct origin address = *value;
  origin_take_later(value, &address, (int)v->load_latency);
  if (v->load_count == MAX_LOADS) return;
  values_need(v, operand, &address);
  v->loads[v->load_count] = operand;
  value->after[REGISTERS + v->load_count++] = 0;
}

static const struct origin* address_of_load(const struct values* v, unsigned load) {
  unsigned i = 0;
  while (v->needs[i].operand != v->loads[load]) ++i;
  return &v->needs[i].of;
}

/* What the address of a load needs, its value needs, too: this goes without saying. */
static int follows_from_loads(const struct values* v, const struct origin* of, unsigned source) {
  unsigned i;
  for (i = 0; i < v->load_count; ++i) {
    const int after_load = of->after[REGISTERS + i];
    int after;
    if (after_load == INDEPENDENT || REGISTERS + i == source) continue;
    after = address_of_load(v, i)->after[source];
    if (after != INDEPENDENT && after + after_load + (int)v->load_latency >= of->after[source])
      return 1;
  }
  return 0;
}

static void add_dependence(struct values* v, unsigned to, unsigned from, int after) {
  struct dependence* const d = &v->dependences[v->dependence_count];
  if (v->dependence_count == MAX_DEPENDENCES) return; /* a long segment: what it adds counts less */
  d->to = (uint16_t)to;
  d->from = (uint16_t)from;
  d->after = (uint16_t)after;
  ++v->dependence_count;
}

/* Adds what a value depends on. */
static void values_depend(struct values* v, unsigned to, const struct origin* of) {
  const unsigned before = v->dependence_count;
  unsigned i;
  for (i = 0; i < SOURCES; ++i)
    if (of->after[i] != INDEPENDENT && !follows_from_loads(v, of, i))
      add_dependence(v, to, i < REGISTERS ? i : FROM_OPERAND + v->loads[i - REGISTERS],
                     of->after[i]);
  if (v->dependence_count == before && to >= TO_REGISTER) add_dependence(v, to, FROM_NOTHING, 0);
}

/* The dependences begin with those of the operands. Those of the branch follow, then those of the
 * registers, in their order. */
static void values_depend_of_operands(struct values* v) {
  unsigned i;
  for (i = 0; i < v->need_count; ++i) values_depend(v, v->needs[i].operand, &v->needs[i].of);
}

#endif
