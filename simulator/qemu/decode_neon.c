/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes VFP and Advanced SIMD instructions of 32-bit code, and other coprocessors' moves. */
#include "arm_instruction.h"

/* ---- Registers: a bit for each half of a double-precision register ---- */

static uint64_t singles(unsigned first, unsigned count) {
  return (count < 64 ? (1ull << count) - 1 : ~0ull) << (first & 63);
}

/* The number of a register whose four low bits and other bit are at these places. */
static unsigned double_at(uint32_t code, unsigned low, unsigned high) {
  return bit(code, high) << 4 | bits(code, low, 4);
}

static unsigned single_at(uint32_t code, unsigned low, unsigned high) {
  return bits(code, low, 4) << 1 | bit(code, high);
}

static uint64_t scalar(uint32_t code, unsigned low, unsigned high, int is_double) {
  return is_double ? singles(2 * double_at(code, low, high), 2)
                   : singles(single_at(code, low, high), 1);
}

static uint64_t vector(uint32_t code, unsigned low, unsigned high, int is_quad) {
  return singles(2 * double_at(code, low, high), is_quad ? 4 : 2);
}

#define D(code) (code), 12, 22
#define N(code) (code), 16, 7
#define M(code) (code), 0, 5

static void operate(struct arm_instruction* i, enum op_class class, uint64_t reads,
                    uint64_t writes) {
  i->class = (uint8_t)class;
  i->reads.vector = reads;
  i->writes.vector = writes;
}

/* ---- VFP ---- */

/* One operand: the second one is an opcode. */
static void decode_vfp_unary(uint32_t code, struct arm_instruction* i) {
  const unsigned opcode = bits(code, 16, 4);
  const int wide = (int)bit(code, 8), first = !bit(code, 7);
  const uint64_t d = scalar(D(code), wide), m = scalar(M(code), wide);
  if (!bit(code, 6)) {
    operate(i, OP_OTHER, 0, d); /* vmov, immediate */
  } else if (opcode == 0 || (opcode == 1 && first)) {
    operate(i, OP_OTHER, m, d); /* vmov, vabs, vneg */
  } else if (opcode == 1) {
    operate(i, OP_FLOAT_DIVIDE, m, d); /* vsqrt */
  } else if (opcode == 4 || opcode == 5) {
    operate(i, OP_FLOAT_ADD, opcode == 4 ? d | m : d, 0); /* vcmp */
    i->writes.general = FLOAT_FLAGS;
  } else if (opcode == 7 && !first) {
    operate(i, OP_FLOAT_ADD, m, scalar(D(code), !wide)); /* vcvt between precisions */
  } else if (opcode == 8) {
    operate(i, OP_FLOAT_ADD, scalar(M(code), 0), d); /* from an integer */
  } else if (opcode >= 12 && opcode <= 13) {
    operate(i, OP_FLOAT_ADD, m, scalar(D(code), 0)); /* to an integer */
  } else {
    operate(i, OP_FLOAT_ADD, m, d);
  }
}

static void decode_vfp(uint32_t code, struct arm_instruction* i) {
  const unsigned opcode = bit(code, 23) << 2 | bits(code, 20, 2);
  const int wide = (int)bit(code, 8);
  const uint64_t d = scalar(D(code), wide), n = scalar(N(code), wide), m = scalar(M(code), wide);
  static const uint8_t classes[7] = {OP_FLOAT_MULTIPLY, OP_FLOAT_MULTIPLY, OP_FLOAT_MULTIPLY,
                                     OP_FLOAT_ADD,      OP_FLOAT_DIVIDE,   OP_FLOAT_MULTIPLY,
                                     OP_FLOAT_MULTIPLY};
  if (bits(code, 28, 4) == 15) { /* vsel, vmaxnm, vrint, vcvta */
    operate(i, OP_FLOAT_ADD, n | m, d);
    i->reads.general = INTEGER_FLAGS;
  } else if (opcode == 7) {
    decode_vfp_unary(code, i);
  } else {
    const int accumulates = opcode < 2 || opcode > 4;
    operate(i, (enum op_class)classes[opcode], n | m | (accumulates ? d : 0), d);
  }
}

/* One register between a coprocessor and the core. */
static void decode_move(uint32_t code, struct arm_instruction* i) {
  const unsigned t = bits(code, 12, 4), coprocessor = bits(code, 8, 4);
  const uint64_t core = t == 15 ? 0 : 1ull << t;
  const int to_core = (int)bit(code, 20);
  if (to_core)
    i->writes.general = core;
  else
    i->reads.general = core;
  if (coprocessor == 10 && bits(code, 21, 3) == 7) { /* vmrs, vmsr */
    i->reads.general |= to_core ? FLOAT_FLAGS : 0;
    i->writes.general |= to_core ? (t == 15 ? INTEGER_FLAGS : 0) : FLOAT_FLAGS;
  } else if (coprocessor == 10 || coprocessor == 11) {
    const uint64_t n = scalar(N(code), coprocessor == 11);
    if (to_core)
      i->reads.vector = n;
    else if (coprocessor == 10)
      i->writes.vector = n;
    else if (bit(code, 23)) /* vdup */
      i->writes.vector = vector(N(code), (int)bit(code, 21));
    else
      i->reads.vector = i->writes.vector = n;
  }
}

static void decode_two_moves(uint32_t code, struct arm_instruction* i) {
  const uint64_t core = 1ull << bits(code, 12, 4) | 1ull << bits(code, 16, 4);
  const int vfp = bits(code, 9, 3) == 5;
  const uint64_t m = bit(code, 8) ? scalar(M(code), 1) : singles(single_at(M(code)), 2);
  if (bit(code, 20)) {
    i->writes.general = core;
    i->reads.vector = vfp ? m : 0;
  } else {
    i->reads.general = core;
    i->writes.vector = vfp ? m : 0;
  }
}

