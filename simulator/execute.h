/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes traces on the simulated core. Plain C. */
#ifndef TACHO_EXECUTE_H
#define TACHO_EXECUTE_H

#include "core.h"

/* Executes a trace, and samples if the core has `sampling`. The instructions, loads and stores of
 * one trace must each fit in COUNT_BITS bits. */
void execute_trace(struct core* core, const uint64_t* trace, const uint64_t* end);

#endif
