/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes T32 (Thumb) code. Each group of encodings is a row of a table; the first that matches
 * counts. */
#include "fields32.h"

/* Besides those of 32 bits: fields of instructions of 16 bits that name a register (three bits from
 * 0, 3, 6 or 8 on; four from 3 on; bit 7 before 0 to 2). */
enum field16 {
  L0 = 1 << 6,
  L3 = 1 << 7,
  L6 = 1 << 8,
  L8 = 1 << 9,
  H3 = 1 << 10,
  H0 = 1 << 11,
  STACK = 1 << 12, /* the stack pointer */
};

static uint64_t named(uint32_t code, unsigned fields) {
  uint64_t r = named_in_32_bits(code, fields);
  if (fields & L0) r |= general(bits(code, 0, 3));
  if (fields & L3) r |= general(bits(code, 3, 3));
  if (fields & L6) r |= general(bits(code, 6, 3));
  if (fields & L8) r |= general(bits(code, 8, 3));
  if (fields & H3) r |= general(bits(code, 3, 4));
  if (fields & H0) r |= general(bit(code, 7) << 3 | bits(code, 0, 3));
  if (fields & STACK) r |= 1ull << SP;
  return r;
}

struct row {
  uint32_t mask, value;
  uint8_t class;
  uint16_t reads, writes;
};

/* clang-format off: a row a line */
static const struct row narrow_rows[] = {
    {0xfe00, 0x1c00, OP_OTHER, L3, L0 | NZCV},             /* add, immediate of 3 bits */
    {0xfe00, 0x1e00, OP_OTHER, L3, L0 | NZCV},             /* sub */
    {0xf800, 0x1800, OP_OTHER, L3 | L6, L0 | NZCV},        /* add, sub */
    {0xe000, 0x0000, OP_OTHER, L3, L0 | NZCV},             /* shifts by an immediate, mov */
    {0xf800, 0x2000, OP_OTHER, 0, L8 | NZCV},              /* mov */
    {0xf800, 0x2800, OP_OTHER, L8, NZCV},                  /* cmp */
    {0xf000, 0x3000, OP_OTHER, L8, L8 | NZCV},             /* add, sub */
    {0xffc0, 0x4340, OP_MULTIPLY, L0 | L3, L0 | NZCV},     /* mul */
    {0xffc0, 0x4200, OP_OTHER, L0 | L3, NZCV},             /* tst */
    {0xff80, 0x4280, OP_OTHER, L0 | L3, NZCV},             /* cmp, cmn */
    {0xffc0, 0x4240, OP_OTHER, L3, L0 | NZCV},             /* neg */
    {0xffc0, 0x43c0, OP_OTHER, L3, L0 | NZCV},             /* mvn */
    {0xff80, 0x4140, OP_OTHER, L0 | L3 | NZCV, L0 | NZCV}, /* adc, ror */
    {0xffc0, 0x4180, OP_OTHER, L0 | L3 | NZCV, L0 | NZCV}, /* sbc */
    {0xfc00, 0x4000, OP_OTHER, L0 | L3, L0 | NZCV},        /* and, eor, lsl, … */
    {0xff00, 0x4400, OP_OTHER, H0 | H3, H0},               /* add */
    {0xff00, 0x4500, OP_OTHER, H0 | H3, NZCV},             /* cmp */
    {0xff00, 0x4600, OP_OTHER, H3, H0},                    /* mov */
    {0xf800, 0xa000, OP_OTHER, 0, L8},                     /* adr */
    {0xf800, 0xa800, OP_OTHER, STACK, L8},                 /* add to sp */
    {0xff00, 0xb000, OP_OTHER, STACK, STACK},              /* add, sub of sp */
    {0xff00, 0xb200, OP_OTHER, L3, L0},                    /* sxtb, uxth */
    {0xff00, 0xba00, OP_OTHER, L3, L0},                    /* rev */
};

