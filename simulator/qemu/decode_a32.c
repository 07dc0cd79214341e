/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes A32 code. Each group of encodings is a row of a table; the first that matches counts. */
#include "fields32.h"

struct row {
  uint32_t mask, value;
  uint8_t class, reads, writes;
};

/* clang-format off: a row a line */
static const struct row rows[] = {
    /* multiplications */
    {0x0fe000f0, 0x00000090, OP_MULTIPLY, R0 | R8, R16 | S20},             /* mul */
    {0x0fc000f0, 0x00000090, OP_MULTIPLY, R0 | R8 | R12, R16 | S20},       /* mla */
    {0x0ff000f0, 0x00600090, OP_MULTIPLY, R0 | R8 | R12, R16},             /* mls */
    {0x0ff000f0, 0x00400090, OP_MULTIPLY, R0 | R8 | R12 | R16, R12 | R16}, /* umaal */
    {0x0fa000f0, 0x00a00090, OP_MULTIPLY, R0 | R8 | R12 | R16, R12 | R16 | S20},
    {0x0f8000f0, 0x00800090, OP_MULTIPLY, R0 | R8, R12 | R16 | S20},       /* umull, smull */
    {0x0ff00090, 0x01600080, OP_MULTIPLY, R0 | R8, R16},                   /* smulxy */
    {0x0ff000b0, 0x012000a0, OP_MULTIPLY, R0 | R8, R16},                   /* smulw */
    {0x0ff00090, 0x01400080, OP_MULTIPLY, R0 | R8 | R12 | R16, R12 | R16}, /* smlalxy */
    {0x0f900090, 0x01000080, OP_MULTIPLY, R0 | R8 | R12, R16},             /* smlaxy, smlaw */
    {0x0fd000f0, 0x07100010, OP_DIVIDE, R0 | R8, R16},                     /* sdiv, udiv */
    {0x0ff00010, 0x07400010, OP_MULTIPLY, R0 | R8 | R12 | R16, R12 | R16}, /* smlald */
    {0x0f800010, 0x07000010, OP_MULTIPLY, R0 | R8 | R12, R16},             /* smlad, smmla */
    {0x0ff000f0, 0x07800010, OP_OTHER, R0 | R8 | R12, R16},                /* usada8 */
    /* media */
    {0x0fe00070, 0x07c00010, OP_OTHER, R0 | R12, R12}, /* bfi */
    {0x0fa00070, 0x07a00050, OP_OTHER, R0, R12},       /* sbfx, ubfx */
    {0x0e000010, 0x06000010, OP_OTHER, R0 | R16, R12}, /* sxtb, rev, sel */
    /* miscellaneous */
    {0x0ff000f0, 0x01600010, OP_OTHER, R0, R12},       /* clz */
    {0x0f9000f0, 0x01000050, OP_OTHER, R0 | R16, R12}, /* qadd */
    {0x0fb000f0, 0x01000000, OP_OTHER, NZCV, R12},     /* mrs */
    {0x0fb000f0, 0x01200000, OP_OTHER, R0, NZCV},      /* msr */
    {0x0ff00000, 0x03000000, OP_OTHER, 0, R12},        /* movw */
    {0x0ff00000, 0x03400000, OP_OTHER, R12, R12},      /* movt */
    {0x0fb00000, 0x03200000, OP_OTHER, 0, 0},          /* msr, hints */
    /* data processing: an immediate, a register, a register shifted by a register */
    {0x0f900000, 0x03100000, OP_OTHER, R16, NZCV}, /* tst, teq, cmp, cmn */
    {0x0f900010, 0x01100000, OP_OTHER, R16 | R0, NZCV},
    {0x0f900010, 0x01100010, OP_OTHER, R16 | R0 | R8, NZCV},
    {0x0fa00000, 0x03a00000, OP_OTHER, 0, R12 | S20}, /* mov, mvn */
    {0x0fa00010, 0x01a00000, OP_OTHER, R0, R12 | S20},
    {0x0fa00010, 0x01a00010, OP_OTHER, R0 | R8, R12 | S20},
    {0x0fe00000, 0x02a00000, OP_OTHER, R16 | NZCV, R12 | S20}, /* adc */
    {0x0fc00000, 0x02c00000, OP_OTHER, R16 | NZCV, R12 | S20}, /* sbc, rsc */
    {0x0fe00010, 0x00a00000, OP_OTHER, R16 | R0 | NZCV, R12 | S20},
    {0x0fc00010, 0x00c00000, OP_OTHER, R16 | R0 | NZCV, R12 | S20},
    {0x0e000000, 0x02000000, OP_OTHER, R16, R12 | S20},
    {0x0e000010, 0x00000000, OP_OTHER, R16 | R0, R12 | S20},
    {0x0e000010, 0x00000010, OP_OTHER, R16 | R0 | R8, R12 | S20},
};
/* clang-format on */

