/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes code write down what it does. Each piece of straight code gets a segment, and statements that
 * store its operands and itself into the trace. */
#ifndef TACHO_INSTRUMENT_H
#define TACHO_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "model.h"

/* Segments tell their steps where `steps`. */
void instrument_init(const struct model* model, Bool steps);

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* arch, IRType guest_word,
                 IRType host_word);

/* The code at an address is no longer translated: its segments go. */
void instrument_discard(Addr address, VexGuestExtents extents);

#endif