static const struct row wide_rows[] = {
    /* data processing with an immediate */
    {0xfbf08f00, 0xf0100f00, OP_OTHER, R16, NZCV},            /* tst */
    {0xfbf08f00, 0xf0900f00, OP_OTHER, R16, NZCV},            /* teq */
    {0xfbf08f00, 0xf1100f00, OP_OTHER, R16, NZCV},            /* cmn */
    {0xfbf08f00, 0xf1b00f00, OP_OTHER, R16, NZCV},            /* cmp */
    {0xfbc08000, 0xf1400000, OP_OTHER, R16 | NZCV, R8 | S20}, /* adc, sbc */
    {0xfa008000, 0xf0000000, OP_OTHER, R16, R8 | S20},
    {0xfbf08000, 0xf2400000, OP_OTHER, 0, R8},        /* movw */
    {0xfbf08000, 0xf2c00000, OP_OTHER, R8, R8},       /* movt */
    {0xfbf08000, 0xf3600000, OP_OTHER, R16 | R8, R8}, /* bfi */
    {0xfa008000, 0xf2000000, OP_OTHER, R16, R8},      /* addw, sbfx, ssat */
    /* data processing with registers */
    {0xfff00f00, 0xea100f00, OP_OTHER, R16 | R0, NZCV},            /* tst */
    {0xfff00f00, 0xea900f00, OP_OTHER, R16 | R0, NZCV},            /* teq */
    {0xfff00f00, 0xeb100f00, OP_OTHER, R16 | R0, NZCV},            /* cmn */
    {0xfff00f00, 0xebb00f00, OP_OTHER, R16 | R0, NZCV},            /* cmp */
    {0xffc00000, 0xeb400000, OP_OTHER, R16 | R0 | NZCV, R8 | S20}, /* adc, sbc */
    {0xfe000000, 0xea000000, OP_OTHER, R16 | R0, R8 | S20},
    {0xff80f0f0, 0xfa00f000, OP_OTHER, R16 | R0, R8 | S20}, /* lsl, lsr */
    {0xff80f0c0, 0xfa80f080, OP_OTHER, R0, R8},             /* rev, clz; qadd */
    {0xff000000, 0xfa000000, OP_OTHER, R16 | R0, R8},       /* sxtb, parallel, sel */
    /* multiplications and divisions */
    {0xff80f000, 0xfb00f000, OP_MULTIPLY, R16 | R0, R8},       /* mul, smul */
    {0xff800000, 0xfb000000, OP_MULTIPLY, R16 | R0 | R12, R8}, /* mla, mls */
    {0xffd000f0, 0xfb9000f0, OP_DIVIDE, R16 | R0, R8},         /* sdiv, udiv */
    {0xffd000f0, 0xfb800000, OP_MULTIPLY, R16 | R0, R8 | R12}, /* smull, umull */
    {0xff800000, 0xfb800000, OP_MULTIPLY, R16 | R0 | R8 | R12, R8 | R12},
    /* system registers */
    {0xffe0d000, 0xf3e08000, OP_OTHER, NZCV, R8},  /* mrs */
    {0xffe0d000, 0xf3808000, OP_OTHER, R16, NZCV}, /* msr */
};
/* clang-format on */

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static void find_row(const struct row* row, size_t count, uint32_t code,
                     struct arm_instruction* i) {
  const struct row* const end = row + count;
  for (; row < end; ++row) {
    if (!matches(code, row->mask, row->value)) continue;
    i->class = row->class;
    i->reads.general = named(code, row->reads);
    i->writes.general = named(code, row->writes);
    return;
  }
}

/* ---- Branches ---- */

static void jump(struct arm_instruction* i, enum leave leave, uint64_t target) {
  i->leave = (uint8_t)leave;
  i->target = target;
  if (leave == LEAVE_CALL || leave == LEAVE_INDIRECT_CALL) i->writes.general |= 1ull << LR;
}

static void jump_to_register(uint32_t code, struct arm_instruction* i, int call) {
  const unsigned m = bits(code, 3, 4);
  jump(i, call ? LEAVE_INDIRECT_CALL : m == LR ? LEAVE_RETURN : LEAVE_INDIRECT, 0);
  i->reads.general = general(m);
}

static int decode_narrow_branch(uint64_t address, uint32_t code, struct arm_instruction* i) {
  const uint64_t pc = address + 4;
  if (matches(code, 0xf000, 0xd000)) {
    if (bits(code, 8, 4) >= 14) return 1; /* udf, svc */
    jump(i, LEAVE_DIRECT, pc + 2 * (uint64_t)extend(bits(code, 0, 8), 8));
    i->conditional = 1;
    i->reads.general = INTEGER_FLAGS;
  } else if (matches(code, 0xf800, 0xe000)) {
    jump(i, LEAVE_DIRECT, pc + 2 * (uint64_t)extend(bits(code, 0, 11), 11));
  } else if (matches(code, 0xf500, 0xb100)) { /* cbz */
    jump(i, LEAVE_DIRECT, pc + (bit(code, 9) << 6 | bits(code, 3, 5) << 1));
    i->conditional = 1;
    i->reads.general = named(code, L0);
  } else if (matches(code, 0xff00, 0x4700)) { /* bx, blx */
    jump_to_register(code, i, (int)bit(code, 7));
  } else if (matches(code, 0xff87, 0x4687)) { /* mov to pc */
    jump_to_register(code, i, 0);
  } else if (matches(code, 0xff87, 0x4487)) { /* add to pc */
    jump(i, LEAVE_INDIRECT, 0);
    i->reads.general = named(code, H3);
  } else {
    return 0;
  }
  return 1;
}

