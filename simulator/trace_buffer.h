/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The buffer into which instrumented code writes the trace, and from which the core executes it. */
#ifndef TACHO_TRACE_BUFFER_H
#define TACHO_TRACE_BUFFER_H

#include "core.h"
#include "trace.h"

/* The trace is executed when it has this many words or more; as many more as one block of code can add fit. */
#define TRACE_FULL 2048
#define TRACE_WORDS (TRACE_FULL + 4096)
extern uint64_t trace[TRACE_WORDS];
extern uint64_t* trace_cursor; /* the first free word */

/* The core that executes the trace from here on. */
void trace_buffer_init(struct core* core);

/* Executes the trace and empties the buffer. Called by instrumented code, too. */
void trace_buffer_execute(void);

/* The same, and the core refers to no segment any more: segments may be freed, another thread may go on. */
void trace_buffer_release(void);

/* Empties the buffer without executing the trace, and releases as trace_buffer_release does. */
void trace_buffer_drop(void);

#endif
