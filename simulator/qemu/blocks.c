/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segments with their operands and fetches. */
#include "blocks.h"

#include <stdlib.h>
#include <string.h>

#include "dependences.h"
#include "in_order.h"

/* QEMU's blocks have at most 512 instructions, each with at most MAX_OPERANDS / MAX_INSTRUCTIONS
 * operands: 128 bytes in lines of SHORTEST_LINE. */
#define MAX_INSTRUCTIONS 512

static struct {
  struct address_map* map;
  uint32_t line_bits, line; /* of the L1I; bytes of the L1D's */
  int is_64, in_order;
} settings;

/* The block that is being made. */
static struct {
  uint16_t codes[MAX_OPERANDS];
  fetch lines[MAX_INSTRUCTIONS];
  uint64_t last_line;
  unsigned loads, stores;
  struct segment segment; /* last, for its end is open */
} made;

void blocks_init(const struct model* m, int is_64, struct address_map* map) {
  settings.map = map;
  settings.line_bits = (uint32_t)__builtin_ctzll(m->l1i.line);
  settings.line = (uint32_t)m->l1d.line < OPERAND_BYTES ? (uint32_t)m->l1d.line : 256;
  settings.is_64 = is_64;
  settings.in_order = (int)m->in_order;
  in_order_init(m);
  dependences_init(m);
}

/* ---- A32 or T32 code ---- */

/* QEMU does not say which code it has translated. Instructions of 2 bytes are T32 code. A block of
 * T32 instructions of 4 bytes alone is rare, and known by the blocks that lead to it. */
#define KNOWN_PLACES 65536
static uint32_t known_t32[KNOWN_PLACES]; /* addresses of T32 code, at a place by their low bits */

static void note_t32(uint64_t address) {
  known_t32[address / 2 % KNOWN_PLACES] = (uint32_t)address;
}

static uint32_t half(const uint8_t* bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8;
}

static int is_t32(const struct code* code, unsigned count) {
  int usual_a32 = 1;
  unsigned i;
  for (i = 0; i < count; ++i)
    if (code[i].count == 2 || code[i].address % 4 != 0) return 1;
  for (i = 0; i < count; ++i) {
    if (half(code[i].bytes) < 0xe800) return 0; /* it would have 2 bytes */
    usual_a32 &= half(code[i].bytes + 2) >> 12 == 14;
  }
  return known_t32[code->address / 2 % KNOWN_PLACES] == (uint32_t)code->address || !usual_a32;
}

static void decode_all(const struct code* code, unsigned count, struct arm_instruction* decoded) {
  struct it_block it = {0};
  const int t32 = !settings.is_64 && is_t32(code, count);
  unsigned i;
  memset(decoded, 0, count * sizeof *decoded);
  for (i = 0; i < count; ++i) {
    const uint32_t first = half(code[i].bytes),
                   second = code[i].count == 4 ? half(code[i].bytes + 2) : 0;
    if (t32 && code[i].count == 4)
      decode_t32(code[i].address, first << 16 | second, 1, &it, &decoded[i]);
    else if (t32)
      decode_t32(code[i].address, first, 0, &it, &decoded[i]);
    else if (settings.is_64)
      decode_a64(code[i].address, second << 16 | first, &decoded[i]);
    else
      decode_a32(code[i].address, second << 16 | first, &decoded[i]);
    if (decoded[i].size == 0) decoded[i].memory = NO_MEMORY; /* such as lists without registers */
  }
  if (!t32) return;
  note_t32(code[count - 1].address + code[count - 1].count);
  if (decoded[count - 1].leave == LEAVE_DIRECT) note_t32(decoded[count - 1].target);
}

/* ---- Segments ---- */

static uint64_t seen_by_caches(uint64_t address) {
  return settings.map ? address_map_find(settings.map, address) : address;
}

static void fetch_instruction(const struct code* code) {
  const uint64_t fetched = seen_by_caches(code->address), first = fetched >> settings.line_bits,
                 last = (fetched + code->count - 1) >> settings.line_bits;
  if (first == last && first == made.last_line) return;
  made.lines[made.segment.fetches++] = first << 1 | (first != last);
  made.last_line = last;
}