/* The offset of b, bl and blx: bits 24 and 23 are XORed with the sign. */
static uint64_t far_offset(uint32_t code) {
  const uint32_t sign = bit(code, 26), high = !(bit(code, 13) ^ sign),
                 low = !(bit(code, 11) ^ sign);
  return 2 * (uint64_t)extend(
                 sign << 23 | high << 22 | low << 21 | bits(code, 16, 10) << 11 | bits(code, 0, 11),
                 24);
}

static void decode_wide_branch(uint64_t address, uint32_t code, struct arm_instruction* i) {
  const uint64_t pc = address + 4;
  const unsigned kind = bit(code, 14) << 1 | bit(code, 12);
  if (kind == 3) {
    jump(i, LEAVE_CALL, pc + far_offset(code));
  } else if (kind == 2) { /* blx, to A32 code */
    jump(i, LEAVE_CALL, (pc & ~3ull) + far_offset(code));
  } else if (kind == 1) {
    jump(i, LEAVE_DIRECT, pc + far_offset(code));
  } else if (bits(code, 23, 3) != 7) {
    const uint32_t offset = bit(code, 26) << 19 | bit(code, 11) << 18 | bit(code, 13) << 17 |
                            bits(code, 16, 6) << 11 | bits(code, 0, 11);
    jump(i, LEAVE_DIRECT, pc + 2 * (uint64_t)extend(offset, 20));
    i->conditional = 1;
    i->reads.general = INTEGER_FLAGS;
  } else {
    find_row(wide_rows, COUNT(wide_rows), code, i);
  }
}

/* ---- Loads and stores ---- */

static void access(struct arm_instruction* i, int load, unsigned size, uint64_t data) {
  i->memory = load ? LOADS_MEMORY : STORES_MEMORY;
  i->size = (uint16_t)size;
  if (load)
    i->writes.general |= data & ~(1ull << PC);
  else
    i->reads.general |= data;
}

static void access_several(struct arm_instruction* i, int load, uint64_t list, uint64_t base,
                           int writes_base) {
  i->reads.general = base;
  access(i, load, 4 * (unsigned)__builtin_popcountll(list), list);
  if (writes_base) i->base = base;
  i->several = 1;
  if (load && list >> PC) jump(i, LEAVE_RETURN, 0);
}

static int decode_narrow_memory(uint32_t code, struct arm_instruction* i) {
  /* By bits 9 to 11, with a register as the offset: str, strh, strb, ldrsb, ldr, ldrh, … */
  static const uint8_t sizes[8] = {4, 2, 1, 1, 4, 2, 1, 2};
  const uint64_t list = bits(code, 0, 8);
  const int load = (int)bit(code, 11);
  if (matches(code, 0xf800, 0x4800)) {
    access(i, 1, 4, named(code, L8));
  } else if (matches(code, 0xf000, 0x5000)) {
    i->reads.general = named(code, L3 | L6);
    access(i, bits(code, 9, 3) >= 3, sizes[bits(code, 9, 3)], named(code, L0));
  } else if (matches(code, 0xe000, 0x6000) || matches(code, 0xf000, 0x8000)) {
    i->reads.general = named(code, L3);
    access(i, load, bit(code, 15) ? 2 : bit(code, 12) ? 1 : 4, named(code, L0));
  } else if (matches(code, 0xf000, 0x9000)) {
    i->reads.general = named(code, STACK);
    access(i, load, 4, named(code, L8));
  } else if (matches(code, 0xf600, 0xb400)) { /* push, pop */
    const uint64_t last = (uint64_t)bit(code, 8) << (load ? PC : LR);
    access_several(i, load, list | last, 1ull << SP, 1);
  } else if (matches(code, 0xf000, 0xc000)) {
    access_several(i, load, list, named(code, L8), 1);
  } else {
    return 0;
  }
  return 1;
}

