/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes A64 code. Each group of encodings is a row of a table; the first that matches counts. */
#include "arm_instruction.h"

/* Fields of an instruction that name a register. */
enum field {
  RD = 1 << 0,  /* bits 0 to 4; 31 is none */
  RN = 1 << 1,  /* bits 5 to 9 */
  RM = 1 << 2,  /* bits 16 to 20 */
  RA = 1 << 3,  /* bits 10 to 14 */
  SPD = 1 << 4, /* as RD and RN, but 31 is the stack pointer */
  SPN = 1 << 5,
  VD = 1 << 6, /* vectors, in the same bits */
  VN = 1 << 7,
  VM = 1 << 8,
  VA = 1 << 9,
  NZCV = 1 << 10,
  LINK = 1 << 11, /* x30 */
  S29 = 1 << 12,  /* the flags and RD, or without bit 29 SPD alone */
  F29 = 1 << 13,  /* the flags if bit 29 is 1 */
};

struct row {
  uint32_t mask, value;
  uint8_t class;
  uint16_t reads, writes;
};

/* clang-format off: a row a line */
static const struct row rows[] = {
    /* data processing, immediate */
    {0x1f000000, 0x10000000, OP_OTHER, 0, RD},         /* adr, adrp */
    {0x1f000000, 0x11000000, OP_OTHER, SPN, S29},      /* add, sub */
    {0x7f800000, 0x72000000, OP_OTHER, RN, RD | NZCV}, /* ands */
    {0x1f800000, 0x12000000, OP_OTHER, RN, SPD},       /* and, orr, eor */
    {0x7f800000, 0x72800000, OP_OTHER, RD, RD},        /* movk */
    {0x1f800000, 0x12800000, OP_OTHER, 0, RD},         /* movz, movn */
    {0x7f800000, 0x33000000, OP_OTHER, RD | RN, RD},   /* bfm */
    {0x1f800000, 0x13000000, OP_OTHER, RN, RD},        /* sbfm, ubfm */
    {0x1f800000, 0x13800000, OP_OTHER, RN | RM, RD},   /* extr */
    /* data processing, registers */
    {0x7f000000, 0x6a000000, OP_OTHER, RN | RM, RD | NZCV},       /* ands, bics */
    {0x1f000000, 0x0a000000, OP_OTHER, RN | RM, RD},              /* and, orr, eor */
    {0x1f200000, 0x0b200000, OP_OTHER, SPN | RM, S29},            /* add, sub, extended */
    {0x1f200000, 0x0b000000, OP_OTHER, RN | RM, RD | F29},        /* add, sub, shifted */
    {0x1fe0fc00, 0x1a000000, OP_OTHER, RN | RM | NZCV, RD | F29}, /* adc, sbc */
    {0x1fe00000, 0x1a000000, OP_OTHER, RN | NZCV, NZCV},          /* rmif, setf */
    {0x1fe00800, 0x1a400000, OP_OTHER, RN | RM | NZCV, NZCV},     /* ccmp, ccmn */
    {0x1fe00800, 0x1a400800, OP_OTHER, RN | NZCV, NZCV},          /* ccmp, ccmn, immediate */
    {0x1fe00000, 0x1a800000, OP_OTHER, RN | RM | NZCV, RD},       /* csel */
    {0x5fe0f800, 0x1ac00800, OP_DIVIDE, RN | RM, RD},             /* udiv, sdiv */
    {0x5fe00000, 0x1ac00000, OP_OTHER, RN | RM, RD},              /* shifts, crc32 */
    {0x5fe00000, 0x5ac00000, OP_OTHER, RN, RD},                   /* rbit, rev, clz */
    {0x1f000000, 0x1b000000, OP_MULTIPLY, RN | RM | RA, RD},      /* madd, msub, mulh */
    /* scalar floating point */
    {0x5f000000, 0x1f000000, OP_FLOAT_MULTIPLY, VN | VM | VA, VD}, /* fmadd */
    {0x5f27fc00, 0x1e270000, OP_OTHER, RN, VD},                    /* fmov */
    {0x5f27fc00, 0x1e260000, OP_OTHER, VN, RD},                    /* fmov */
    {0x5f26fc00, 0x1e220000, OP_FLOAT_ADD, RN, VD},                /* scvtf, ucvtf */
    {0x5f20fc00, 0x1e200000, OP_FLOAT_ADD, VN, RD},                /* fcvtzs */
    {0x5f260000, 0x1e020000, OP_FLOAT_ADD, RN, VD},                /* the same, fixed point */
    {0x5f200000, 0x1e000000, OP_FLOAT_ADD, VN, RD},
    {0x5f3ffc00, 0x1e21c000, OP_FLOAT_DIVIDE, VN, VD},            /* fsqrt */
    {0x5f3e7c00, 0x1e204000, OP_OTHER, VN, VD},                   /* fmov, fabs, fneg */
    {0x5f207c00, 0x1e204000, OP_FLOAT_ADD, VN, VD},               /* fcvt, frint */
    {0x5f203c00, 0x1e202000, OP_FLOAT_ADD, VN | VM, NZCV},        /* fcmp */
    {0x5f201c00, 0x1e201000, OP_OTHER, 0, VD},                    /* fmov, immediate */
    {0x5f200c00, 0x1e200400, OP_FLOAT_ADD, VN | VM | NZCV, NZCV}, /* fccmp */
    {0x5f200c00, 0x1e200c00, OP_OTHER, VN | VM | NZCV, VD},       /* fcsel */
    {0x5f20fc00, 0x1e201800, OP_FLOAT_DIVIDE, VN | VM, VD},       /* fdiv */
    {0x5f207c00, 0x1e200800, OP_FLOAT_MULTIPLY, VN | VM, VD},     /* fmul, fnmul */
    {0x5f200c00, 0x1e200800, OP_FLOAT_ADD, VN | VM, VD},          /* fadd, fsub, fmax */
    /* vectors: moves from and to general registers */
    {0xbfe0fc00, 0x0e000c00, OP_OTHER, RN, VD},      /* dup */
    {0xffe0fc00, 0x4e001c00, OP_OTHER, RN | VD, VD}, /* ins */
    {0xbfe0ec00, 0x0e002c00, OP_OTHER, VN, RD},      /* smov, umov */
    {0xffe08400, 0x6e000400, OP_OTHER, VN | VD, VD}, /* ins, element */
    {0x9fe08400, 0x0e000400, OP_OTHER, VN, VD},      /* dup, element */
    /* vectors: three of the same kind */
    {0xbf20fc00, 0x2e20fc00, OP_FLOAT_DIVIDE, VN | VM, VD},        /* fdiv */
    {0xbf20fc00, 0x2e20dc00, OP_FLOAT_MULTIPLY, VN | VM, VD},      /* fmul */
    {0x9f20fc00, 0x0e20dc00, OP_FLOAT_MULTIPLY, VN | VM, VD},      /* fmulx */
    {0xbf20fc00, 0x0e20cc00, OP_FLOAT_MULTIPLY, VN | VM | VD, VD}, /* fmla, fmls */
    {0xbf20fc00, 0x0e20fc00, OP_FLOAT_MULTIPLY, VN | VM, VD},      /* frecps, frsqrts */
    {0x9f20c400, 0x0e20c400, OP_FLOAT_ADD, VN | VM, VD},           /* fadd, fmax, fcmeq */
    {0x9f20fc00, 0x0e209400, OP_MULTIPLY, VN | VM | VD, VD},       /* mla, mls */
    {0x9f20fc00, 0x0e209c00, OP_MULTIPLY, VN | VM, VD},            /* mul, pmul */
    {0x9f20fc00, 0x0e20b400, OP_MULTIPLY, VN | VM, VD},            /* sqdmulh */
    {0xbfa0fc00, 0x2ea01c00, OP_OTHER, VN | VM | VD, VD},          /* bit, bif */
    {0xbfe0fc00, 0x2e601c00, OP_OTHER, VN | VM | VD, VD},          /* bsl */
    {0x9f200400, 0x0e200400, OP_OTHER, VN | VM, VD},
    /* vectors: three of different kinds */
    {0x9f20cc00, 0x0e208000, OP_MULTIPLY, VN | VM | VD, VD}, /* mlal, mlsl */
    {0x9f20cc00, 0x0e20c000, OP_MULTIPLY, VN | VM, VD},      /* mull */
    {0x9f200c00, 0x0e200000, OP_OTHER, VN | VM, VD},
    /* vectors: two registers, or one of them whole */
    {0xbfbffc00, 0x2ea1f800, OP_FLOAT_DIVIDE, VN, VD}, /* fsqrt */
    {0x9fbffc00, 0x0ea0f800, OP_OTHER, VN, VD},        /* fabs, fneg */
    {0x9fbfcc00, 0x0ea0c800, OP_FLOAT_ADD, VN, VD},    /* fcmeq with 0 */
    {0x9f3fec00, 0x0e212800, OP_OTHER, VN, VD},        /* xtn, shll */
    {0x9f3ffc00, 0x0e214800, OP_OTHER, VN, VD},        /* sqxtn */
    {0x9f3f0c00, 0x0e210800, OP_FLOAT_ADD, VN, VD},    /* frint, fcvt, scvtf */
    {0x9f200c00, 0x0e200800, OP_OTHER, VN, VD},
    /* vectors: by element, by immediate */
    {0x9f00f400, 0x0f009000, OP_FLOAT_MULTIPLY, VN | VM, VD},      /* fmul */
    {0xbf00b400, 0x0f001000, OP_FLOAT_MULTIPLY, VN | VM | VD, VD}, /* fmla, fmls */
    {0x9f008400, 0x0f008000, OP_MULTIPLY, VN | VM, VD},            /* mul, mull, sqdmulh */
    {0x9f000400, 0x0f000000, OP_MULTIPLY, VN | VM | VD, VD},       /* mla, mlal */
    {0x9ff80400, 0x0f000400, OP_OTHER, 0, VD},                     /* movi */
    {0x9f00e400, 0x0f00e400, OP_FLOAT_ADD, VN, VD},                /* scvtf, fixed point */
    {0x9f000400, 0x0f000400, OP_OTHER, VN, VD},                    /* shifts */
    {0x9f200c00, 0x0e000800, OP_OTHER, VN | VM, VD},               /* permutations */
    {0x9f000000, 0x0e000000, OP_OTHER, VN | VM | VD, VD},
    /* system registers */
    {0xffe00000, 0xd5200000, OP_OTHER, 0, RD}, /* mrs */
    {0xffe00000, 0xd5000000, OP_OTHER, RD, 0}, /* msr */
};
/* clang-format on */

