/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets the simulated core execute a trace. Plain C. */
#ifndef TACHO_EXECUTE_H
#define TACHO_EXECUTE_H

#include "core.h"

/* Executes a trace of at most MAX_TRACE_SEGMENTS segments, and samples where the core has `sampling`. */
#define MAX_TRACE_SEGMENTS 2048
void execute_trace(struct core* core, const uint64_t* trace, const uint64_t* end);

#endif
