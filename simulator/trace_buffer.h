/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffer into which instrumented code writes the trace, and from which the core executes it. */
#ifndef TACHO_TRACE_BUFFER_H
#define TACHO_TRACE_BUFFER_H

#include "core.h"
#include "trace.h"

/* At the start of each block, instrumented code has the trace executed if it has TRACE_FULL words
 * or more. The rest of the buffer has room for the words of one block. */
#define TRACE_FULL 2048
#define TRACE_WORDS (TRACE_FULL + 4096)
extern uint64_t trace[TRACE_WORDS];
extern uint64_t* trace_cursor; /* the first free word */

/* The core that executes the trace from here on. */
void trace_buffer_init(struct core* core);

/* Executes the trace and empties the buffer. Called by instrumented code, too. */
void trace_buffer_execute(void);

/* Executes the trace and makes the core forget the last segment. Then segments may be freed, or
 * another thread may continue. */
void trace_buffer_release(void);

/* The same without executing the trace. */
void trace_buffer_drop(void);

#endif
