/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives the decoded instructions of a segment to segment_time.c. */
#include "out_of_order.h"

#include "segment_time.h"

static const struct model* model;

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

static void mark_chained(unsigned operand, void* codes) {
  uint16_t* const code = (uint16_t*)codes + operand;
  if (!(*code & OPERAND_WRITES)) *code |= OPERAND_CHAINED;
}

void out_of_order_end_segment(struct segment* s, uint16_t* codes, Bool repeats) {
  uint32_t time;
  UInt instruction;
  if (model->in_order) return;
  s->parts = segment_time_executing();
  if (!repeats) return;
  time = segment_time_waiting(&instruction);
  segment_time_chained(mark_chained, codes);
  if (time < PARTS_PER_CYCLE) time = PARTS_PER_CYCLE; /* a taken branch a cycle */
  if (time <= s->parts) return;
  s->carried = time - s->parts;
  s->waits = (uint16_t)instruction;
}
