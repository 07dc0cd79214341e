/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When each register of the block is ready. */
#include "in_order.h"

#include <string.h>

static const struct model* model;
static struct {
  uint32_t general[64], vector[64]; /* when each register is ready */
  uint32_t time;                    /* at which the next instruction can issue */
  uint32_t waited;
} block;

void in_order_init(const struct model* m) {
  model = m;
}

void in_order_begin(void) {
  memset(&block, 0, sizeof block);
}

uint32_t in_order_time(void) {
  return block.time;
}

uint32_t in_order_waited(void) {
  return block.waited;
}

static uint32_t latest(const uint32_t* ready, uint64_t registers, uint32_t time) {
  for (; registers; registers &= registers - 1) {
    const uint32_t at = ready[__builtin_ctzll(registers)];
    if (at > time) time = at;
  }
  return time;
}

static void set(uint32_t* ready, uint64_t registers, uint32_t time) {
  for (; registers; registers &= registers - 1) ready[__builtin_ctzll(registers)] = time;
}

static uint32_t parts(uint64_t cycles) {
  return (uint32_t)cycles * PARTS_PER_CYCLE;
}

/* From the issue to the use of the result, in cycles. */
static uint64_t result_latency(const struct arm_instruction* i) {
  const uint64_t operation = class_latency(model, (enum op_class)i->class);
  if (i->memory == LOADS_MEMORY || i->memory == UPDATES_MEMORY) return model->l1d.latency;
  return operation > model->latency.integer ? operation : model->latency.integer;
}

void in_order_issue(const struct arm_instruction* i) {
  uint32_t at = block.time, ready;
  at = latest(block.general, i->reads.general | i->base, at);
  at = latest(block.vector, i->reads.vector, at);
  block.waited += at - block.time;
  ready = at + parts(result_latency(i));
  set(block.general, i->base, at + parts(model->latency.integer));
  set(block.general, i->writes.general, ready);
  set(block.vector, i->writes.vector, ready);
  block.time = at + least_slots(i) * (PARTS_PER_CYCLE / (uint32_t)model->width);
}
