/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations of VEX's code by what they cost. */
#ifndef TACHO_OPERATIONS_H
#define TACHO_OPERATIONS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

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

enum op_class op_class(IROp op);

/* In cycles. */
uint64_t op_latency(const struct model* model, IROp op);

#endif
