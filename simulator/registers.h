/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes addresses from the guest's registers in instrumented code. Prefetches need this, since
 * VEX (Valgrind's translator) drops them. */
#ifndef TACHO_REGISTERS_H
#define TACHO_REGISTERS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "prefetch.h"

/* Whether the guest's registers are up to date at each instruction of the code that is being
 * instrumented, and not only where VEX needs them. If not, the code is marked to be translated
 * again, and then they are. */
Bool registers_are_current(Addr code);

/* Discards the translation of the code that registers_are_current has marked. No guest code may be
 * running. */
void registers_translate_again(void);

/* Adds statements to a block that compute the prefetched address. */
IRExpr* registers_address(IRSB* out, const struct prefetch* prefetch);

#endif
