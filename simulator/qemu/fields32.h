/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers that instructions of 32-bit code name. A32 instructions, and T32 instructions of 32
 * bits, have them in the same places. */
#ifndef TACHO_FIELDS32_H
#define TACHO_FIELDS32_H

#include "arm_instruction.h"

#define PC 15
#define SP 13
#define LR 14

/* A set of one register. The program counter is no operand. */
static inline uint64_t general(unsigned number) {
  return number == PC ? 0 : 1ull << number;
}

/* Fields of an instruction that name a register, by the first of their four bits; and the flags. */
enum field32 {
  R0 = 1,
  R8 = 2,
  R12 = 4,
  R16 = 8,
  NZCV = 16,
  S20 = 32 /* the flags if bit 20 is 1 */
};

static inline uint64_t named_in_32_bits(uint32_t code, unsigned fields) {
  uint64_t r = 0;
  if (fields & R0) r |= general(bits(code, 0, 4));
  if (fields & R8) r |= general(bits(code, 8, 4));
  if (fields & R12) r |= general(bits(code, 12, 4));
  if (fields & R16) r |= general(bits(code, 16, 4));
  if (fields & NZCV || (fields & S20 && bit(code, 20))) r |= INTEGER_FLAGS;
  return r;
}

#endif
