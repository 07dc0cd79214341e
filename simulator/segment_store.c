/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of blocks; each has a list of its segments. */
#include "segment_store.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

struct segment_node {
  struct segment_node* next;
  struct segment segment; /* ends in a flexible array */
};

struct block {
  VgHashNode node;            /* its key is the block's address */
  struct segment_node* first; /* the segment stored last */
};

static VgHashTable* blocks;
static struct block* current;
static uint64_t segment_count;

void segment_store_init(void) {
  blocks = VG_(HT_construct)("tacho.blocks");
}

void segment_store_begin_block(Addr block) {
  current = VG_(malloc)("tacho.block", sizeof *current);
  current->node.key = block;
  current->first = NULL;
  VG_(HT_add_node)(blocks, current);
}

static SizeT bytes_of_codes(const struct segment* s) {
  return s->operands * sizeof(uint16_t);
}

static SizeT bytes_of_lines(const struct segment* s) {
  return s->fetches * sizeof(fetch);
}

static SizeT bytes_of_steps(const struct segment* s) {
  return s->steps * sizeof(struct step);
}

static SizeT bytes_of_dependences(const struct segment* s) {
  return s->dependences * sizeof(struct dependence);
}

/* Compares what instrumentation has written; what follows in the segment is the core's. */
static Bool equals(const struct segment* stored, const struct segment* s, const uint16_t* codes,
                   const fetch* lines, const struct step* steps,
                   const struct dependence* dependences) {
  return VG_(memcmp)(stored, s, offsetof(struct segment, lines)) == 0 &&
         VG_(memcmp)(stored->codes, codes, bytes_of_codes(s)) == 0 &&
         VG_(memcmp)(stored->lines, lines, bytes_of_lines(s)) == 0 &&
         VG_(memcmp)(steps_of(stored), steps, bytes_of_steps(s)) == 0 &&
         VG_(memcmp)(dependences_of(stored), dependences, bytes_of_dependences(s)) == 0;
}

struct segment* segment_store_add(const struct segment* s, const uint16_t* codes,
                                  const fetch* lines, const struct step* steps,
                                  const struct dependence* dependences) {
  const SizeT codes_end = (sizeof(struct segment_node) + bytes_of_codes(s) + 7) & ~(SizeT)7;
  struct segment_node* node = current->first;
  if (node && equals(&node->segment, s, codes, lines, steps, dependences)) return &node->segment;
  node = VG_(malloc)("tacho.segment",
                     codes_end + bytes_of_lines(s) + bytes_of_steps(s) + bytes_of_dependences(s));
  node->segment = *s;
  node->segment.number = ++segment_count;
  node->segment.lines = (const fetch*)((const char*)node + codes_end);
  VG_(memcpy)(node->segment.codes, codes, bytes_of_codes(s));
  VG_(memcpy)((void*)node->segment.lines, lines, bytes_of_lines(s));
  VG_(memcpy)((void*)steps_of(&node->segment), steps, bytes_of_steps(s));
  VG_(memcpy)((void*)dependences_of(&node->segment), dependences, bytes_of_dependences(s));
  node->next = current->first;
  current->first = node;
  return &node->segment;
}

Bool segment_store_has_block(Addr block) {
  return VG_(HT_lookup)(blocks, block) != NULL;
}

void segment_store_free_block(Addr address) {
  struct block* const block = VG_(HT_remove)(blocks, address);
  struct segment_node* node = block->first;
  while (node) {
    struct segment_node* const next = node->next;
    VG_(free)(node);
    node = next;
  }
  VG_(free)(block);
}
