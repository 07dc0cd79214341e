/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows values from the registers at the start of a block to those at its end, as segment_time.c
 * does with x86-64 code. */
#include "dependences.h"

#include <string.h>

#include "cycle_mean.h"
#include "rounds.h"

#define GENERAL 34              /* and the flags; see struct registers */
#define FOLLOWED (GENERAL + 64) /* registers */
#define MAX_LOADS 64            /* of a block; further ones are not followed */
#define MAX_DEPENDENCES 4096    /* of a block */
#define LONGEST 0x7fff          /* cycles: longer chains count as that long */

/* When a value is ready: cycles after each register's value at the block's start, and after each
 * load of the block; or NONE. */
struct value {
  int16_t after[FOLLOWED + MAX_LOADS];
};

static const struct model* model;
static struct value registers[FOLLOWED];
static uint8_t written[FOLLOWED];
static struct value addresses[MAX_LOADS];
static unsigned loads[MAX_LOADS]; /* their operands */
static unsigned load_count;
static struct value branch; /* what the last instruction makes: if it is a branch, its target */
static uint64_t slots;      /* micro-operations that issue */
static struct dependence list[MAX_DEPENDENCES];
static unsigned count;

void dependences_init(const struct model* m) {
  model = m;
}

/* ---- Values ---- */

static struct value independent(void) {
  struct value v;
  memset(&v, 0xff, sizeof v); /* NONE everywhere */
  return v;
}

/* The latest of both, the second one after `cycles`. */
static void take_later(struct value* to, const struct value* other, uint64_t cycles) {
  unsigned i;
  for (i = 0; i < FOLLOWED + MAX_LOADS; ++i) {
    int32_t after = other->after[i] + (int32_t)cycles;
    if (after > LONGEST) after = LONGEST;
    if (other->after[i] != NONE && after > to->after[i]) to->after[i] = (int16_t)after;
  }
}

static void use(struct value* to, const struct registers* used) {
  uint64_t left;
  for (left = used->general; left; left &= left - 1)
    take_later(to, &registers[__builtin_ctzll(left)], 0);
  for (left = used->vector; left; left &= left - 1)
    take_later(to, &registers[GENERAL + __builtin_ctzll(left)], 0);
}

static void set_one(unsigned number, const struct value* to) {
  registers[number] = *to;
  written[number] = 1;
}

static void set(const struct registers* set, const struct value* to) {
  uint64_t left;
  for (left = set->general; left; left &= left - 1) set_one((unsigned)__builtin_ctzll(left), to);
  for (left = set->vector; left; left &= left - 1)
    set_one(GENERAL + (unsigned)__builtin_ctzll(left), to);
}

/* ---- The list ---- */

/* What the address of a load needs, its value needs, too: this goes without saying. */
static int follows_from_loads(const struct value* of, unsigned source) {
  unsigned i;
  for (i = 0; i < load_count; ++i) {
    const int after_load = of->after[FOLLOWED + i], after = addresses[i].after[source];
    if (after_load != NONE && after != NONE &&
        after + after_load + (int)model->l1d.latency >= of->after[source])
      return 1;
  }
  return 0;
}

/* Adds what a value depends on. A long block has more than MAX_DEPENDENCES: the last registers
 * count as independent. */
static void depend(unsigned to, const struct value* of) {
  const unsigned before = count;
  unsigned i;
  for (i = 0; i < FOLLOWED + load_count && count < MAX_DEPENDENCES - 1; ++i) {
    if (of->after[i] == NONE || follows_from_loads(of, i)) continue;
    list[count].to = (uint16_t)to;
    list[count].from = (uint16_t)(i < FOLLOWED ? i : FROM_OPERAND + loads[i - FOLLOWED]);
    list[count++].after = (uint16_t)of->after[i];
  }
  if (count == before && to >= TO_REGISTER && count < MAX_DEPENDENCES)
    list[count++] = (struct dependence){(uint16_t)to, FROM_NOTHING, 0};
}

/* ---- Instructions ---- */

/* What an instruction costs, but for its access to memory: by its class, and whether it writes
 * vector registers. */
