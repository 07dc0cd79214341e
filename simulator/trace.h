/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format of the trace. Instrumented code writes it, the core reads it. Each execution of a
 * segment adds one word, which points to the segment, and one word for each of the segment's
 * operands. */
#ifndef TACHO_TRACE_H
#define TACHO_TRACE_H

#include <stdint.h>

/* Times are fixed-point numbers: parts of a cycle. Each issue width from 1 to 8 divides 840. */
#define PARTS_PER_CYCLE 840u

/* How control leaves a segment: by which kind of branch. */
enum leave {
  LEAVE_NONE,        /* no branch: the next instruction follows */
  LEAVE_DIRECT,      /* always to the same target: counted, never mispredicted */
  LEAVE_CONDITIONAL, /* to `exit` or to the next instruction */
  LEAVE_INDIRECT,    /* to any target */
  LEAVE_CALL,        /* to one target, and later back to `back` */
  LEAVE_INDIRECT_CALL,
  LEAVE_RETURN
};

/* An operand is one data access: the trace has its address, the segment has its code, which is the
 * number of bytes and these flags. */
#define OPERAND_BYTES 0x03ffu
#define OPERAND_WRITES 0x0400u    /* a store; without it a load, or an update */
#define OPERAND_UPDATES 0x0800u   /* a load and a store to the same address */
#define OPERAND_GUARDED 0x1000u   /* may not be executed: its address is 0 then */
#define OPERAND_PREFETCH 0x2000u  /* asks for a line without waiting; not counted */
#define OPERAND_CONTINUES 0x4000u /* bytes of the operand before, in further lines; not counted */

#define MAX_OPERANDS 2048 /* of a segment */

/* On an out-of-order core: the value `to` is ready no sooner than `after` cycles after the value
 * `from`. A segment has its dependences in the order of `to`. */
struct dependence {
  uint16_t to;   /* operand `to` of the segment: a load's address or a store's data; or */
  uint16_t from; /* a register at the segment's start; FROM_NOTHING; or FROM_OPERAND + a load */
  uint16_t after;
};
#define TO_BRANCH MAX_OPERANDS         /* what the branch that leaves the segment needs */
#define TO_REGISTER (MAX_OPERANDS + 1) /* + a register: its value at the segment's end */
#define FROM_NOTHING 127               /* greater than any register's number */
#define FROM_OPERAND 128

/* One fetch: twice the line's number, plus 1 if the instruction continues in the next line. */
typedef uint64_t fetch;

/* One instruction of a segment: sampling executes segments step by step. A segment may begin in the
 * middle of an instruction, after an exit from it: that step counts as 0 instructions. */
struct step {
  uint32_t parts, dependency; /* its share of the segment's */
  uint16_t offset;            /* its address minus the segment's */
  uint8_t bytes;
  uint8_t instructions;       /* 1 or 0 */
  uint16_t operands, fetches; /* its share of the segment's */
};

/* Three counts in one word, so that one addition adds all of them. 21 bits can't overflow within
 * one trace. */
#define COUNT_BITS 21
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)
#define PACK_COUNTS(instructions, loads, stores)                \
  ((uint64_t)(instructions) | (uint64_t)(loads) << COUNT_BITS | \
   (uint64_t)(stores) << (2 * COUNT_BITS))

/* A straight piece of code: executed from its first to its last instruction or not at all. */
struct segment {
  uint64_t address;    /* of the first instruction */
  uint64_t counts;     /* PACK_COUNTS of one execution */
  uint32_t parts;      /* time of one execution when nothing misses, in 1/PARTS_PER_CYCLE cycles */
  uint32_t dependency; /* the part of that time in which instructions wait for operands */
  uint32_t carried;    /* time by which it is longer if it follows itself: its rounds wait */
  /* Written by the core: if its fetch_changes still equals `present_at`, the whole segment is in
   * the L1I and in the ITLB, and `stamps` are the time stamps of its first line, its last line and
   * its page. */
  uint64_t present_at;
  uint32_t* stamps[3];
  /* Written by the core: if its `changes` still equals `steady_at`, going on to `steady_next`
   * changes nothing but counts. */
  const struct segment* steady_next;
  uint64_t steady_at;
  uint32_t operands;
  uint16_t fetches;
  uint8_t leave;        /* enum leave */
  uint8_t inverted;     /* conditional branch: it is not taken when control goes to `exit` */
  uint8_t backward;     /* conditional branch: its target has a lower address */
  uint16_t steps;       /* stored after `lines`; 0: not stored */
  uint16_t waits;       /* the step whose instruction waits for `carried` */
  uint16_t dependences; /* stored after the steps */
  uint64_t branch;      /* address of the branch instruction */
  uint64_t exit;        /* one of the two places to which a conditional branch leads */
  uint64_t back;        /* return address of a call */
  const fetch* lines;   /* in the order of fetching */
  uint64_t number;      /* different for each segment of the process */
  uint16_t codes[];     /* of the operands */
};

static inline const struct step* steps_of(const struct segment* s) {
  return (const struct step*)(s->lines + s->fetches);
}

static inline const struct dependence* dependences_of(const struct segment* s) {
  return (const struct dependence*)(steps_of(s) + s->steps);
}

#endif
