/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory beyond the addresses that caches can tell apart (address_map.h). Most programs have none,
 * and their addresses stay as they are. */
#ifndef TACHO_FAR_MEMORY_H
#define TACHO_FAR_MEMORY_H

#include "pub_tool_basics.h"

#include "address_map.h"

/* NULL until the program has memory beyond ADDRESS_LIMIT. */
extern struct address_map* far_memory_map;

void far_memory_init(allocate_fn allocate);

/* The program has memory here from now on. */
void far_memory_mapped(Addr start, SizeT length);

/* Replaces the addresses of operands in a trace. */
void far_memory_replace(uint64_t* trace, const uint64_t* end);

/* The address that caches and TLBs see. */
static inline uint64_t far_memory_address(uint64_t address) {
  return far_memory_map ? address_map_find(far_memory_map, address) : address;
}

#endif