static const struct operation_model* operation_of(const struct arm_instruction* i) {
  static const uint8_t operations[OP_CLASSES][2] = {
      [OP_OTHER] = {OPERATION_integer, OPERATION_vector_logic},
      [OP_MULTIPLY] = {OPERATION_multiply, OPERATION_vector_multiply},
      [OP_DIVIDE] = {OPERATION_divide, OPERATION_divide},
      [OP_FLOAT_ADD] = {OPERATION_float_add, OPERATION_float_add},
      [OP_FLOAT_MULTIPLY] = {OPERATION_float_multiply, OPERATION_float_multiply},
      [OP_FLOAT_DIVIDE] = {OPERATION_float_divide, OPERATION_float_divide}};
  if (i->leave != LEAVE_NONE) return &model->operations[OPERATION_branch];
  return &model->operations[operations[i->class][i->writes.vector != 0]];
}

static const struct operation_model* load_of(const struct arm_instruction* i) {
  return &model->operations[i->writes.vector ? OPERATION_load_vector : OPERATION_load];
}

static uint64_t slots_of(const struct arm_instruction* i) {
  const struct operation_model* const address = &model->operations[OPERATION_store_address];
  const struct operation_model* const data = &model->operations[OPERATION_store_data];
  const uint64_t store = model->fuses_memory ? 1 : address->slots + data->slots;
  const uint64_t needed[] = {[NO_MEMORY] = operation_of(i)->slots,
                             [LOADS_MEMORY] = load_of(i)->slots,
                             [STORES_MEMORY] = store,
                             [UPDATES_MEMORY] = load_of(i)->slots + store};
  const uint64_t least = least_slots(i);
  return needed[i->memory] > least ? needed[i->memory] : least;
}

/* The value of a load. Its address is known when all that it reads is. */
static struct value loaded(const struct arm_instruction* i, const struct value* address,
                           unsigned operand) {
  struct value value = independent();
  depend(operand, address);
  take_later(&value, address, model->l1d.latency + load_of(i)->latency);
  if (load_count == MAX_LOADS) return value;
  loads[load_count] = operand;
  addresses[load_count] = *address;
  value.after[FOLLOWED + load_count++] = (int16_t)load_of(i)->latency;
  return value;
}

void dependences_begin(void) {
  unsigned i;
  load_count = count = 0;
  slots = 0;
  memset(written, 0, sizeof written);
  for (i = 0; i < FOLLOWED; ++i) {
    registers[i] = independent();
    registers[i].after[i] = 0;
  }
}

void dependences_add(const struct arm_instruction* i, unsigned operand) {
  const struct registers base = {i->base, 0};
  struct value operands = independent(), result = operands;
  slots += slots_of(i);
  use(&operands, &i->reads);
  use(&operands, &base);
  if (i->memory == LOADS_MEMORY || i->memory == UPDATES_MEMORY) {
    result = loaded(i, &operands, operand);
  } else {
    if (i->memory == STORES_MEMORY) depend(operand, &operands);
    take_later(&result, &operands, operation_of(i)->latency);
  }
  if (i->base) {
    struct value moved = independent();
    take_later(&moved, &operands, model->operations[OPERATION_integer].latency);
    set(&base, &moved);
  }
  set(&i->writes, &result);
  branch = result;
}

void dependences_end(struct segment* s, int repeats) {
  struct flow flow = {list, 0, s->operands};
  uint32_t time;
  unsigned i;
  if (s->leave != LEAVE_NONE) depend(TO_BRANCH, &branch);
  for (i = 0; i < FOLLOWED; ++i)
    if (written[i]) depend(TO_REGISTER + i, &registers[i]);
  flow.count = count;
  s->parts = (uint32_t)(slots * PARTS_PER_CYCLE / model->width);
  s->dependences = (uint16_t)count;
  if (!repeats) return;
  time = rounds_time(&flow, 1, model->l1d.latency); /* at least a cycle */
  if (time > s->parts) s->carried = time - s->parts;
}

const struct dependence* dependences_list(void) {
  return list;
}
