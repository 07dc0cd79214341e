/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prediction and learning of branches that go both ways. */
#include "tage.h"

#define NO_BRANCH (~0ull)
#define TAG_BITS 11

void tage_init(struct tage* t, const struct model* m, allocate_fn allocate) {
  uint64_t i, j;
  t->base = 0;
  t->loops = 0;
  if (m->branch.direction != DIRECTION_TAGE) return;
  t->base = allocate("counters", m->branch.entries);
  t->base_mask = m->branch.entries - 1;
  for (i = 0; i < m->branch.entries; ++i) t->base[i] = NEVER_SEEN;
  t->count = 0;
  t->shift = 64 - (uint32_t)__builtin_ctzll(m->tage.entries);
  t->prefer_other = 8;
  for (; t->count < MAX_HISTORIES && m->tage.histories[t->count]; ++t->count) {
    const uint64_t length = m->tage.histories[t->count];
    t->tables[t->count] = allocate("histories", m->tage.entries * sizeof **t->tables);
    for (i = 0; i < m->tage.entries; ++i) t->tables[t->count][i].tag = 0;
    for (j = 0; j < HISTORY_WORDS; ++j)
      t->masks[t->count][j] = length >= 64 * (j + 1) ? ~0ull
                              : length > 64 * j      ? (1ull << (length - 64 * j)) - 1
                                                     : 0;
  }
  for (j = 0; j < HISTORY_WORDS; ++j) t->history[j] = 0;
  if (!m->tage.loops) return;
  t->loops = allocate("loops", m->tage.loops * sizeof *t->loops);
  t->loops_mask = m->tage.loops - 1;
  for (i = 0; i < m->tage.loops; ++i) {
    t->loops[i].branch = NO_BRANCH;
    t->loops[i].now = t->loops[i].age = 0;
  }
}

/* ---- Loops ---- */

/* The branch was mispredicted and no entry follows its loop. If there is room, an entry does so
 * from now on: the loop has just ended. */
static void follow_loop(struct tage* t, uint64_t branch, unsigned taken) {
  struct loop* const l = &t->loops[branch & t->loops_mask];
  if (l->age) {
    --l->age;
    return;
  }
  *l = (struct loop){branch, 0, 0, (uint8_t)!taken, 0, OLDEST};
}

static void forget_loop(struct loop* l) {
  l->branch = NO_BRANCH;
  l->now = l->age = 0;
}

/* Returns whether this was one more turn, and changed nothing else. */
static unsigned learn_loop(struct loop* l, unsigned taken) {
  if (taken == l->stays) {
    if (++l->now <= (l->turns ? l->turns : MOST_TURNS)) return 1;
    if (l->now > MOST_TURNS || l->sure == SURE) {
      forget_loop(l);
    } else { /* it is longer than the last one */
      l->turns = 0;
      l->sure = 0;
    }
  } else if (l->now == l->turns && l->turns) {
    if (l->sure < SURE)
      ++l->sure;
    else
      l->age = OLDEST;
    l->now = 0;
  } else if (l->now < FEWEST_TURNS || l->sure == SURE) {
    forget_loop(l);
  } else {
    l->turns = l->now;
    l->sure = 0;
    l->now = 0;
  }
  return 0;
}

/* ---- Histories ---- */

/* Mixes the branch with the latest branches that a mask shows. The index is in the highest bits,
 * the tag below it. The multiplier is 2^64 divided by the golden ratio. */
static uint64_t hash(const struct tage* t, uint64_t branch, unsigned table) {
  static const uint64_t golden = 0x9e3779b97f4a7c15ull;
  uint64_t h = branch * golden;
  unsigned i;
  for (i = 0; i < HISTORY_WORDS; ++i)
    h = ((h ^ h >> 32) + (t->history[i] & t->masks[table][i])) * golden;
  return h;
}

/* Puts the branch into the history. Returns whether that has changed the longest one. */
static unsigned remember(struct tage* t, unsigned taken) {
  const uint64_t* const mask = t->masks[t->count - 1];
  unsigned i, changed = 0;
  uint64_t in = taken;
  for (i = 0; i < HISTORY_WORDS; ++i) {
    const uint64_t before = t->history[i];
    t->history[i] = before << 1 | in;
    in = before >> 63;
    changed |= ((before ^ t->history[i]) & mask[i]) != 0;
  }
  return changed;
}