static uint64_t general(unsigned number) {
  return number == 31 ? 0 : 1ull << number;
}

static struct registers named(uint32_t code, unsigned fields) {
  const unsigned d = bits(code, 0, 5), n = bits(code, 5, 5), m = bits(code, 16, 5),
                 a = bits(code, 10, 5);
  struct registers r = {0, 0};
  if (fields & S29) fields |= bit(code, 29) ? RD | NZCV : SPD;
  if (fields & F29 && bit(code, 29)) fields |= NZCV;
  if (fields & RD) r.general |= general(d);
  if (fields & RN) r.general |= general(n);
  if (fields & RM) r.general |= general(m);
  if (fields & RA) r.general |= general(a);
  if (fields & SPD) r.general |= 1ull << d;
  if (fields & SPN) r.general |= 1ull << n;
  if (fields & NZCV) r.general |= INTEGER_FLAGS;
  if (fields & LINK) r.general |= 1ull << 30;
  if (fields & VD) r.vector |= 1ull << d;
  if (fields & VN) r.vector |= 1ull << n;
  if (fields & VM) r.vector |= 1ull << m;
  if (fields & VA) r.vector |= 1ull << a;
  return r;
}

/* ---- Branches ---- */

static void jump(struct arm_instruction* i, enum leave leave, uint64_t target) {
  i->leave = (uint8_t)leave;
  i->target = target;
}

