/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses from the guest's registers, as code is instrumented: for prefetches, of which VEX makes
 * nothing. */
#ifndef TACHO_REGISTERS_H
#define TACHO_REGISTERS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "prefetch.h"

/* Whether the registers have their values at each instruction of the code that is being instrumented, and
 * not only where VEX needs them. If not, they will the next time. */
Bool registers_are_kept(Addr code);

/* No code is running: what is to be translated again can be let go. */
void registers_translate_again(void);

/* Adds to a block what computes the address. */
IRExpr* registers_address(IRSB* out, const struct prefetch* prefetch);

#endif
