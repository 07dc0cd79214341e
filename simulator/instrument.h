/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instruments code so that it writes the trace: each straight piece of code gets a segment, and
 * statements that store the segment's address and the addresses of its operands. */
#ifndef TACHO_INSTRUMENT_H
#define TACHO_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "model.h"

/* `with_steps`: segments have their steps, which sampling needs. */
void instrument_init(const struct model* model, Bool with_steps);

/* Valgrind's callback: instruments one block of code. */
IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* arch, IRType guest_word,
                 IRType host_word);

/* Valgrind's callback: the translation of a block of code was discarded. Frees its segments. */
void instrument_discard(Addr address, VexGuestExtents extents);

#endif