static void jump_if(struct arm_instruction* i, uint64_t target, struct registers reads) {
  jump(i, LEAVE_DIRECT, target);
  i->conditional = 1;
  i->reads = reads;
}

static int decode_branch(uint64_t address, uint32_t code, struct arm_instruction* i) {
  static const uint8_t by_register[4] = {LEAVE_INDIRECT, LEAVE_INDIRECT_CALL, LEAVE_RETURN,
                                         LEAVE_RETURN};
  const uint64_t far = address + 4 * (uint64_t)extend(bits(code, 0, 26), 26),
                 near = address + 4 * (uint64_t)extend(bits(code, 5, 19), 19),
                 nearest = address + 4 * (uint64_t)extend(bits(code, 5, 14), 14);
  if (matches(code, 0x7c000000, 0x14000000)) {
    jump(i, bit(code, 31) ? LEAVE_CALL : LEAVE_DIRECT, far);
    if (bit(code, 31)) i->writes = named(code, LINK);
  } else if (matches(code, 0xff000000, 0x54000000)) { /* conditions 14 and 15 are always true */
    if (bits(code, 1, 3) == 7)
      jump(i, LEAVE_DIRECT, near);
    else
      jump_if(i, near, named(code, NZCV));
  } else if (matches(code, 0x7e000000, 0x34000000)) { /* cbz */
    jump_if(i, near, named(code, RD));
  } else if (matches(code, 0x7e000000, 0x36000000)) { /* tbz */
    jump_if(i, nearest, named(code, RD));
  } else if (matches(code, 0xfe000000, 0xd6000000)) {
    jump(i, by_register[bits(code, 21, 2)], 0);
    i->reads = named(code, RN);
    if (i->leave == LEAVE_INDIRECT_CALL) i->writes = named(code, LINK);
  } else {
    return 0;
  }
  return 1;
}

