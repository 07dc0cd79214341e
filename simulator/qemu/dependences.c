/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows values from the registers at the start of a block to those at its end. */
#include "dependences.h"

#include <string.h>

/* 34 for integers and flags, 64 for vectors (instruction.h). */
#define GENERAL 34
#define REGISTERS (GENERAL + 64)
#include "../rounds.h"

static const struct model* model;
static struct origin registers[REGISTERS];
static uint8_t written[REGISTERS];
static struct load loads[MAX_LOADS];
static unsigned load_count;
static unsigned counts[OP_CLASSES];

void dependences_init(const struct model* m) {
  model = m;
}

void dependences_begin(void) {
  unsigned i;
  if (model->in_order) return;
  load_count = 0;
  memset(counts, 0, sizeof counts);
  memset(written, 0, sizeof written);
  for (i = 0; i < REGISTERS; ++i) {
    origin_clear(&registers[i]);
    registers[i].after[i] = 0;
  }
}

static void use(struct origin* to, const struct registers* used) {
  uint64_t left;
  for (left = used->general; left; left &= left - 1)
    origin_take_later(to, &registers[__builtin_ctzll(left)], 0);
  for (left = used->vector; left; left &= left - 1)
    origin_take_later(to, &registers[GENERAL + __builtin_ctzll(left)], 0);
}

static void set(const struct registers* to, const struct origin* operands, uint64_t latency,
                uint64_t load) {
  struct origin result;
  uint64_t left;
  origin_clear(&result);
  origin_take_later(&result, operands, (int)latency);
  result.loads |= load;
  for (left = to->general; left; left &= left - 1) {
    registers[__builtin_ctzll(left)] = result;
    written[__builtin_ctzll(left)] = 1;
  }
  for (left = to->vector; left; left &= left - 1) {
    registers[GENERAL + __builtin_ctzll(left)] = result;
    written[GENERAL + __builtin_ctzll(left)] = 1;
  }
}

/* Notes a load and returns its bit. */
static uint64_t follow_load(const struct origin* address, unsigned operand) {
  if (load_count == MAX_LOADS) return 0;
  loads[load_count].operand = operand;
  loads[load_count].address = *address;
  return 1ull << load_count++;
}

void dependences_add(const struct instruction* i, unsigned operand) {
  const struct registers base = {i->base, 0};
  const int is_load = i->memory == LOADS_MEMORY || i->memory == UPDATES_MEMORY;
  struct origin operands;
  if (model->in_order) return;
  ++counts[i->class];
  origin_clear(&operands);
  use(&operands, &i->reads);
  use(&operands, &base);
  set(&base, &operands, model->latency.integer, 0);
  set(&i->writes, &operands, result_latency(model, i),
      is_load ? follow_load(&operands, operand) : 0);
}

static void collect(struct round* r) {
  unsigned i;
  r->count = 0;
  for (i = 0; i < REGISTERS && r->count < MAX_WRITTEN; ++i) {
    if (!written[i]) continue;
    r->number[r->count] = i;
    r->end[r->count++] = registers[i];
  }
}

void dependences_end(struct segment* s, uint16_t* codes, unsigned load_operands,
                     unsigned store_operands, int repeats) {
  static struct round round; /* large */
  uint32_t time;
  unsigned last = 0;
  if (model->in_order) return;
  bound_by_units(&s->parts, model, load_operands, store_operands, counts);
  if (!repeats) return;
  collect(&round);
  mark_chains(&round, loads, load_count, codes);
  time = time_of_round(&round, &last);
  if (time < PARTS_PER_CYCLE) time = PARTS_PER_CYCLE; /* a taken branch a cycle */
  if (time > s->parts) s->carried = time - s->parts;
}