/* ---- Branches ---- */

static void leave(struct arm_instruction* i, enum leave how) {
  i->leave = (uint8_t)how;
}

static int decode_branch(uint64_t address, uint32_t code, struct arm_instruction* i) {
  if (matches(code, 0x0e000000, 0x0a000000)) { /* b, bl, and blx of an address */
    const int other_code = bits(code, 28, 4) == 15;
    i->target = address + 8 + 4 * (uint64_t)extend(bits(code, 0, 24), 24);
    if (other_code) i->target += 2 * bit(code, 24);
    leave(i, other_code || bit(code, 24) ? LEAVE_CALL : LEAVE_DIRECT);
  } else if (matches(code, 0x0ffffff0, 0x012fff10)) { /* bx */
    leave(i, bits(code, 0, 4) == LR ? LEAVE_RETURN : LEAVE_INDIRECT);
    i->reads.general = named_in_32_bits(code, R0);
  } else if (matches(code, 0x0ffffff0, 0x012fff30)) { /* blx */
    leave(i, LEAVE_INDIRECT_CALL);
    i->reads.general = named_in_32_bits(code, R0);
  } else {
    return 0;
  }
  if (i->leave == LEAVE_CALL || i->leave == LEAVE_INDIRECT_CALL) i->writes.general = 1ull << LR;
  return 1;
}

/* ---- Loads and stores ---- */

static void access(struct arm_instruction* i, int load, unsigned size, uint64_t data) {
  i->memory = load ? LOADS_MEMORY : STORES_MEMORY;
  i->size = (uint16_t)size;
  if (load)
    i->writes.general |= data;
  else
    i->reads.general |= data;
}

/* The base register is written before the access (P, W) or after it (P is 0). */
static void write_back(uint32_t code, struct arm_instruction* i) {
  if (!bit(code, 24) || bit(code, 21)) i->base = named_in_32_bits(code, R16);
}

/* Words and bytes. */
static void decode_word(uint32_t code, struct arm_instruction* i) {
  const int load = (int)bit(code, 20);
  const unsigned t = bits(code, 12, 4);
  i->reads.general = named_in_32_bits(code, R16 | (bit(code, 25) ? R0 : 0));
  access(i, load, bit(code, 22) ? 1 : 4, general(t));
  write_back(code, i);
  if (load && t == PC) leave(i, bits(code, 16, 4) == SP ? LEAVE_RETURN : LEAVE_INDIRECT);
}

/* Halfwords, signed bytes and pairs of words. */
static void decode_extra(uint32_t code, struct arm_instruction* i) {
  const unsigned kind = bits(code, 5, 2), t = bits(code, 12, 4);
  const int pair = kind >= 2 && !bit(code, 20), load = bit(code, 20) || kind == 2;
  i->reads.general = named_in_32_bits(code, R16 | (bit(code, 22) ? 0 : R0));
  access(i, load, pair ? 8 : kind == 2 ? 1 : 2, general(t) | (pair ? general(t | 1) : 0));
  write_back(code, i);
  i->several = (uint8_t)pair;
}

