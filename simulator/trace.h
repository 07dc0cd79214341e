/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program did, as the instrumented code writes it down and the core reads it: one word that
 * points to a segment each time that segment was executed, followed by the segment's operands. */
#ifndef TACHO_TRACE_H
#define TACHO_TRACE_H

#include <stdint.h>

/* Fixed point for cycles: any issue width up to 8 gives a whole number of parts. */
#define PARTS_PER_CYCLE 840u

/* How control leaves a segment. */
enum leave {
  LEAVE_NOT,         /* it runs on: no instruction of control */
  LEAVE_DIRECT,      /* always to the same place: counted, never mispredicted */
  LEAVE_CONDITIONAL, /* to `exit` or on */
  LEAVE_INDIRECT,    /* anywhere */
  LEAVE_CALL,        /* to the same place, and back to `back` */
  LEAVE_INDIRECT_CALL,
  LEAVE_RETURN
};

/* An operand: the address of a data access, in one word of the trace. Its code holds the bytes. */
#define OPERAND_BYTES 0x03ffu
#define OPERAND_WRITES 0x0400u  /* a store; else a load, or both */
#define OPERAND_UPDATES 0x0800u /* a load and a store to the same place */
#define OPERAND_GUARDED 0x1000u /* the address is 0 when it was not executed */
#define OPERAND_PREFETCH 0x2000u /* asks for a line, and goes on; not counted */

/* A fetch: twice the number of a line, plus one for an instruction that goes on into the next. */
typedef uint64_t fetch;

/* An instruction of a segment, for those who must know which of them it was. The rest of one that was
 * left in its middle counts as none. */
struct step {
  uint32_t parts, dependency; /* its part of the segment's */
  uint16_t offset;            /* of its address from the segment's */
  uint8_t bytes;
  uint8_t instructions;       /* 1, or 0 */
  uint16_t operands, fetches; /* so many of the segment's */
};

/* Counts that add up in one word: they can't overflow within one trace. */
#define COUNT_BITS 21
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define PACK_COUNTS(instructions, loads, stores) \
  ((uint64_t)(instructions) | (uint64_t)(loads) << COUNT_BITS | (uint64_t)(stores) << (2 * COUNT_BITS))

/* A straight piece of code: executed from its start to its end or not at all. */
struct segment {
  uint64_t address;    /* of its first instruction */
  uint64_t counts;     /* PACK_COUNTS of one execution */
  uint32_t parts;      /* cycles when nothing misses, in 1/PARTS_PER_CYCLE */
  uint32_t dependency; /* of these, what waited for operands */
  /* The core's: at this number of its fetch_changes all of the segment was present, and there the
   * times stand of its first line, its last, and its page. */
  uint64_t present_at;
  uint32_t* stamps[3];
  /* The core's, too: at this number of its changes what came next, and changed nothing but counts. */
  const struct segment* steady_next;
  uint64_t steady_at;
  uint32_t operands;
  uint16_t fetches;
  uint8_t leave;
  uint8_t inverted;    /* of a condition: going to `exit` means not taking the branch */
  uint8_t backward;    /* of a condition: the branch leads to a lower address */
  uint16_t steps;      /* told behind its lines; 0: they are not */
  uint64_t branch;     /* the address of the instruction of control */
  uint64_t exit;       /* where a condition leads to */
  uint64_t back;       /* where a call returns to */
  const fetch* lines;  /* in the order in which they are fetched */
  uint16_t codes[];    /* of the operands */
};

static inline const struct step* steps_of(const struct segment* s) {
  return (const struct step*)(s->lines + s->fetches);
}

#endif
