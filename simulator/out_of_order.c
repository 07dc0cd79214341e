/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the decoded instructions of a segment to segment_time.c. */
#include "out_of_order.h"

#include "segment_time.h"

static const struct model* model;
static struct dependence dependences[MAX_DEPENDENCES];

void out_of_order_init(const struct model* m) {
  model = m;
}

void out_of_order_begin_segment(void) {
  if (!model->in_order) segment_time_begin(model);
}

void out_of_order_instruction(Addr address, UInt bytes, UInt operand) {
  struct instruction i;
  if (model->in_order) return;
  x86_decode((const uint8_t*)address, bytes, address, &i);
  segment_time_add(&i, operand);
}

const struct dependence* out_of_order_dependences(void) {
  return dependences;
}

void out_of_order_end_segment(struct segment* s, Bool repeats) {
  uint32_t time;
  UInt instruction;
  if (model->in_order) return;
  s->parts = segment_time_executing();
  s->dependences = (uint16_t)segment_time_dependences(dependences, s->operands);
  if (!repeats) return;
  time = segment_time_waiting(&instruction);
  if (time < PARTS_PER_CYCLE) time = PARTS_PER_CYCLE; /* a taken branch a cycle */
  if (time <= s->parts) return;
  s->carried = time - s->parts;
  s->waits = (uint16_t)instruction;
}
