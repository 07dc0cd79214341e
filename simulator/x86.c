/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes x86-64 instructions as deeply as their time needs it: operands and the class of the
 * operation. The opcodes are those of Intel's manual, volume 2, appendix A. Instructions that are
 * not in the tables count as an integer operation without operands. */
#include "instruction.h"

/* The maps of opcodes: one byte, 0F, 0F 38, 0F 3A. */
enum map { ONE, TWO, M38, M3A };

/* What an instruction does to the operands `reg` and `rm` of its ModRM byte. */
enum form {
  COMBINE = 1, /* reg = reg op rm; with a VEX prefix, reg = vvvv op rm */
  TAKE,        /* reg = op rm */
  COMBINE_RM,  /* rm = rm op reg */
  GIVE,        /* rm = op reg */
  COMPARE,     /* only reads both */
  UPDATE,      /* rm = op rm */
  SET,         /* rm = something else */
  READ,        /* only reads rm */
  OTHER        /* has a ModRM byte, and neither of them matters */
};

/* Which of reg and rm are vectors. */
enum kind { GG, VV, VG, GV };

/* Mandatory prefixes, as a mask. */
#define NP 1
#define P66 2
#define PF3 4
#define PF2 8
#define ANY 15

/* How the flags are used. */
#define WC 1 /* writes carry */
#define WF 2 /* writes the others */
#define RC 4 /* reads carry */
#define CC 8 /* reads those of the condition in the opcode */
#define ALL (WC | WF)

struct row {
  uint8_t map, prefixes, first, last, form, kind, operation, with_load, flags;
};