/* ---- Loads and stores ---- */

static void access(struct arm_instruction* i, int load, unsigned size) {
  i->memory = load ? LOADS_MEMORY : STORES_MEMORY;
  i->size = (uint16_t)size;
}

/* The data's registers: `count` from bit 0's field on, or bit 10's for the second of a pair. */
static void transfer(uint32_t code, struct arm_instruction* i, int vector, unsigned count,
                     int pair) {
  struct registers data = {0, 0};
  unsigned n;
  for (n = 0; n < count; ++n) {
    const unsigned number = n && pair ? bits(code, 10, 5) : (bits(code, 0, 5) + n) % 32;
    if (vector)
      data.vector |= 1ull << number;
    else
      data.general |= general(number);
  }
  struct registers* const to = i->memory == LOADS_MEMORY ? &i->writes : &i->reads;
  to->general |= data.general;
  to->vector |= data.vector;
  i->several = count > 1;
}

static void decode_structures(uint32_t code, struct arm_instruction* i) {
  static const uint8_t registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
  const int single = (int)bit(code, 24), load = (int)bit(code, 22);
  unsigned count, size;
  if (single) {
    const unsigned scale = bits(code, 14, 2);
    count = (bit(code, 13) << 1 | bit(code, 21)) + 1;
    size = count << (scale == 3 ? bits(code, 10, 2) : scale == 2 ? 2 + bit(code, 10) : scale);
  } else {
    count = registers[bits(code, 12, 4)];
    size = count * (bit(code, 30) ? 16 : 8);
  }
  access(i, load, size);
  transfer(code, i, 1, count, 0);
  if (single && load) i->reads.vector |= i->writes.vector;
  if (bit(code, 23)) {
    i->base = named(code, SPN).general;
    i->reads.general |= named(code, RM).general;
  }
}

static void decode_exclusive(uint32_t code, struct arm_instruction* i) {
  const unsigned size = 1u << bits(code, 30, 2);
  const int load = (int)bit(code, 22), pair = (int)bit(code, 21) && !bit(code, 23);
  if (bit(code, 21) && (bit(code, 23) || !bit(code, 31))) { /* cas, casp */
    access(i, 1, pair ? 8u << bit(code, 30) : size);
    transfer(code, i, 0, 1, 0);
    i->memory = UPDATES_MEMORY;
    i->reads.general |= i->writes.general;
    i->writes = named(code, RM);
    i->reads.general |= i->writes.general;
    return;
  }
  access(i, load, pair ? 2 * size : size);
  transfer(code, i, 0, pair ? 2 : 1, 1);
  if (!load && !bit(code, 23)) i->writes = named(code, RM); /* whether it succeeded */
}

