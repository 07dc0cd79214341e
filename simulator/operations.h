/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations of VEX's code by what they cost. */
#ifndef TACHO_OPERATIONS_H
#define TACHO_OPERATIONS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "op_class.h"

enum op_class op_class(IROp op);

/* In cycles. */
uint64_t op_latency(const struct model* model, IROp op);

#endif
