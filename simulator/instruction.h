/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an out-of-order core has to know of an instruction, whatever its architecture. A decoder
 * fills it in (x86.c); segment_time.c adds up the times. Plain C without Valgrind. */
#ifndef TACHO_INSTRUCTION_H
#define TACHO_INSTRUCTION_H

#include <stdint.h>

/* The classes of operations, by what they cost. Each is a key of [operations] in a model
 * (docs/reference/models.md). */
/* clang-format off */
#define OPERATIONS(X)                                                                             \
  X(none) X(integer) X(move) X(zero) X(carry) X(select) X(select_two) X(shift) X(shift_variable)  \
  X(shift_double) X(address) X(address_slow) X(swap_bytes) X(exchange) X(multiply)                \
  X(multiply_wide) X(multiply_long) X(count_bits) X(divide) X(divide_long) X(branch) X(jump)      \
  X(locked) X(pause) X(load) X(load_chained) X(load_vector) X(forward) X(forward_blocked)         \
  X(stack) X(store_address) X(store_address_indexed) X(store_data) X(vector_logic) X(vector_add)  \
  X(vector_compare) X(vector_shift) X(vector_multiply) X(vector_multiply_long)                    \
  X(vector_horizontal) X(vector_blend) X(shuffle) X(shuffle_lanes) X(to_vector) X(from_vector)    \
  X(insert) X(extract) X(gather) X(float_add) X(float_multiply) X(float_compare) X(float_round)   \
  X(float_estimate) X(float_horizontal) X(convert) X(convert_width) X(convert_to_integer)         \
  X(encrypt) X(float_divide) X(float_divide_single) X(float_divide_wide)                          \
  X(float_divide_single_wide) X(float_root) X(float_root_single) X(x87_add) X(x87_multiply)       \
  X(complex)
/* clang-format on */

enum operation {
#define OPERATION(name) OPERATION_##name,
  OPERATIONS(OPERATION)
#undef OPERATION
      OPERATION_COUNT
};

/* Registers have numbers; sets of them are bit masks. */
#define STACK_POINTER 4
#define CARRY 16 /* the carry flag */
#define FLAGS 17 /* the other flags */
#define VECTORS 18
#define REGISTERS 34
#define BIT(n) (1ull << (n))

/* A memory operand's address: base + index * scale + displacement. Without a base the
 * displacement is an address. */
struct address {
  int64_t displacement;
  int8_t base, index; /* registers, or -1 */
  uint8_t scale;
};

struct instruction {
  uint64_t reads;  /* registers that the operation needs; not those of the address */
  uint64_t writes; /* registers that it makes */
  struct address address;
  uint8_t operation;     /* enum operation */
  uint8_t loads, stores; /* number of memory accesses at `address` */
  uint8_t bytes;         /* of a memory access */
  uint8_t vector;        /* it loads a vector or a floating-point number */
  uint8_t splits;        /* its memory access is a micro-operation of its own if it has an index */
  uint8_t stack;         /* it changes the stack pointer besides (push, pop, call, return) */
  uint8_t conditional;   /* it is a conditional branch */
  uint8_t fuses;         /* it fuses with a conditional branch that follows it: FUSES_* */
  uint8_t condition;     /* of a conditional branch: FUSES_* of the instructions that it needs */
  int8_t changed;        /* register to which a constant is added, or -1 */
  int8_t from;           /* register of which `changed` was a copy before; or -1: a constant */
  int64_t constant;      /* what is added; or the constant */
};

#define FUSES_ZERO 1  /* with conditions on zero, and less than of signed numbers */
#define FUSES_CARRY 2 /* with conditions on carry */
#define FUSES_SIGN 4  /* with conditions on sign, parity, overflow */

/* Decodes the x86-64 instruction of `bytes` bytes at `address`. */
void x86_decode(const uint8_t* code, unsigned bytes, uint64_t address, struct instruction*);

#endif
