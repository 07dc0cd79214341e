/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decoder of prefetch instructions. */
#include "prefetch.h"

/* A signed displacement of 0, 1 or 4 bytes. */
static int64_t displacement(const uint8_t* at, unsigned bytes) {
  if (bytes == 0) return 0;
  if (bytes == 1) return (int8_t)at[0];
  return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                   (uint32_t)at[3] << 24);
}

int prefetch_decode(const uint8_t* code, unsigned bytes, uint64_t address, struct prefetch* p) {
  const uint8_t* at = code;
  const uint8_t* const end = code + bytes;
  uint8_t rex = 0, mod, kind, rm, opcode;
  while (at < end && (*at == 0x66 || *at == 0xf2 || *at == 0xf3)) ++at;
  if (at < end && (*at & 0xf0) == 0x40) rex = *at++;
  if (end - at < 3 || at[0] != 0x0f || (at[1] != 0x18 && at[1] != 0x0d)) return 0;
  opcode = at[1];
  mod = at[2] >> 6;
  kind = at[2] >> 3 & 7;
  rm = at[2] & 7;
  at += 3;
  if (mod == 3 || kind > (opcode == 0x18 ? 3 : 2)) return 0;
  p->base = (int8_t)(rm | (rex & 1) << 3);
  p->index = -1;
  p->shift = 0;
  if (rm == 4) { /* a SIB byte */
    uint8_t sib, index;
    if (at == end) return 0;
    sib = *at++;
    index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
    rm = sib & 7;
    p->base = (int8_t)(rm | (rex & 1) << 3);
    p->index = index == 4 ? -1 : (int8_t)index;
    p->shift = sib >> 6;
    if (rm == 5 && mod == 0) p->base = -1;
  } else if (rm == 5 && mod == 0) {
    p->base = -2; /* relative to the next instruction's address */
  }
  const unsigned wide = mod == 1 ? 1 : mod == 2 || p->base < 0 ? 4 : 0;
  if ((unsigned)(end - at) != wide) return 0;
  p->displacement = displacement(at, wide);
  if (p->base == -2) p->displacement += (int64_t)(address + bytes);
  if (p->base == -2) p->base = -1;
  return 1;
}
