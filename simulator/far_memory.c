/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out whether a program has memory beyond ADDRESS_LIMIT, and where it has any. */
#include "far_memory.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcprint.h"

#include "trace.h"

#define MAX_SEGMENTS 30000 /* VG_N_SEGMENTS of Valgrind */

struct address_map* far_memory_map;

static struct address_map map;
static allocate_fn allocate_memory;

void far_memory_init(allocate_fn allocate) {
  allocate_memory = allocate;
}

/* Whether the program has a mapping between two addresses. */
static int has_mapping(uint64_t start, uint64_t end) {
  static Addr starts[MAX_SEGMENTS]; /* in ascending order */
  const Int count = VG_(am_get_segment_starts)(SkFileC | SkAnonC | SkShmC, starts, MAX_SEGMENTS);
  Int i;
  for (i = 0; i < count && starts[i] < end; ++i) {
    if (starts[i] < start && i + 1 < count && starts[i + 1] <= start) continue;
    if (VG_(am_find_nsegment)(starts[i])->end >= start) return 1;
  }
  return 0;
}

static void exhausted(void) {
  VG_(umsg)("the program's memory is in more than %u separate regions of 16 MiB\n", PLACES);
  VG_(exit)(125);
}

void far_memory_mapped(Addr start, SizeT length) {
  if (far_memory_map || start + length <= ADDRESS_LIMIT) return;
  address_map_init(&map, has_mapping, exhausted, allocate_memory);
  far_memory_map = &map;
}

void far_memory_replace(uint64_t* trace, const uint64_t* end) {
  uint64_t* at = trace;
  while (at < end) {
    const struct segment* const s = (const struct segment*)(uintptr_t)*at++;
    const uint64_t* const next = at + s->operands;
    for (; at < next; ++at) *at = far_memory_address(*at);
  }
}
