/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes code write down what it does. Each piece of straight code gets a segment, and statements that
 * store its operands and itself into the trace. */
#ifndef TACHO_INSTRUMENT_H
#define TACHO_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "model.h"
#include "trace.h"

/* The trace is run when it holds this many words; as many more as one block of code can add fit. */
#define TRACE_FULL 2048
#define TRACE_WORDS (TRACE_FULL + 4096)
extern uint64_t trace[TRACE_WORDS];
extern uint64_t* trace_cursor;

/* Executes the trace and empties it. Called by instrumented code, too. */
void trace_run(void);

/* Executes it too, and lets go of every segment. */
void trace_forget(void);

/* Segments tell their steps where `steps`. */
void instrument_init(const struct model* model, Bool steps);

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* arch, IRType guest_word,
                 IRType host_word);

/* The code at an address is no longer translated: its segments go. */
void instrument_discard(Addr address, VexGuestExtents extents);

#endif