static void transfer(struct arm_instruction* i, int load, unsigned size, uint64_t data) {
  i->memory = load ? LOADS_MEMORY : STORES_MEMORY;
  i->size = (uint16_t)size;
  if (load)
    i->writes.vector = data;
  else
    i->reads.vector = data;
}

/* vldr, vldm and their stores. */
static void decode_vfp_memory(uint32_t code, struct arm_instruction* i) {
  const int wide = (int)bit(code, 8), load = (int)bit(code, 20);
  const int one = bit(code, 24) && !bit(code, 21);
  const unsigned words = one ? 1u + (unsigned)wide : bits(code, 0, 8) & ~(unsigned)wide,
                 first = wide ? 2 * double_at(D(code)) : single_at(D(code));
  if (bits(code, 9, 3) != 5) return; /* of another coprocessor */
  if (bits(code, 16, 4) != 15) i->reads.general = 1ull << bits(code, 16, 4);
  transfer(i, load, 4 * words, singles(first, words));
  if (!one && bit(code, 21)) i->base = i->reads.general;
  i->several = !one;
}

void decode_coprocessor(uint32_t code, struct arm_instruction* i) {
  if (matches(code, 0x0fe00000, 0x0c400000))
    decode_two_moves(code, i);
  else if (bit(code, 25) == 0)
    decode_vfp_memory(code, i);
  else if (bit(code, 4))
    decode_move(code, i);
  else if (bits(code, 9, 3) == 5)
    decode_vfp(code, i);
}

/* ---- Advanced SIMD ---- */

/* vld1 to vld4 and their stores. */
void decode_neon_memory(uint32_t code, struct arm_instruction* i) {
  static const uint8_t registers[16] = {4, 4, 4, 2, 3, 3, 3, 1, 2, 2, 2};
  const int load = (int)bit(code, 21), single = (int)bit(code, 23);
  const unsigned m = bits(code, 0, 4), form = bits(code, 8, 4);
  unsigned count = registers[form], size = 8 * count;
  if (single) {
    const unsigned scale = form >> 2 == 3 ? bits(code, 6, 2) : form >> 2;
    count = (form & 3) + 1;
    size = count << (scale == 3 ? 2 : scale);
  }
  i->reads.general = 1ull << bits(code, 16, 4);
  if (m != 15) i->base = i->reads.general;
  if (m < 13) i->reads.general |= 1ull << m;
  transfer(i, load, size, singles(2 * double_at(D(code)), 2 * count));
  if (single && load) i->reads.vector = i->writes.vector;
  i->several = count > 1;
}

static void decode_three_same(uint32_t code, struct arm_instruction* i) {
  const unsigned opcode = bits(code, 8, 4);
  const int quad = (int)bit(code, 6), low = (int)bit(code, 4), u = (int)bit(code, 24);
  const uint64_t d = vector(D(code), quad), n = vector(N(code), quad), m = vector(M(code), quad);
  enum op_class class = OP_OTHER;
  int accumulates = opcode == 1 && low && u; /* vbsl, vbit, vbif */
  if (opcode == 9) {
    class = OP_MULTIPLY;
    accumulates = !low;
  } else if (opcode == 11 && !low) {
    class = OP_MULTIPLY; /* vqdmulh */
  } else if ((opcode == 13 && low) || (opcode == 12 && low) || (opcode == 15 && low && !u)) {
    class = OP_FLOAT_MULTIPLY;
    accumulates = opcode == 12 || (opcode == 13 && !u);
  } else if (opcode >= 13) {
    class = OP_FLOAT_ADD;
  }
  operate(i, class, n | m | (accumulates ? d : 0), d);
}

/* Of different lengths, or by a scalar. */
static void decode_different(uint32_t code, struct arm_instruction* i) {
  const unsigned opcode = bits(code, 8, 4);
  const int by_scalar = (int)bit(code, 6);
  const uint64_t d = vector(D(code), 1), n = vector(N(code), 1), m = vector(M(code), 0);
  const int multiplies = by_scalar || opcode >= 8, floats = by_scalar && (opcode & 3) == 1;
  const int accumulates = by_scalar ? opcode < 8 : opcode >= 8 && opcode < 12;
  operate(i,
          floats       ? OP_FLOAT_MULTIPLY
          : multiplies ? OP_MULTIPLY
                       : OP_OTHER,
          n | m | (accumulates ? d : 0), d);
}

void decode_neon(uint32_t code, struct arm_instruction* i) {
  const int quad = (int)bit(code, 6);
  const uint64_t d = vector(D(code), quad), m = vector(M(code), quad);
  if (!bit(code, 23)) return decode_three_same(code, i);
  if (bit(code, 4)) { /* immediates and shifts */
    const int immediate = bits(code, 19, 3) == 0 && !bit(code, 7);
    const int converts = bits(code, 9, 3) == 7 && !immediate;
    return operate(i, converts ? OP_FLOAT_ADD : OP_OTHER, immediate ? 0 : m, d);
  }
  if (bits(code, 20, 2) != 3) return decode_different(code, i);
  if (!bit(code, 24)) return operate(i, OP_OTHER, vector(N(code), quad) | m, d); /* vext */
  if (!bit(code, 11)) { /* two registers: those of floating point have bit 10 and bits 16 to 17 */
    const int converts = bits(code, 16, 2) == 3 && bits(code, 9, 2) >= 2;
    return operate(i, converts ? OP_FLOAT_ADD : OP_OTHER, m, d);
  }
  operate(i, OP_OTHER, vector(N(code), 0) | vector(M(code), 0) | d, d); /* vtbl, vdup */
}