#define R(map, prefixes, first, last, form, kind, op, flags) \
  {map, prefixes, first, last, form, kind, OPERATION_##op, OPERATION_##op, flags},
/* The same, with another operation if rm is in memory. */
#define M(map, prefixes, first, last, form, kind, op, load, flags) \
  {map, prefixes, first, last, form, kind, OPERATION_##op, OPERATION_##load, flags},

/* clang-format off */
static const struct row rows[] = {
    R(ONE, ANY, 0x00, 0x01, COMBINE_RM, GG, integer, ALL)
    R(ONE, ANY, 0x02, 0x03, COMBINE, GG, integer, ALL)
    R(ONE, ANY, 0x08, 0x09, COMBINE_RM, GG, integer, ALL)
    R(ONE, ANY, 0x0a, 0x0b, COMBINE, GG, integer, ALL)
    R(ONE, ANY, 0x10, 0x11, COMBINE_RM, GG, carry, ALL | RC)
    R(ONE, ANY, 0x12, 0x13, COMBINE, GG, carry, ALL | RC)
    R(ONE, ANY, 0x18, 0x19, COMBINE_RM, GG, carry, ALL | RC)
    R(ONE, ANY, 0x1a, 0x1b, COMBINE, GG, carry, ALL | RC)
    R(ONE, ANY, 0x20, 0x21, COMBINE_RM, GG, integer, ALL)
    R(ONE, ANY, 0x22, 0x23, COMBINE, GG, integer, ALL)
    R(ONE, ANY, 0x28, 0x29, COMBINE_RM, GG, integer, ALL)
    R(ONE, ANY, 0x2a, 0x2b, COMBINE, GG, integer, ALL)
    R(ONE, ANY, 0x30, 0x31, COMBINE_RM, GG, integer, ALL)
    R(ONE, ANY, 0x32, 0x33, COMBINE, GG, integer, ALL)
    R(ONE, ANY, 0x38, 0x3b, COMPARE, GG, integer, ALL)
    M(ONE, ANY, 0x63, 0x63, TAKE, GG, integer, none, 0)
    R(ONE, ANY, 0x69, 0x69, TAKE, GG, multiply, ALL)
    R(ONE, ANY, 0x6b, 0x6b, TAKE, GG, multiply, ALL)
    R(ONE, ANY, 0x84, 0x85, COMPARE, GG, integer, ALL)
    R(ONE, ANY, 0x86, 0x87, COMBINE_RM, GG, exchange, 0)
    R(ONE, ANY, 0x88, 0x88, GIVE, GG, integer, 0)
    R(ONE, ANY, 0x89, 0x89, GIVE, GG, move, 0)
    R(ONE, ANY, 0x8a, 0x8a, TAKE, GG, integer, 0)
    M(ONE, ANY, 0x8b, 0x8b, TAKE, GG, move, none, 0)
    R(ONE, ANY, 0x8d, 0x8d, TAKE, GG, address, 0)
    R(ONE, ANY, 0x8f, 0x8f, SET, GG, none, 0)
    R(ONE, ANY, 0xc6, 0xc7, SET, GG, integer, 0)
    R(ONE, ANY, 0xd8, 0xdf, OTHER, GG, x87_add, 0)

    M(TWO, NP | P66, 0x10, 0x10, TAKE, VV, move, none, 0)
    M(TWO, PF3 | PF2, 0x10, 0x10, COMBINE, VV, shuffle, none, 0)
    R(TWO, NP | P66, 0x11, 0x11, GIVE, VV, move, 0)
    R(TWO, PF3 | PF2, 0x11, 0x11, GIVE, VV, shuffle, 0)
    R(TWO, NP | P66, 0x12, 0x12, COMBINE, VV, shuffle, 0)
    M(TWO, PF3 | PF2, 0x12, 0x12, TAKE, VV, shuffle, none, 0)
    R(TWO, ANY, 0x13, 0x13, GIVE, VV, none, 0)
    R(TWO, ANY, 0x14, 0x15, COMBINE, VV, shuffle, 0)
    R(TWO, NP | P66, 0x16, 0x16, COMBINE, VV, shuffle, 0)
    M(TWO, PF3, 0x16, 0x16, TAKE, VV, shuffle, none, 0)
    R(TWO, ANY, 0x17, 0x17, GIVE, VV, none, 0)
    R(TWO, ANY, 0x0d, 0x0d, READ, GG, none, 0)
    R(TWO, ANY, 0x18, 0x18, READ, GG, none, 0)
    R(TWO, ANY, 0x19, 0x1f, OTHER, GG, none, 0)
    M(TWO, NP | P66, 0x28, 0x28, TAKE, VV, move, none, 0)
    R(TWO, NP | P66, 0x29, 0x29, GIVE, VV, move, 0)
    M(TWO, ANY, 0x2a, 0x2a, COMBINE, VG, convert_width, convert, 0)
    R(TWO, ANY, 0x2b, 0x2b, GIVE, VV, none, 0)
    R(TWO, PF3 | PF2, 0x2c, 0x2d, TAKE, GV, convert_to_integer, 0)
    R(TWO, NP | P66, 0x2e, 0x2f, COMPARE, VV, float_compare, ALL)
    R(TWO, ANY, 0x40, 0x4f, COMBINE, GG, select, CC)
    R(TWO, NP | P66, 0x50, 0x50, TAKE, GV, from_vector, 0)
    R(TWO, NP, 0x51, 0x51, TAKE, VV, float_root_single, 0)
    R(TWO, P66, 0x51, 0x51, TAKE, VV, float_root, 0)
    R(TWO, PF3, 0x51, 0x51, COMBINE, VV, float_root_single, 0)
    R(TWO, PF2, 0x51, 0x51, COMBINE, VV, float_root, 0)
    R(TWO, NP, 0x52, 0x53, TAKE, VV, float_estimate, 0)
    R(TWO, PF3, 0x52, 0x53, COMBINE, VV, float_estimate, 0)
    R(TWO, NP | P66, 0x54, 0x57, COMBINE, VV, vector_logic, 0)
    R(TWO, ANY, 0x58, 0x58, COMBINE, VV, float_add, 0)
    R(TWO, ANY, 0x59, 0x59, COMBINE, VV, float_multiply, 0)
    M(TWO, NP | P66, 0x5a, 0x5a, TAKE, VV, convert_width, convert, 0)
    M(TWO, PF3 | PF2, 0x5a, 0x5a, COMBINE, VV, convert_width, convert, 0)
    R(TWO, ANY, 0x5b, 0x5b, TAKE, VV, convert, 0)
    R(TWO, ANY, 0x5c, 0x5d, COMBINE, VV, float_add, 0)
    R(TWO, NP | PF3, 0x5e, 0x5e, COMBINE, VV, float_divide_single, 0)
    R(TWO, P66 | PF2, 0x5e, 0x5e, COMBINE, VV, float_divide, 0)
    R(TWO, ANY, 0x5f, 0x5f, COMBINE, VV, float_add, 0)
    R(TWO, ANY, 0x60, 0x63, COMBINE, VV, shuffle, 0)
    R(TWO, ANY, 0x64, 0x66, COMBINE, VV, vector_compare, 0)
    R(TWO, ANY, 0x67, 0x6d, COMBINE, VV, shuffle, 0)
    M(TWO, NP | P66, 0x6e, 0x6e, TAKE, VG, to_vector, none, 0)
    M(TWO, ANY, 0x6f, 0x6f, TAKE, VV, move, none, 0)
    R(TWO, ANY, 0x70, 0x70, TAKE, VV, shuffle, 0)
    R(TWO, NP | P66, 0x74, 0x76, COMBINE, VV, vector_compare, 0)
    R(TWO, P66 | PF2, 0x7c, 0x7d, COMBINE, VV, float_horizontal, 0)
    R(TWO, NP | P66, 0x7e, 0x7e, GIVE, GV, from_vector, 0)
    M(TWO, PF3, 0x7e, 0x7e, TAKE, VV, vector_logic, none, 0)
    R(TWO, ANY, 0x7f, 0x7f, GIVE, VV, move, 0)
    R(TWO, ANY, 0x90, 0x9f, SET, GG, select, CC)
    R(TWO, ANY, 0xa3, 0xa3, COMPARE, GG, shift, WC)
    R(TWO, ANY, 0xa4, 0xa4, COMBINE_RM, GG, shift_double, ALL)
    R(TWO, ANY, 0xa5, 0xa5, COMBINE_RM, GG, shift_double, ALL)
    R(TWO, ANY, 0xab, 0xab, COMBINE_RM, GG, shift, WC)
    R(TWO, ANY, 0xac, 0xad, COMBINE_RM, GG, shift_double, ALL)
    R(TWO, ANY, 0xae, 0xae, OTHER, GG, complex, 0)
    R(TWO, ANY, 0xaf, 0xaf, COMBINE, GG, multiply, ALL)
    R(TWO, ANY, 0xb0, 0xb1, COMBINE_RM, GG, complex, ALL)
    R(TWO, ANY, 0xb3, 0xb3, COMBINE_RM, GG, shift, WC)
    R(TWO, ANY, 0xb6, 0xb6, TAKE, GG, move, 0)
    R(TWO, NP | P66, 0xb7, 0xb7, TAKE, GG, integer, 0)
    R(TWO, PF3, 0xb8, 0xb8, COMBINE, GG, count_bits, ALL)
    R(TWO, ANY, 0xbb, 0xbb, COMBINE_RM, GG, shift, WC)
    R(TWO, NP | P66, 0xbc, 0xbd, COMBINE, GG, count_bits, ALL)
    R(TWO, PF3, 0xbc, 0xbd, TAKE, GG, count_bits, ALL)
    R(TWO, ANY, 0xbe, 0xbf, TAKE, GG, integer, 0)
    R(TWO, ANY, 0xc0, 0xc1, COMBINE_RM, GG, exchange, ALL)
    R(TWO, ANY, 0xc2, 0xc2, COMBINE, VV, float_add, 0)
    R(TWO, ANY, 0xc3, 0xc3, GIVE, GG, none, 0)
    M(TWO, NP | P66, 0xc4, 0xc4, COMBINE, VG, insert, shuffle, 0)
    R(TWO, NP | P66, 0xc5, 0xc5, TAKE, GV, extract, 0)
    R(TWO, NP | P66, 0xc6, 0xc6, COMBINE, VV, shuffle, 0)
    R(TWO, P66 | PF2, 0xd0, 0xd0, COMBINE, VV, float_add, 0)
    R(TWO, NP | P66, 0xd1, 0xd3, COMBINE, VV, vector_shift, 0)
    R(TWO, NP | P66, 0xd4, 0xd4, COMBINE, VV, vector_add, 0)
    R(TWO, NP | P66, 0xd5, 0xd5, COMBINE, VV, vector_multiply, 0)
    R(TWO, P66, 0xd6, 0xd6, GIVE, VV, vector_logic, 0)
    R(TWO, NP | P66, 0xd7, 0xd7, TAKE, GV, from_vector, 0)
    R(TWO, NP | P66, 0xd8, 0xda, COMBINE, VV, vector_compare, 0)
    R(TWO, NP | P66, 0xdb, 0xdb, COMBINE, VV, vector_logic, 0)
    R(TWO, NP | P66, 0xdc, 0xde, COMBINE, VV, vector_compare, 0)
    R(TWO, NP | P66, 0xdf, 0xdf, COMBINE, VV, vector_logic, 0)
    R(TWO, NP | P66, 0xe0, 0xe0, COMBINE, VV, vector_compare, 0)
    R(TWO, NP | P66, 0xe1, 0xe2, COMBINE, VV, vector_shift, 0)
    R(TWO, NP | P66, 0xe3, 0xe3, COMBINE, VV, vector_compare, 0)
    R(TWO, NP | P66, 0xe4, 0xe5, COMBINE, VV, vector_multiply, 0)
    M(TWO, ANY, 0xe6, 0xe6, TAKE, VV, convert_width, convert, 0)
    R(TWO, NP | P66, 0xe7, 0xe7, GIVE, VV, none, 0)
    R(TWO, NP | P66, 0xe8, 0xea, COMBINE, VV, vector_compare, 0)
    R(TWO, NP | P66, 0xeb, 0xeb, COMBINE, VV, vector_logic, 0)
    R(TWO, NP | P66, 0xec, 0xee, COMBINE, VV, vector_compare, 0)
    R(TWO, NP | P66, 0xef, 0xef, COMBINE, VV, vector_logic, 0)
    R(TWO, PF2, 0xf0, 0xf0, TAKE, VV, none, 0)
    R(TWO, NP | P66, 0xf1, 0xf3, COMBINE, VV, vector_shift, 0)
    R(TWO, NP | P66, 0xf4, 0xf5, COMBINE, VV, vector_multiply, 0)
    R(TWO, NP | P66, 0xf6, 0xf6, COMBINE, VV, shuffle_lanes, 0)
    R(TWO, NP | P66, 0xf8, 0xfe, COMBINE, VV, vector_add, 0)

    R(M38, NP | P66, 0x00, 0x00, COMBINE, VV, shuffle, 0)
    R(M38, NP | P66, 0x01, 0x03, COMBINE, VV, vector_horizontal, 0)
    R(M38, NP | P66, 0x04, 0x04, COMBINE, VV, vector_multiply, 0)
    R(M38, NP | P66, 0x05, 0x07, COMBINE, VV, vector_horizontal, 0)
    R(M38, NP | P66, 0x08, 0x0a, COMBINE, VV, vector_compare, 0)
    R(M38, NP | P66, 0x0b, 0x0b, COMBINE, VV, vector_multiply, 0)
    R(M38, P66, 0x0c, 0x0d, COMBINE, VV, shuffle, 0)
    R(M38, P66, 0x10, 0x15, COMBINE, VV, vector_logic, 0)
    R(M38, P66, 0x16, 0x16, COMBINE, VV, shuffle_lanes, 0)
    R(M38, P66, 0x17, 0x17, COMPARE, VV, extract, ALL)
    M(M38, P66, 0x18, 0x1a, TAKE, VV, shuffle_lanes, none, 0)
    R(M38, NP | P66, 0x1c, 0x1e, TAKE, VV, vector_compare, 0)
    R(M38, P66, 0x20, 0x25, TAKE, VV, shuffle, 0)
    R(M38, P66, 0x28, 0x28, COMBINE, VV, vector_multiply, 0)
    R(M38, P66, 0x29, 0x29, COMBINE, VV, vector_compare, 0)
    R(M38, P66, 0x2a, 0x2a, TAKE, VV, none, 0)
    R(M38, P66, 0x2b, 0x2b, COMBINE, VV, shuffle, 0)
    R(M38, P66, 0x30, 0x35, TAKE, VV, shuffle, 0)
    R(M38, P66, 0x36, 0x37, COMBINE, VV, shuffle_lanes, 0)
    R(M38, P66, 0x38, 0x3f, COMBINE, VV, vector_compare, 0)
    R(M38, P66, 0x40, 0x40, COMBINE, VV, vector_multiply_long, 0)
    R(M38, P66, 0x41, 0x41, TAKE, VV, float_estimate, 0)
    R(M38, P66, 0x45, 0x47, COMBINE, VV, vector_compare, 0)
    M(M38, P66, 0x58, 0x5a, TAKE, VV, shuffle_lanes, none, 0)
    M(M38, P66, 0x78, 0x79, TAKE, VV, shuffle_lanes, shuffle, 0)
    R(M38, P66, 0x90, 0x93, COMBINE, VV, gather, 0)
    R(M38, P66, 0x96, 0x9f, COMBINE_RM, VV, float_multiply, 0)
    R(M38, P66, 0xa6, 0xaf, COMBINE_RM, VV, float_multiply, 0)
    R(M38, P66, 0xb6, 0xbf, COMBINE_RM, VV, float_multiply, 0)
    R(M38, P66, 0xdb, 0xdf, COMBINE, VV, encrypt, 0)
    R(M38, NP | P66, 0xf0, 0xf0, TAKE, GG, address, 0)
    R(M38, NP | P66, 0xf1, 0xf1, GIVE, GG, address, 0)
    R(M38, PF2, 0xf0, 0xf1, COMBINE, GG, count_bits, 0)
    R(M38, NP, 0xf2, 0xf2, COMBINE, GG, address, ALL)
    R(M38, NP, 0xf5, 0xf5, COMBINE, GG, address, ALL)
    R(M38, PF3 | PF2, 0xf5, 0xf5, COMBINE, GG, count_bits, 0)
    R(M38, P66, 0xf6, 0xf6, COMBINE, GG, carry, WC | RC)
    R(M38, PF3, 0xf6, 0xf6, COMBINE, GG, carry, 0)
    R(M38, PF2, 0xf6, 0xf6, TAKE, GG, multiply_long, 0)
    R(M38, NP, 0xf7, 0xf7, COMBINE, GG, swap_bytes, ALL)
    R(M38, P66 | PF3 | PF2, 0xf7, 0xf7, COMBINE, GG, shift, 0)

    R(M3A, P66, 0x00, 0x01, TAKE, VV, shuffle_lanes, 0)
    R(M3A, P66, 0x02, 0x02, COMBINE, VV, vector_logic, 0)
    R(M3A, P66, 0x04, 0x05, TAKE, VV, shuffle, 0)
    R(M3A, P66, 0x06, 0x06, COMBINE, VV, shuffle_lanes, 0)
    R(M3A, P66, 0x08, 0x09, TAKE, VV, float_round, 0)
    R(M3A, P66, 0x0a, 0x0b, COMBINE, VV, float_round, 0)
    R(M3A, P66, 0x0c, 0x0d, COMBINE, VV, vector_logic, 0)
    R(M3A, NP | P66, 0x0e, 0x0f, COMBINE, VV, shuffle, 0)
    M(M3A, P66, 0x14, 0x17, GIVE, GV, extract, shuffle, 0)
    M(M3A, P66, 0x18, 0x18, COMBINE, VV, shuffle_lanes, vector_logic, 0)
    M(M3A, P66, 0x19, 0x19, GIVE, VV, shuffle_lanes, none, 0)
    M(M3A, P66, 0x20, 0x20, COMBINE, VG, insert, shuffle, 0)
    R(M3A, P66, 0x21, 0x21, COMBINE, VV, shuffle, 0)
    M(M3A, P66, 0x22, 0x22, COMBINE, VG, insert, shuffle, 0)
    M(M3A, P66, 0x38, 0x38, COMBINE, VV, shuffle_lanes, vector_logic, 0)
    M(M3A, P66, 0x39, 0x39, GIVE, VV, shuffle_lanes, none, 0)
    R(M3A, P66, 0x40, 0x42, COMBINE, VV, float_horizontal, 0)
    R(M3A, P66, 0x44, 0x44, COMBINE, VV, encrypt, 0)
    R(M3A, P66, 0x46, 0x46, COMBINE, VV, shuffle_lanes, 0)
    R(M3A, P66, 0x4a, 0x4c, COMBINE, VV, vector_blend, 0)
    R(M3A, P66, 0x60, 0x63, COMPARE, VV, complex, ALL)
    R(M3A, P66, 0xdf, 0xdf, TAKE, VV, encrypt, 0)
    R(M3A, PF2, 0xf0, 0xf0, TAKE, GG, shift, 0)
};
/* clang-format on */

/* The instruction that is being decoded. */
struct decoding {
  const uint8_t* at;
  const uint8_t* end;
  uint64_t follows; /* the address of the next instruction */
  unsigned prefix;  /* the mandatory one, as a mask */
  unsigned rex;
  unsigned size; /* of an integer operand, in bytes */
  unsigned reg, rm, vvvv;
  int vex, wide, memory, truncated, locked;
};

static unsigned next(struct decoding* d) {
  if (d->at == d->end) {
    d->truncated = 1;
    return 0;
  }
  return *d->at++;
}

static int64_t number(struct decoding* d, unsigned bytes) {
  uint64_t value = 0;
  unsigned i;
  for (i = 0; i < bytes; ++i) value |= (uint64_t)next(d) << (8 * i);
  return bytes == 1 ? (int8_t)value : bytes == 4 ? (int32_t)value : (int64_t)value;
}

/* The constant at the end of the instruction, of one or four bytes. */
static int64_t immediate(const struct decoding* d, unsigned bytes) {
  struct decoding last = *d;
  if (d->end - d->at < (int)bytes) return 0;
  last.at = d->end - bytes;
  return number(&last, bytes);
}

static void prefixes(struct decoding* d) {
  d->prefix = NP;
  d->size = 4;
  for (;; ++d->at) {
    if (d->at == d->end) return;
    switch (*d->at) {
      case 0x66:
        d->size = 2;
        if (d->prefix == NP) d->prefix = P66;
        continue;
      case 0xf3:
        d->prefix = PF3;
        continue;
      case 0xf2:
        d->prefix = PF2;
        continue;
      case 0xf0:
        d->locked = 1;
        continue;
      case 0x64:
      case 0x65:
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x26:
      case 0x67:
        continue;
      default:
        break;
    }
    break;
  }
  if ((*d->at & 0xf0) == 0x40) d->rex = *d->at++;
  if (d->rex & 8) d->size = 8;
}

/* Reads a VEX prefix if there is one. Returns the map. */
static enum map vex(struct decoding* d) {
  static const uint8_t masks[] = {NP, P66, PF3, PF2};
  const unsigned first = next(d);
  unsigned second = next(d), map = 1;
  d->vex = 1;
  d->rex = ~second >> 5 & 4;
  if (first == 0xc4) {
    d->rex = ~second >> 5 & 7;
    map = second & 31;
    second = next(d);
    if (second & 0x80) d->rex |= 8;
  }
  d->vvvv = ~second >> 3 & 15;
  d->wide = second >> 2 & 1;
  d->prefix = masks[second & 3];
  d->size = d->rex & 8 ? 8 : 4;
  return map == 2 ? M38 : map == 3 ? M3A : TWO;
}

static enum map map_of(struct decoding* d, unsigned* opcode) {
  enum map map = ONE;
  if (d->at != d->end && (*d->at == 0xc4 || *d->at == 0xc5)) {
    map = vex(d);
    *opcode = next(d);
    return map;
  }
  *opcode = next(d);
  if (*opcode != 0x0f) return ONE;
  *opcode = next(d);
  if (*opcode == 0x38 || *opcode == 0x3a) {
    map = *opcode == 0x38 ? M38 : M3A;
    *opcode = next(d);
    return map;
  }
  return TWO;
}

static void modrm(struct decoding* d, struct instruction* i) {
  const unsigned byte = next(d), mod = byte >> 6;
  d->reg = (byte >> 3 & 7) | (d->rex & 4) << 1;
  d->rm = (byte & 7) | (d->rex & 1) << 3;
  if (mod == 3) return;
  d->memory = 1;
  i->address.base = (int8_t)d->rm;
  if ((byte & 7) == 4) {
    const unsigned sib = next(d), index = (sib >> 3 & 7) | (d->rex & 2) << 2;
    i->address.base = (int8_t)((sib & 7) | (d->rex & 1) << 3);
    if (index != 4) {
      i->address.index = (int8_t)index;
      i->address.scale = (uint8_t)(1u << (sib >> 6));
    }
    if ((sib & 7) == 5 && mod == 0) {
      i->address.base = -1;
      i->address.displacement = number(d, 4);
    }
  } else if ((byte & 7) == 5 && mod == 0) {
    i->address.base = -1;
    i->address.displacement = number(d, 4) + (int64_t)d->follows;
  }
  if (mod == 1) i->address.displacement = number(d, 1);
  if (mod == 2) i->address.displacement = number(d, 4);
}

/* ---- Operands ---- */

static uint64_t general(unsigned number) {
  return BIT(number);
}
static uint64_t vector(unsigned number) {
  return BIT(VECTORS + number);
}

static void use_flags(struct instruction* i, unsigned flags, unsigned condition) {
  if (flags & WC) i->writes |= BIT(CARRY);
  if (flags & WF) i->writes |= BIT(FLAGS);
  if (flags & RC) i->reads |= BIT(CARRY);
  if (!(flags & CC)) return;
  condition = condition >> 1 & 7; /* o, b, z, be, s, p, l, le */
  if (condition == 1 || condition == 3) i->reads |= BIT(CARRY);
  if (condition != 1) i->reads |= BIT(FLAGS);
}

static void use_memory(struct instruction* i, const struct decoding* d, unsigned loads,
                       unsigned stores, int is_vector) {
  i->loads = (uint8_t)loads;
  i->stores = (uint8_t)stores;
  i->bytes = (uint8_t)(is_vector ? d->wide ? 32 : 16 : d->size);
  i->vector = (uint8_t)is_vector;
}

/* A result narrower than four bytes goes into a register whose other bytes stay. */
static void write_general(struct instruction* i, const struct decoding* d, unsigned number) {
  i->writes |= general(number);
  if (d->size < 4) i->reads |= general(number);
}

static void write_register(struct instruction* i, const struct decoding* d, int is_vector,
                           unsigned number) {
  if (is_vector)
    i->writes |= vector(number);
  else
    write_general(i, d, number);
}

static void apply(struct decoding* d, struct instruction* i, const struct row* r, unsigned opcode) {
  const int reg_vector = r->kind == VV || r->kind == VG, rm_vector = r->kind == VV || r->kind == GV;
  /* GIVE has its operands the other way round: rm is the general register. */
  const int give = r->form == GIVE && r->kind == GV;
  const uint64_t reg = reg_vector || give ? vector(d->reg) : general(d->reg);
  const uint64_t rm = d->memory ? 0 : rm_vector && !give ? vector(d->rm) : general(d->rm);
  const int memory_vector = d->memory && (r->kind == VV || r->kind == VG || r->kind == GV);
  i->operation = d->memory ? r->with_load : r->operation;
  switch (r->form) {
    case COMBINE:
      i->reads |= rm;
      if (!d->vex)
        i->reads |= reg;
      else
        i->reads |= reg_vector ? vector(d->vvvv) : general(d->vvvv);
      write_register(i, d, reg_vector, d->reg);
      if (d->memory) use_memory(i, d, 1, 0, memory_vector);
      break;
    case TAKE:
      i->reads |= rm;
      write_register(i, d, reg_vector, d->reg);
      if (d->memory) use_memory(i, d, 1, 0, memory_vector);
      break;
    case COMBINE_RM:
      i->reads |= reg | rm;
      if (rm_vector) { /* three operands: reg = reg * vvvv + rm */
        i->reads |= vector(d->vvvv);
        i->writes |= reg;
        if (d->memory) use_memory(i, d, 1, 0, 1);
      } else if (d->memory) {
        use_memory(i, d, 1, 1, 0);
      } else {
        write_general(i, d, d->rm);
      }
      break;
    case GIVE:
      i->reads |= reg;
      if (d->memory) {
        use_memory(i, d, 0, 1, memory_vector);
        if (i->operation == OPERATION_move || i->operation == OPERATION_integer ||
            (i->operation == OPERATION_shuffle && r->map == TWO) ||
            i->operation == OPERATION_from_vector || i->operation == OPERATION_vector_logic)
          i->operation = OPERATION_none;
      } else if (give) {
        write_general(i, d, d->rm);
      } else {
        write_register(i, d, reg_vector, d->rm);
        if (r->operation == OPERATION_shuffle) i->reads |= vector(d->rm);
      }
      break;
    case COMPARE:
      i->reads |= reg | rm;
      if (d->memory) use_memory(i, d, 1, 0, memory_vector);
      break;
    case UPDATE:
      i->reads |= rm;
      if (d->memory)
        use_memory(i, d, 1, 1, 0);
      else
        write_general(i, d, d->rm);
      break;
    case SET:
      if (d->memory) {
        use_memory(i, d, 0, 1, 0);
        if (i->operation == OPERATION_integer) i->operation = OPERATION_none;
      } else {
        write_general(i, d, d->rm);
      }
      break;
    case READ:
      i->reads |= rm;
      if (d->memory) use_memory(i, d, 1, 0, 0);
      break;
    default:
      break;
  }
  use_flags(i, r->flags, opcode);
}

static void constant_change(struct instruction* i, unsigned to, int from, int64_t constant) {
  i->changed = (int8_t)to;
  i->from = (int8_t)from;
  i->constant = constant;
}

/* ---- Groups: the reg field is part of the opcode ---- */

static void apply_group(struct decoding* d, struct instruction* i, unsigned form,
                        unsigned operation, unsigned flags) {
  const struct row r = {
      ONE, ANY, 0, 0, (uint8_t)form, GG, (uint8_t)operation, (uint8_t)operation, (uint8_t)flags};
  apply(d, i, &r, 0);
}

/* add, or, adc, sbb, and, sub, xor, cmp with a constant. */
static void arithmetic(struct decoding* d, struct instruction* i, unsigned which,
                       unsigned immediate_bytes) {
  const int carries = which == 2 || which == 3;
  apply_group(d, i, which == 7 ? READ : UPDATE, carries ? OPERATION_carry : OPERATION_integer,
              carries ? ALL | RC : ALL);
  if (which == 0 || which == 5 || which == 7) i->fuses = FUSES_ZERO | FUSES_CARRY;
  if (which == 4) i->fuses = FUSES_ZERO | FUSES_CARRY | FUSES_SIGN;
  if (d->memory) i->fuses = 0; /* memory and a constant do not */
  if (!d->memory && d->size == 8 && (which == 0 || which == 5)) {
    const int64_t by = immediate(d, immediate_bytes);
    constant_change(i, d->rm, (int)d->rm, which == 0 ? by : -by);
  }
}

static void shifts(struct decoding* d, struct instruction* i, unsigned which, int variable) {
  const int through_carry = which == 2 || which == 3;
  apply_group(d, i, UPDATE, variable ? OPERATION_shift_variable : OPERATION_shift,
              which < 4 ? WC | (through_carry ? RC : 0) : ALL);
  if (through_carry) i->operation = OPERATION_shift_variable;
  if (variable) i->reads |= general(1);
}

/* test, test, not, neg, mul, imul, div, idiv. */
static void group3(struct decoding* d, struct instruction* i, unsigned which) {
  if (which < 2) {
    apply_group(d, i, READ, OPERATION_integer, ALL);
    i->fuses = d->memory ? 0 : FUSES_ZERO | FUSES_CARRY | FUSES_SIGN;
  } else if (which < 4) {
    apply_group(d, i, UPDATE, OPERATION_integer, which == 2 ? 0 : ALL);
  } else {
    const unsigned multiply = d->size == 8   ? OPERATION_multiply_wide
                              : d->size == 1 ? OPERATION_multiply
                                             : OPERATION_multiply_long;
    const unsigned divide = d->size == 8 ? OPERATION_divide_long : OPERATION_divide;
    apply_group(d, i, READ, which < 6 ? multiply : divide, ALL);
    i->reads |= general(0);
    i->writes |= general(0);
    if (d->size != 1) {
      i->writes |= general(2);
      if (which >= 6) i->reads |= general(2);
    }
  }
}

static void push(struct decoding* d, struct instruction* i, int64_t by) {
  i->address.base = 4;
  i->address.index = -1;
  i->address.displacement = by < 0 ? by : 0;
  i->stack = 1;
  constant_change(i, 4, 4, by);
  d->size = 8;
  use_memory(i, d, by > 0, by < 0, 0);
}

/* inc, dec, call, call far, jmp, jmp far, push. */
static void group5(struct decoding* d, struct instruction* i, unsigned which) {
  if (which < 2) {
    apply_group(d, i, UPDATE, OPERATION_integer, WF);
    if (!d->memory) i->fuses = FUSES_ZERO;
    if (!d->memory && d->size == 8) constant_change(i, d->rm, (int)d->rm, which == 0 ? 1 : -1);
    return;
  }
  d->size = 8;
  apply_group(d, i, READ, which == 6 ? OPERATION_none : OPERATION_jump, 0);
  if (which == 2 || which == 6) { /* the load's address stays: it is what is waited for */
    i->stores = i->stack = 1;
    constant_change(i, 4, 4, -8);
    if (!d->memory) push(d, i, -8);
  }
}

/* Opcodes of one byte that have a ModRM byte with an opcode in it. Returns 0 for others. */
static int groups(struct decoding* d, struct instruction* i, unsigned opcode) {
  switch (opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
      break;
    default:
      return 0;
  }
  if (!(opcode & 1)) d->size = 1;
  modrm(d, i);
  d->reg &= 7;
  if (opcode <= 0x83)
    arithmetic(d, i, d->reg, opcode == 0x81 ? d->size == 2 ? 2 : 4 : 1);
  else if (opcode <= 0xc1)
    shifts(d, i, d->reg, 0);
  else if (opcode <= 0xd3)
    shifts(d, i, d->reg, opcode >= 0xd2);
  else if (opcode <= 0xf7)
    group3(d, i, d->reg);
  else
    group5(d, i, d->reg);
  return 1;
}

/* Opcodes of one byte without a ModRM byte. Returns 0 for others. */
static int without_operands(struct decoding* d, struct instruction* i, unsigned opcode) {
  const unsigned low = (opcode & 7) | (d->rex & 1) << 3;
  d->rm = 0;
  if (opcode < 0x40 && (opcode & 6) == 4) { /* the accumulator and a constant */
    if (!(opcode & 1)) d->size = 1;
    arithmetic(d, i, opcode >> 3, opcode & 1 ? 4 : 1);
    return 1;
  }
  if (opcode >= 0x50 && opcode < 0x58) {
    i->reads |= general(low);
    push(d, i, -8);
    i->operation = OPERATION_none;
  } else if (opcode >= 0x58 && opcode < 0x60) {
    push(d, i, 8);
    i->writes |= general(low);
    i->operation = OPERATION_none;
    if (low == 4) i->changed = -1;
  } else if (opcode == 0x68 || opcode == 0x6a) {
    push(d, i, -8);
    i->operation = OPERATION_none;
  } else if (opcode >= 0x70 && opcode < 0x80) {
    i->operation = OPERATION_branch;
    use_flags(i, CC, opcode);
    i->conditional = 1;
  } else if (opcode == 0x90 && !(d->rex & 1)) {
    i->operation = d->prefix == PF3 ? OPERATION_pause : OPERATION_none;
  } else if (opcode >= 0x90 && opcode < 0x98) {
    i->operation = OPERATION_exchange;
    i->reads |= general(0) | general(low);
    i->writes |= general(0) | general(low);
  } else if (opcode == 0x98) {
    i->reads |= general(0);
    i->writes |= general(0);
  } else if (opcode == 0x99) {
    i->operation = OPERATION_shift;
    i->reads |= general(0);
    i->writes |= general(2);
  } else if (opcode == 0xa8 || opcode == 0xa9) {
    i->reads |= general(0);
    i->fuses = FUSES_ZERO | FUSES_CARRY | FUSES_SIGN;
    use_flags(i, ALL, 0);
  } else if (opcode >= 0xb0 && opcode < 0xc0) {
    if (opcode < 0xb8) d->size = 1;
    write_general(i, d, low);
    if (d->size >= 4) constant_change(i, low, -1, immediate(d, d->size));
  } else if (opcode == 0xc2 || opcode == 0xc3) {
    push(d, i, 8);
    i->operation = OPERATION_jump;
  } else if (opcode == 0xc9) {
    i->address.base = 5;
    i->reads |= general(5);
    i->writes |= general(4) | general(5);
    d->size = 8;
    use_memory(i, d, 1, 0, 0);
  } else if (opcode == 0xe8) {
    push(d, i, -8);
    i->operation = OPERATION_jump;
  } else if (opcode == 0xe9 || opcode == 0xeb) {
    i->operation = OPERATION_jump;
  } else if (opcode == 0xf4 || opcode == 0xf5 || opcode == 0xf8 || opcode == 0xf9) {
    i->writes |= BIT(CARRY);
  } else {
    return 0;
  }
  return 1;
}

/* Opcodes of the map 0F that no row describes. Returns 0 for others. */
static int other_two(struct decoding* d, struct instruction* i, unsigned opcode) {
  if (opcode >= 0x80 && opcode < 0x90) {
    i->operation = OPERATION_branch;
    use_flags(i, CC, opcode);
    i->conditional = 1;
  } else if (opcode >= 0xc8 && opcode < 0xd0) {
    d->rm = (opcode & 7) | (d->rex & 1) << 3;
    i->operation = d->size == 8 ? OPERATION_swap_bytes : OPERATION_address;
    i->reads |= general(d->rm);
    i->writes |= general(d->rm);
  } else if (opcode == 0xba) {
    modrm(d, i);
    apply_group(d, i, (d->reg & 7) == 4 ? READ : UPDATE, OPERATION_shift, WC);
  } else if (opcode >= 0x71 && opcode <= 0x73) {
    modrm(d, i);
    i->operation = OPERATION_vector_compare;
    if (opcode == 0x73 && (d->reg & 3) == 3) i->operation = OPERATION_shuffle;
    i->reads |= vector(d->rm);
    i->writes |= vector(d->vex ? d->vvvv : d->rm);
  } else if (opcode == 0x77 || opcode == 0x0b || opcode == 0x31 || opcode == 0xa2) {
    i->operation = OPERATION_complex;
  } else if (opcode == 0xc7) {
    modrm(d, i);
    i->operation = OPERATION_complex;
    if (d->memory) use_memory(i, d, 1, 1, 0);
  } else {
    return 0;
  }
  return 1;
}

/* ---- What the tables cannot tell ---- */

/* lea: a sum of three takes longer. It makes an address out of registers without an access. */
static void adjust_lea(struct decoding* d, struct instruction* i) {
  const struct address a = i->address;
  const int three = a.base >= 0 && a.index >= 0 && a.displacement != 0;
  const int odd_base = a.index >= 0 && (a.base == 5 || a.base == 13);
  i->operation = three || odd_base || d->size == 2 ? OPERATION_address_slow : OPERATION_address;
  i->loads = 0;
  if (a.base >= 0) i->reads |= general((unsigned)a.base);
  if (a.index >= 0) i->reads |= general((unsigned)a.index);
  if (a.index < 0 && a.base >= 0 && d->size == 8)
    constant_change(i, d->reg, a.base, a.displacement);
}

static int is_vector_logic_zero(enum map map, unsigned opcode, unsigned prefix) {
  if (map != TWO) return 0;
  if (opcode == 0xef || opcode == 0x57) return 1;                   /* xor */
  if (opcode >= 0xf8 && opcode <= 0xfb) return 1;                   /* sub */
  if (opcode >= 0x64 && opcode <= 0x66) return (prefix & P66) != 0; /* greater than */
  return 0;
}

/* xor and the like of a register with itself do not wait for it. */
static void adjust_zero(const struct decoding* d, struct instruction* i, enum map map,
                        unsigned opcode) {
  if (d->memory) return;
  if (map == ONE && d->size >= 4 && d->reg == d->rm &&
      ((opcode & ~3u) == 0x30 || (opcode & ~3u) == 0x28) && (opcode & 1)) {
    i->operation = OPERATION_zero;
    i->reads = 0;
    constant_change(i, d->reg, -1, 0);
  } else if (is_vector_logic_zero(map, opcode, d->prefix) &&
             (d->vex ? d->vvvv == d->rm : d->reg == d->rm)) {
    i->operation = OPERATION_zero;
    i->reads = 0;
  } else if (map == TWO && opcode >= 0x74 && opcode <= 0x76 &&
             (d->vex ? d->vvvv == d->rm : d->reg == d->rm)) {
    i->reads = 0; /* all ones: executed, but not waited for */
  }
}

/* Copies of registers: which of them a core can do by renaming. */
static void adjust_move(const struct decoding* d, struct instruction* i, enum map map,
                        unsigned opcode) {
  if (i->operation != OPERATION_move) return;
  if (map == TWO && opcode == 0xb6) { /* movzx of 8 bits */
    if (d->memory)
      i->operation = d->size == 2 ? OPERATION_integer : OPERATION_none;
    else if (d->size == 2 || (!d->rex && d->rm >= 4 && d->rm < 8) || d->reg == d->rm)
      i->operation = OPERATION_integer;
    return;
  }
  if (map == ONE) {
    if (d->size == 2 || d->reg == d->rm) i->operation = OPERATION_integer;
    if (!d->memory && d->size == 8) {
      if (opcode == 0x89)
        constant_change(i, d->rm, (int)d->reg, 0);
      else
        constant_change(i, d->reg, (int)d->rm, 0);
    }
  }
}

static void adjust(struct decoding* d, struct instruction* i, enum map map, unsigned opcode) {
  if (map == ONE && opcode == 0x8d) adjust_lea(d, i);
  if (map == ONE && (opcode == 0x86 || opcode == 0x87)) {
    if (d->memory) i->operation = OPERATION_locked;
    i->writes |= general(d->reg);
  }
  if (map == TWO && (opcode == 0xc0 || opcode == 0xc1)) i->writes |= general(d->reg);
  if (map == TWO && (opcode == 0xb0 || opcode == 0xb1)) {
    i->reads |= general(0);
    i->writes |= general(0);
  }
  if (i->operation == OPERATION_select && (opcode & 14) == 6) /* above, below or equal */
    i->operation = OPERATION_select_two;
  if (map == TWO && (opcode == 0xbe || opcode == 0xb7 || opcode == 0xbf) && d->memory &&
      d->size != 2)
    i->operation = OPERATION_none;
  if (map == TWO && opcode == 0xbf && d->memory) i->operation = OPERATION_none;
  if (map == ONE && opcode == 0x63 && d->size != 8 && !d->memory) i->operation = OPERATION_move;
  if (map == ONE && opcode == 0xc7 && !d->memory && d->size >= 4)
    constant_change(i, d->rm, -1, immediate(d, 4));
  if (map == TWO && (opcode == 0xa5 || opcode == 0xad)) i->reads |= general(1);
  if (map == TWO && opcode == 0x6e && d->memory) i->bytes = (uint8_t)d->size;
  if (map == TWO && opcode == 0x7e && d->memory && d->prefix != PF3) i->bytes = (uint8_t)d->size;
  if (map == TWO && (d->prefix & (PF3 | PF2)) && d->memory && i->vector && opcode != 0x6f &&
      opcode != 0x7f)
    i->bytes = d->prefix == PF3 && opcode != 0x7e ? 4 : 8;
  if (map == TWO && opcode == 0x10 && d->memory) i->reads = 0; /* the rest becomes 0 */
  if (map == TWO && (opcode == 0xb6 || opcode == 0xbe)) i->bytes = 1;
  if (map == TWO && (opcode == 0xb7 || opcode == 0xbf)) i->bytes = 2;
  if (map == ONE && opcode == 0x63) i->bytes = 4;
  if (map == M3A && opcode >= 0x4a && opcode <= 0x4c) i->reads |= vector((unsigned)d->end[-1] >> 4);
  if (map == M38 && (opcode == 0x10 || opcode == 0x14 || opcode == 0x15)) i->reads |= vector(0);
  if (map == M38 && opcode == 0xf3) {
    i->operation = OPERATION_address;
    i->writes = general(d->vvvv) | BIT(CARRY) | BIT(FLAGS);
  }
  if (map == M38 && opcode == 0xf6 && d->prefix == PF2) {
    i->reads |= general(2);
    i->writes |= general(d->vvvv);
    if (d->size == 8) i->operation = OPERATION_multiply_wide;
  }
  if (d->wide) {
    if (i->operation == OPERATION_float_divide) i->operation = OPERATION_float_divide_wide;
    if (i->operation == OPERATION_float_divide_single)
      i->operation = OPERATION_float_divide_single_wide;
  }
  adjust_zero(d, i, map, opcode);
  adjust_move(d, i, map, opcode);
  if (map == ONE && (opcode & ~3u) == 0x38) /* cmp */
    i->fuses = FUSES_ZERO | FUSES_CARRY;
  if (map == ONE && (opcode == 0x84 || opcode == 0x85)) /* test */
    i->fuses = FUSES_ZERO | FUSES_CARRY | FUSES_SIGN;
  if (map == ONE && !d->memory && opcode < 0x30) { /* add, sub, and */
    if ((opcode & ~3u) == 0x00 || (opcode & ~3u) == 0x28) i->fuses = FUSES_ZERO | FUSES_CARRY;
    if ((opcode & ~3u) == 0x20) i->fuses = FUSES_ZERO | FUSES_CARRY | FUSES_SIGN;
  }
}

static void x87(struct decoding* d, struct instruction* i, unsigned opcode) {
  const unsigned which = d->reg & 7;
  d->size = opcode & 4 ? 8 : 4;
  if (!d->memory) {
    i->operation = opcode == 0xd9 && which < 2 ? OPERATION_none
                   : which == 1                ? OPERATION_x87_multiply
                                               : OPERATION_x87_add;
    return;
  }
  if (opcode & 1) { /* loads and stores */
    i->operation = OPERATION_none;
    use_memory(i, d, which == 0 || which == 5, which > 0 && which != 5, 1);
  } else {
    i->operation = which == 1 ? OPERATION_x87_multiply : OPERATION_x87_add;
    use_memory(i, d, 1, 0, 1);
  }
}

static void describe(struct decoding* d, struct instruction* i, enum map map, unsigned opcode) {
  unsigned n;
  if (map == ONE && (without_operands(d, i, opcode) || groups(d, i, opcode))) return;
  if (map == TWO && other_two(d, i, opcode)) return;
  for (n = 0; n < sizeof rows / sizeof rows[0]; ++n) {
    const struct row* const r = &rows[n];
    if (r->map != map || opcode < r->first || opcode > r->last || !(r->prefixes & d->prefix))
      continue;
    if (map == ONE && opcode < 0xd8 && !(opcode & 1) && opcode != 0x8d) d->size = 1;
    if (map == TWO && (opcode == 0xb0 || opcode == 0xc0 || (opcode >= 0x90 && opcode < 0xa0)))
      d->size = 1;
    modrm(d, i);
    apply(d, i, r, opcode);
    if (map == ONE && opcode >= 0xd8)
      x87(d, i, opcode);
    else
      adjust(d, i, map, opcode);
    return;
  }
  if (map == M38 && opcode == 0xf3) {
    modrm(d, i);
    adjust(d, i, map, opcode);
    i->reads |= d->memory ? 0 : general(d->rm);
    if (d->memory) use_memory(i, d, 1, 0, 0);
  }
}

void x86_decode(const uint8_t* code, unsigned bytes, uint64_t address, struct instruction* i) {
  struct decoding d = {.at = code, .end = code + bytes, .follows = address + bytes};
  unsigned opcode = 0, condition;
  enum map map;
  *i = (struct instruction){.operation = OPERATION_integer, .changed = -1, .from = -1};
  i->address.base = i->address.index = -1;
  i->address.scale = 1;
  prefixes(&d);
  map = map_of(&d, &opcode);
  if (d.truncated) return;
  describe(&d, i, map, opcode);
  if (d.locked) i->operation = OPERATION_locked;
  i->splits = (uint8_t)(i->address.index >= 0 && (d.vex || (i->loads && i->stores) ||
                                                  (i->loads && !(i->reads & i->writes))));
  if (!i->conditional) return;
  condition = opcode >> 1 & 7;
  i->condition = condition == 1 || condition == 3   ? FUSES_CARRY
                 : condition == 2 || condition >= 6 ? FUSES_ZERO
                                                    : FUSES_SIGN;
}
