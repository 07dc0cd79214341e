/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places for windows of addresses. */
#include "address_map.h"

void address_map_init(struct address_map* m, int (*in_use)(uint64_t, uint64_t),
                      void (*exhausted)(void), allocate_fn allocate) {
  uint32_t i;
  m->place_of = allocate("places", WINDOWS * sizeof *m->place_of);
  m->window_at = allocate("windows", PLACES * sizeof *m->window_at);
  for (i = 0; i < WINDOWS; ++i) m->place_of[i] = 0;
  for (i = 0; i < PLACES; ++i) m->window_at[i] = 0;
  m->next = PLACES;
  m->in_use = in_use;
  m->exhausted = exhausted;
}

static int has_memory(const struct address_map* m, uint32_t window) {
  const uint64_t start = (uint64_t)window << WINDOW_BITS;
  return m->in_use(start, start + (1u << WINDOW_BITS));
}

static uint16_t settle(struct address_map* m, uint32_t window, uint32_t place) {
  m->window_at[place] = window + 1;
  return m->place_of[window] = (uint16_t)(place + 1);
}

/* From the top downwards: programs get their memory from the bottom upwards. Place 0 stays with
 * window 0, since address 0 has a meaning in the trace. */
static uint32_t find_free(struct address_map* m) {
  while (m->next > 1)
    if (!m->window_at[--m->next] && !has_memory(m, m->next)) return m->next;
  return 0;
}

static void free_places(struct address_map* m) {
  uint32_t place;
  for (place = 1; place < PLACES; ++place) {
    const uint32_t window = m->window_at[place] - 1;
    if (!m->window_at[place] || has_memory(m, window)) continue;
    m->place_of[window] = 0;
    m->window_at[place] = 0;
  }
  m->next = PLACES;
}

uint16_t address_map_place(struct address_map* m, uint32_t window) {
  uint32_t place;
  if (window < PLACES && !m->window_at[window]) return settle(m, window, window);
  place = find_free(m);
  if (!place) {
    free_places(m);
    place = find_free(m);
  }
  if (!place) m->exhausted();
  return settle(m, window, place);
}
