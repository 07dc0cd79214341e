/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the model file. tacho has made it from a checked model; a damaged one is refused by its line. */
#include "model.h"

#include "words.h"

/* Bounds keep every later sum and allocation within range; tacho's own are narrower. */
#define MOST_BYTES (1ull << 40)
#define MOST_CYCLES 100000ull

struct field {
  uint64_t* value;
  uint64_t most;
};

struct line {
  const char* words; /* what it starts with */
  struct field fields[6];
};

static int is_power_of_two(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

static int cache_is_sane(const struct cache_model* c, int first_level) {
  if (c->size == 0) return !first_level;
  if (c->ways == 0 || !is_power_of_two(c->line) || c->line < SHORTEST_LINE) return 0;
  if (c->size % (c->ways * c->line) != 0) return 0;
  return !first_level || is_power_of_two(c->size / (c->ways * c->line));
}

static int tlb_is_sane(const struct tlb_model* t, int first_level) {
  if (t->entries == 0) return !first_level;
  return t->ways != 0 && t->entries % t->ways == 0 && is_power_of_two(t->entries / t->ways);
}

static int is_sane(const struct model* m) {
  const int predicts = m->branch.direction != DIRECTION_FIXED;
  return m->frequency_hz > 0 && m->width > 0 && m->shortest_slice_ns > 0 &&
         m->shortest_slice_ns <= m->longest_slice_ns && cache_is_sane(&m->l1i, 1) &&
         cache_is_sane(&m->l1d, 1) && cache_is_sane(&m->l2, 0) && cache_is_sane(&m->l3, 0) &&
         (m->l2.size != 0 || m->l3.size == 0) && is_power_of_two(m->page) && m->page >= 256 &&
         m->page >= m->l1i.line && m->page >= m->l1d.line &&
         tlb_is_sane(&m->itlb, 1) && tlb_is_sane(&m->dtlb, 1) && tlb_is_sane(&m->main_tlb, 0) &&
         (!predicts || is_power_of_two(m->branch.entries)) &&
         (m->branch.targets == 0 || is_power_of_two(m->branch.targets));
}

#define CACHE(name, at)                                                                        \
  {"cache " name, {{&m->at.size, MOST_BYTES}, {&m->at.ways, MOST_WAYS}, {&m->at.line, 4096},        \
                   {&m->at.replacement, 2}, {&m->at.write_allocate, 1}, {&m->at.latency, MOST_CYCLES}}}
#define TLB(name, at)                                                                          \
  {"tlb " name, {{&m->at.entries, 1u << 20}, {&m->at.ways, MOST_WAYS}, {&m->at.victims, MOST_WAYS},      \
                 {&m->at.replacement, 2}, {&m->at.latency, MOST_CYCLES}}}

unsigned model_parse(const char* text, size_t length, struct model* m) {
  const struct line lines[] = {
      {"tacho-model 1", {{0, 0}}},
      {"frequency_hz", {{&m->frequency_hz, 1ull << 40}}},
      {"slice_ns", {{&m->shortest_slice_ns, 1ull << 40}, {&m->longest_slice_ns, 1ull << 40}}},
      {"core", {{&m->width, 8}, {&m->in_order, 1}, {&m->hidden, MOST_CYCLES}, {&m->store_percent, 100}}},
      {"latency", {{&m->latency.integer, 1000}, {&m->latency.multiply, 1000},
                   {&m->latency.divide, 1000}, {&m->latency.float_add, 1000},
                   {&m->latency.float_multiply, 1000}, {&m->latency.float_divide, 1000}}},
      CACHE("l1i", l1i),
      CACHE("l1d", l1d),
      CACHE("l2", l2),
      CACHE("l3", l3),
      {"memory", {{&m->memory_latency, MOST_CYCLES}}},
      {"page", {{&m->page, MOST_BYTES}}},
      TLB("itlb", itlb),
      TLB("dtlb", dtlb),
      TLB("main", main_tlb),
      {"walk", {{&m->walk_latency, MOST_CYCLES}}},
      {"branch", {{&m->branch.direction, 2}, {&m->branch.entries, 1u << 20},
                  {&m->branch.history, 20}, {&m->branch.targets, 1u << 20},
                  {&m->branch.returns, 64}, {&m->branch.mispredict, MOST_CYCLES}}},
      {"end", {{0, 0}}},
  };
  const unsigned count = sizeof lines / sizeof lines[0];
  const char* at = text;
  const char* const end = text + length;
  unsigned i, f;
  for (i = 0; i < count; ++i) {
    if (!is_word(&at, end, lines[i].words)) return i + 1;
    for (f = 0; f < 6 && lines[i].fields[f].value; ++f)
      if (!is_number(&at, end, lines[i].fields[f].value, lines[i].fields[f].most)) return i + 1;
    if (at == end || *at++ != '\n') return i + 1;
  }
  if (at != end) return count + 1;
  return is_sane(m) ? 0 : count;
}