/* swp, ldrex, strex and the like. */
static void decode_exclusive(uint32_t code, struct arm_instruction* i) {
  static const uint8_t sizes[4] = {4, 8, 1, 2};
  const int load = (int)bit(code, 20);
  const unsigned size = sizes[bits(code, 21, 2)], t = load ? bits(code, 12, 4) : bits(code, 0, 4);
  i->reads.general = named_in_32_bits(code, R16);
  if (!bit(code, 23)) { /* swp */
    access(i, 1, bit(code, 22) ? 1 : 4, named_in_32_bits(code, R12));
    i->reads.general |= named_in_32_bits(code, R0);
    i->memory = UPDATES_MEMORY;
    return;
  }
  access(i, load, size, general(t) | (size == 8 ? general(t | 1) : 0));
  i->several = size == 8;
  if (!load && bits(code, 8, 2) != 0) i->writes.general = named_in_32_bits(code, R12); /* but stl */
}

/* ldm and stm. */
static void decode_several(uint32_t code, struct arm_instruction* i) {
  const uint64_t list = bits(code, 0, 16);
  const int load = (int)bit(code, 20);
  i->reads.general = named_in_32_bits(code, R16);
  access(i, load, 4 * (unsigned)__builtin_popcountll(list), list & 0x7fff);
  if (bit(code, 21)) i->base = named_in_32_bits(code, R16);
  i->several = 1;
  if (load && list >> PC) leave(i, LEAVE_RETURN);
}

static int decode_memory(uint32_t code, struct arm_instruction* i) {
  if (matches(code, 0x0c000000, 0x04000000) && !matches(code, 0x02000010, 0x02000010))
    decode_word(code, i);
  else if (matches(code, 0x0e000000, 0x08000000))
    decode_several(code, i);
  else if (matches(code, 0x0f0000f0, 0x01000090))
    decode_exclusive(code, i);
  else if (matches(code, 0x0e000090, 0x00000090) && bits(code, 5, 2) != 0)
    decode_extra(code, i);
  else
    return 0;
  return 1;
}

/* ---- Instructions ---- */

static void decode_data(uint32_t code, struct arm_instruction* i) {
  const struct row* row = rows;
  for (; row < rows + sizeof rows / sizeof rows[0]; ++row) {
    if (!matches(code, row->mask, row->value)) continue;
    i->class = row->class;
    i->reads.general = named_in_32_bits(code, row->reads);
    i->writes.general = named_in_32_bits(code, row->writes);
    if (bits(code, 26, 2) == 0 && row->writes & R12 && bits(code, 12, 4) == PC)
      leave(i, matches(code, 0x0fffffff, 0x01a0f00e) ? LEAVE_RETURN : LEAVE_INDIRECT);
    return;
  }
}

static void decode_unconditional(uint64_t address, uint32_t code, struct arm_instruction* i) {
  if (matches(code, 0xfe000000, 0xf2000000))
    decode_neon(code, i);
  else if (matches(code, 0xff100000, 0xf4000000))
    decode_neon_memory(code, i);
  else if (matches(code, 0xfe000000, 0xfa000000))
    decode_branch(address, code, i);
  else if (matches(code, 0xfc000000, 0xfc000000) && !matches(code, 0x03000000, 0x03000000))
    decode_coprocessor(code, i);
}

void decode_a32(uint64_t address, uint32_t code, struct arm_instruction* i) {
  const unsigned condition = bits(code, 28, 4);
  if (condition == 15) return decode_unconditional(address, code, i);
  if (!decode_branch(address, code, i) && !decode_memory(code, i)) {
    if (bits(code, 26, 2) != 3)
      decode_data(code, i);
    else if (!matches(code, 0x0f000000, 0x0f000000)) /* svc */
      decode_coprocessor(code, i);
  }
  if (condition == 14) return;
  i->conditional = 1;
  i->reads.general |= INTEGER_FLAGS;
}