/* ldrd, ldrex, their stores, and tbb. */
static void decode_dual(uint32_t code, struct arm_instruction* i) {
  static const uint8_t sizes[4] = {1, 2, 4, 8};
  const int load = (int)bit(code, 20), plain = bit(code, 24) || bit(code, 21);
  const unsigned kind = bits(code, 4, 4);
  i->reads.general = named(code, R16);
  if (plain) {
    access(i, load, 8, named(code, R12 | R8));
    if (bit(code, 21)) i->base = named(code, R16);
    i->several = 1;
  } else if (!bit(code, 23)) { /* ldrex, strex */
    access(i, load, 4, named(code, R12));
    if (!load) i->writes.general = named(code, R8);
  } else if (load && kind < 2) { /* tbb, tbh */
    i->reads.general |= named(code, R0);
    access(i, 1, kind + 1, 0);
    jump(i, LEAVE_INDIRECT, 0);
  } else { /* of other sizes; lda, stl */
    access(i, load, sizes[kind & 3], named(code, R12 | ((kind & 3) == 3 ? R8 : 0)));
    i->several = (kind & 3) == 3;
    if (!load && (kind < 8 || kind >= 12)) i->writes.general = named(code, R0);
  }
}

static void decode_wide_memory(uint32_t code, struct arm_instruction* i) {
  const int load = (int)bit(code, 20), literal = bits(code, 16, 4) == PC;
  const unsigned t = bits(code, 12, 4), size = bits(code, 21, 2);
  if (load && t == PC && size != 2) return; /* pld */
  i->reads.general = named(code, R16);
  if (!literal && !bit(code, 23)) {
    if (!bit(code, 11))
      i->reads.general |= named(code, R0);
    else if (bit(code, 8))
      i->base = named(code, R16);
  }
  access(i, load, 1u << size, general(t));
  if (load && t == PC) jump(i, bits(code, 16, 4) == SP ? LEAVE_RETURN : LEAVE_INDIRECT, 0);
}

static int decode_memory(uint32_t code, struct arm_instruction* i) {
  if (matches(code, 0xfe400000, 0xe8400000))
    decode_dual(code, i);
  else if (matches(code, 0xfe400000, 0xe8000000))
    access_several(i, (int)bit(code, 20), bits(code, 0, 16), named(code, R16), (int)bit(code, 21));
  else if (matches(code, 0xff100000, 0xf9000000))
    decode_neon_memory(0xf4000000 | (code & 0x00ffffff), i);
  else if (matches(code, 0xfe000000, 0xf8000000))
    decode_wide_memory(code, i);
  else
    return 0;
  return 1;
}

/* ---- Instructions ---- */

static void decode_wide(uint64_t address, uint32_t code, struct arm_instruction* i) {
  if (matches(code, 0xef000000, 0xef000000))
    decode_neon(bit(code, 28) << 24 | (code & 0x00ffffff) | 0xf2000000, i);
  else if (matches(code, 0xec000000, 0xec000000))
    decode_coprocessor(code, i);
  else if (matches(code, 0xf8008000, 0xf0008000))
    decode_wide_branch(address, code, i);
  else if (!decode_memory(code, i))
    find_row(wide_rows, COUNT(wide_rows), code, i);
}

static void decode_narrow(uint64_t address, uint32_t code, struct arm_instruction* i) {
  if (!decode_narrow_branch(address, code, i) && !decode_narrow_memory(code, i))
    find_row(narrow_rows, COUNT(narrow_rows), code, i);
}

/* The mask's lowest 1 ends the block: as many instructions follow as there are bits above it, and
 * one more. */
static struct it_block begin_it(uint32_t mask) {
  const unsigned count = 4 - (unsigned)__builtin_ctz(mask);
  return (struct it_block){(1u << count) - 1};
}

void decode_t32(uint64_t address, uint32_t code, int wide, struct it_block* it,
                struct arm_instruction* i) {
  const int in_block = (int)(it->conditional & 1);
  it->conditional >>= 1;
  if (!wide && matches(code, 0xff00, 0xbf00) && bits(code, 0, 4) != 0) {
    *it = begin_it(bits(code, 0, 4));
    i->reads.general = INTEGER_FLAGS;
    return;
  }
  if (wide)
    decode_wide(address, code, i);
  else
    decode_narrow(address, code, i);
  if (!in_block) return;
  i->conditional = 1;
  if (!wide && i->writes.general & ~INTEGER_FLAGS) i->writes.general &= ~INTEGER_FLAGS;
  i->reads.general |= INTEGER_FLAGS;
}
