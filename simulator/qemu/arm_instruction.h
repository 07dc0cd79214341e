/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the simulator needs to know about an ARM instruction. The decoders of A64, A32 and T32 code
 * find it out ("Arm Architecture Reference Manual", DDI 0487 and DDI 0406, chapters of encodings).
 * They know no more than that: different instructions with the same costs look alike. */
#ifndef TACHO_ARM_INSTRUCTION_H
#define TACHO_ARM_INSTRUCTION_H

#include <stdint.h>

#include "op_class.h"
#include "trace.h"

enum memory { NO_MEMORY, LOADS_MEMORY, STORES_MEMORY, UPDATES_MEMORY };

/* Sets of registers. The first has a bit for each general register, and for the flags. The second
 * one is of vector registers: in A64 code a bit for each, in 32-bit code one for each of the 64
 * single-precision halves of d0 to d31. */
struct registers {
  uint64_t general, vector;
};
#define INTEGER_FLAGS (1ull << 32) /* of integer comparisons */
#define FLOAT_FLAGS (1ull << 33)   /* FPSCR of 32-bit code */

struct arm_instruction {
  uint8_t class;       /* enum op_class */
  uint8_t leave;       /* enum leave, if it is a branch */
  uint8_t conditional; /* it may have no effect */
  uint8_t memory;      /* enum memory */
  uint8_t several;     /* it loads or stores more than one register */
  uint16_t size;       /* bytes that it loads or stores */
  uint64_t target;     /* of a direct branch */
  struct registers reads, writes;
  uint64_t base; /* the general register that it writes as soon as the address is known */
};

/* The path between a core and its cache has 8 bytes. An instruction that loads or stores several
 * registers takes an issue slot for each time that it uses the path. */
static inline uint32_t least_slots(const struct arm_instruction* i) {
  return i->several && i->size > 8 ? (i->size + 7u) / 8 : 1;
}

/* The ones that follow `it` in T32 code are conditional: a bit for each, the next one lowest. */
struct it_block {
  uint32_t conditional;
};

/* `i` must be all zeros. */
void decode_a64(uint64_t address, uint32_t code, struct arm_instruction* i);
void decode_a32(uint64_t address, uint32_t code, struct arm_instruction* i);

/* An instruction of 32 bits has its first half in the upper 16 bits of `code`. */
void decode_t32(uint64_t address, uint32_t code, int wide, struct it_block* it,
                struct arm_instruction* i);

/* A32's Advanced SIMD and VFP instructions. T32's have the same bits but the uppermost 8. */
void decode_neon(uint32_t code, struct arm_instruction* i);
void decode_neon_memory(uint32_t code, struct arm_instruction* i);
void decode_coprocessor(uint32_t code, struct arm_instruction* i);

/* The bits from `first` on. */
static inline uint32_t bits(uint32_t code, unsigned first, unsigned count) {
  return code >> first & ((1u << count) - 1);
}

static inline uint32_t bit(uint32_t code, unsigned number) {
  return code >> number & 1;
}

/* `value` has a sign in its bit `count` - 1. */
static inline int64_t extend(uint32_t value, unsigned count) {
  return (int64_t)((uint64_t)value << (64 - count)) >> (64 - count);
}

/* Whether `code` has these bits where `mask` is 1. */
static inline int matches(uint32_t code, uint32_t mask, uint32_t value) {
  return (code & mask) == value;
}

#endif