/* Adds the operands of an instruction, each of a line of bytes at most. The instruction counts
 * once. All are guarded: instructions of 32-bit code may be conditional, and those behind one that
 * gets a signal do not happen. */
static struct access* add_operands(const struct arm_instruction* i) {
  static const uint16_t kinds[] = {0, 0, OPERAND_WRITES, OPERAND_UPDATES};
  unsigned left = i->size, pieces = 0;
  struct access* access;
  if (i->memory == NO_MEMORY) return NULL;
  access = malloc(sizeof *access);
  access->slot = (uint16_t)made.segment.operands;
  for (; left && made.segment.operands < MAX_OPERANDS; ++pieces) {
    const unsigned bytes = left < settings.line ? left : settings.line;
    made.codes[made.segment.operands++] =
        (uint16_t)(bytes | kinds[i->memory] | OPERAND_GUARDED | (pieces ? OPERAND_CONTINUES : 0));
    left -= bytes;
  }
  access->pieces = (uint16_t)pieces;
  made.loads += i->memory != STORES_MEMORY;
  made.stores += i->memory != LOADS_MEMORY;
  return access;
}

/* How control leaves by the last instruction. A conditional one but a direct jump has two segments:
 * this one is for when it is not taken. */
static void leave_by(const struct arm_instruction* i, uint64_t address, uint64_t follows) {
  struct segment* const s = &made.segment;
  const int to_one_place = i->leave == LEAVE_DIRECT;
  s->branch = address;
  s->back = follows;
  s->leave = i->leave;
  if (!i->conditional || i->leave == LEAVE_NONE) return;
  s->leave = LEAVE_CONDITIONAL;
  s->exit = to_one_place ? i->target : follows;
  s->inverted = !to_one_place;
  s->backward = to_one_place && i->target <= address;
}

/* A copy of the segment with all that belongs to it. */
static struct segment* keep(void) {
  static uint64_t segments;
  const struct segment* const s = &made.segment;
  const size_t codes = s->operands * sizeof *made.codes, lines = s->fetches * sizeof *made.lines,
               dependences = s->dependences * sizeof(struct dependence),
               lines_at = (sizeof *s + codes + 7) & ~(size_t)7;
  struct segment* const kept = malloc(lines_at + lines + dependences);
  *kept = *s;
  kept->number = ++segments;
  memcpy(kept->codes, made.codes, codes);
  kept->lines = memcpy((char*)kept + lines_at, made.lines, lines);
  memcpy((char*)kept + lines_at + lines, dependences_list(), dependences);
  return kept;
}

struct block* blocks_add(const struct code* code, unsigned count, struct access** accesses) {
  static struct arm_instruction decoded[MAX_INSTRUCTIONS];
  const struct code* const last = &code[count - 1];
  const struct arm_instruction* const end = &decoded[count - 1];
  struct block* const block = calloc(1, sizeof *block);
  unsigned i;
  memset(&made.segment, 0, sizeof made.segment);
  made.last_line = ~0ull;
  made.loads = made.stores = 0;
  made.segment.address = block->address = code->address;
  block->follows = last->address + last->count;
  decode_all(code, count, decoded);
  if (settings.in_order)
    in_order_begin();
  else
    dependences_begin();
  for (i = 0; i < count; ++i) {
    fetch_instruction(&code[i]);
    if (settings.in_order)
      in_order_issue(&decoded[i]);
    else
      dependences_add(&decoded[i], made.segment.operands);
    accesses[i] = add_operands(&decoded[i]);
  }
  made.segment.counts = PACK_COUNTS(count, made.loads, made.stores);
  leave_by(end, last->address, block->follows);
  if (settings.in_order) {
    made.segment.parts = in_order_time();
    made.segment.dependency = in_order_waited();
  } else {
    dependences_end(&made.segment, end->leave == LEAVE_DIRECT && end->target == code->address);
  }
  block->segment = keep();
  block->operands = made.segment.operands;
  if (made.segment.leave == LEAVE_CONDITIONAL && made.segment.inverted) {
    made.segment.leave = end->leave;
    made.segment.inverted = 0;
    block->taken = keep();
  }
  return block;
}