static uint8_t stepped(uint8_t counter, unsigned up, uint8_t most) {
  return (uint8_t)(up ? counter + (counter < most) : counter - (counter > 0));
}

/* What the tables say of a branch. */
struct found {
  struct tagged* at[MAX_HISTORIES]; /* the branch's place in each table */
  uint16_t tags[MAX_HISTORIES];
  int longest; /* the table with the longest history that knows the branch; -1: none does */
  int other;   /* the next one; -1: the base */
};

static inline void find(const struct tage* t, uint64_t branch, struct found* f) {
  int i;
  f->longest = f->other = -1;
  for (i = (int)t->count - 1; i >= 0; --i) {
    const uint64_t h = hash(t, branch, (unsigned)i);
    f->at[i] = &t->tables[i][h >> t->shift];
    f->tags[i] = (uint16_t)(1 + (h >> (t->shift - TAG_BITS) & ((1u << TAG_BITS) - 1)));
    if (f->at[i]->tag != f->tags[i]) continue;
    if (f->longest >= 0) {
      f->other = i;
      return;
    }
    f->longest = i;
  }
}

/* A misprediction: the shortest of the longer histories that has room gets an entry. If none has
 * room, each of them is a step closer to having it. */
static void allocate_entry(struct tage* t, const struct found* f, unsigned taken) {
  unsigned i;
  for (i = (unsigned)(f->longest + 1); i < t->count; ++i) {
    if (f->at[i]->tag && f->at[i]->useful) continue;
    *f->at[i] = (struct tagged){f->tags[i], taken ? 4 : 3, 0};
    return;
  }
  for (i = (unsigned)(f->longest + 1); i < t->count; ++i) --f->at[i]->useful;
}

static unsigned mispredicts_by_history(struct tage* t, uint64_t branch, unsigned taken,
                                       unsigned* changed) {
  struct found f;
  uint8_t* const base = &t->base[branch & t->base_mask];
  unsigned predicted, wrong;
  find(t, branch, &f);
  predicted = *base >= 2;
  if (f.longest < 0) {
    const uint8_t next = stepped(*base, taken, 3);
    *changed |= next != *base;
    *base = next;
  } else {
    struct tagged* const entry = f.at[f.longest];
    const struct tagged before = *entry;
    const unsigned says = before.counter >= 4;
    const unsigned is_new = !before.useful && (before.counter == 3 || before.counter == 4);
    const uint32_t preferred = t->prefer_other;
    if (f.other >= 0) predicted = f.at[f.other]->counter >= 4;
    if (says != predicted) {
      if (is_new) t->prefer_other = stepped((uint8_t)preferred, predicted == taken, 15);
      entry->useful = stepped(before.useful, says == taken, 3);
    }
    entry->counter = stepped(before.counter, taken, 7);
    *changed |= entry->counter != before.counter || entry->useful != before.useful ||
                t->prefer_other != preferred;
    if (!is_new || preferred < 8) predicted = says;
  }
  wrong = predicted != taken;
  if (wrong) allocate_entry(t, &f, taken);
  *changed |= wrong | remember(t, taken);
  return wrong;
}

/* ---- Both ---- */

unsigned tage_mispredicts(struct tage* t, uint64_t branch, unsigned taken, unsigned* changed) {
  struct loop* const l = t->loops ? &t->loops[branch & t->loops_mask] : 0;
  const int follows = l && l->branch == branch;
  unsigned wrong;
  if (follows && l->sure == SURE)
    wrong = taken != (l->stays ^ (l->now == l->turns));
  else
    wrong = mispredicts_by_history(t, branch, taken, changed);
  if (follows)
    *changed |= !learn_loop(l, taken);
  else if (l && wrong)
    follow_loop(t, branch, taken);
  return wrong;
}

unsigned tage_turns_back(struct tage* t, uint64_t branch, unsigned taken) {
  t->base[branch & t->base_mask] = taken ? 1 : 2; /* weakly the way of before */
  if (t->loops) follow_loop(t, branch, taken);
  return 1;
}
