/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes of operations by what they cost. Plain C without Valgrind. */
#ifndef TACHO_OP_CLASS_H
#define TACHO_OP_CLASS_H

#include "model.h"

/* Operations of the first class have no cost of their own: they are part of their instruction. */
enum op_class {
  OP_OTHER,
  OP_MULTIPLY,
  OP_DIVIDE,
  OP_FLOAT_ADD,
  OP_FLOAT_MULTIPLY,
  OP_FLOAT_DIVIDE,
  OP_CLASSES
};

/* In cycles. */
static inline uint64_t class_latency(const struct model* m, enum op_class class) {
  const uint64_t latencies[OP_CLASSES] = {0,
                                          m->latency.multiply,
                                          m->latency.divide,
                                          m->latency.float_add,
                                          m->latency.float_multiply,
                                          m->latency.float_divide};
  return latencies[class];
}

#endif