static void decode_pair(uint32_t code, struct arm_instruction* i) {
  const unsigned size = bits(code, 30, 2);
  const int vector = (int)bit(code, 26), load = (int)bit(code, 22);
  access(i, load, 2 * (vector ? 4u << size : size & 2 ? 8 : size == 1 && !load ? 8 : 4));
  transfer(code, i, vector, 2, 1);
  if (bit(code, 23)) i->base = named(code, SPN).general;
}

static void decode_literal(uint32_t code, struct arm_instruction* i) {
  const unsigned size = bits(code, 30, 2);
  const int vector = (int)bit(code, 26);
  i->reads.general = 0;
  if (size == 3 && !vector) return; /* prfm */
  access(i, 1, vector ? 4u << size : size == 1 ? 8 : 4);
  transfer(code, i, vector, 1, 0);
}

/* Atomic operations, such as ldadd. */
static void decode_atomic(uint32_t code, struct arm_instruction* i) {
  access(i, 1, 1u << bits(code, 30, 2));
  transfer(code, i, 0, 1, 0);
  if (bits(code, 12, 4) == 12) return; /* ldapr */
  i->memory = UPDATES_MEMORY;
  i->reads.general |= named(code, RM).general;
}

static void decode_single(uint32_t code, struct arm_instruction* i) {
  const int vector = (int)bit(code, 26), scaled = (int)bit(code, 24);
  const unsigned size = bits(code, 30, 2), kind = bits(code, 22, 2), mode = bits(code, 10, 2);
  if (!scaled && bit(code, 21) && mode == 0) return decode_atomic(code, i);
  if (!vector && size == 3 && kind == 2 && !(bit(code, 21) && !scaled && mode & 1)) {
    i->reads.general = 0; /* prfm */
    return;
  }
  access(i, vector ? kind & 1 : kind != 0, vector && kind & 2 ? 16 : 1u << size);
  if (!scaled && bit(code, 21) && mode & 1) access(i, 1, 8); /* ldraa, ldrab */
  transfer(code, i, vector, 1, 0);
  if (!scaled && bit(code, 21) && mode == 2) i->reads.general |= named(code, RM).general;
  if (!scaled && mode & 1 && (!bit(code, 21) || mode == 3)) i->base = named(code, SPN).general;
}

static void decode_memory(uint32_t code, struct arm_instruction* i) {
  i->reads = named(code, SPN);
  if (matches(code, 0xbe000000, 0x0c000000))
    decode_structures(code, i);
  else if (matches(code, 0x3f000000, 0x08000000))
    decode_exclusive(code, i);
  else if (matches(code, 0x3b000000, 0x18000000))
    decode_literal(code, i);
  else if (matches(code, 0x3a000000, 0x28000000))
    decode_pair(code, i);
  else if (matches(code, 0x3a000000, 0x38000000))
    decode_single(code, i);
  else if (matches(code, 0x3f200c00, 0x19000000)) { /* ldapur, stlur */
    access(i, bits(code, 22, 2) != 0, 1u << bits(code, 30, 2));
    transfer(code, i, 0, 1, 0);
  }
}

void decode_a64(uint64_t address, uint32_t code, struct arm_instruction* i) {
  const struct row* row = rows;
  if (matches(code, 0x0a000000, 0x08000000)) return decode_memory(code, i);
  if (matches(code, 0x1c000000, 0x14000000) && decode_branch(address, code, i)) return;
  if (matches(code, 0x5e000000, 0x5e000000)) code &= ~(1u << 28); /* scalars in vector registers */
  for (; row < rows + sizeof rows / sizeof rows[0]; ++row) {
    if (!matches(code, row->mask, row->value)) continue;
    i->class = row->class;
    i->reads = named(code, row->reads);
    i->writes = named(code, row->writes);
    return;
  }
}
