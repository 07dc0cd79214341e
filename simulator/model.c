/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the model file. tacho writes it from a checked model; an error here means that the file is
 * damaged or that tacho and its simulator have different versions. */
#include "model.h"

#include "streams.h"
#include "window.h"
#include "words.h"

/* They keep every later sum and allocation within range. tacho's own bounds are narrower. */
#define MAX_BYTES (1ull << 40) /* of a cache or page */
#define MAX_CYCLES 100000ull   /* of a latency */

struct field {
  uint64_t* value;
  uint64_t most;
};

struct line {
  const char* words; /* at its start */
  struct field fields[2 + 2 * MAX_PORT_USES];
};

static int is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

static int cache_is_valid(const struct cache_model* c, int first_level) {
  if (c->size == 0) return !first_level;
  if (c->ways == 0 || !is_power_of_two(c->line) || c->line < SHORTEST_LINE) return 0;
  if (c->size % (c->ways * c->line) != 0) return 0;
  return !first_level || is_power_of_two(c->size / (c->ways * c->line));
}

static int tlb_is_valid(const struct tlb_model* t, int first_level) {
  if (t->entries == 0) return !first_level;
  return t->ways != 0 && t->entries % t->ways == 0 && is_power_of_two(t->entries / t->ways);
}

static int prefetch_is_valid(const struct model* m) {
  return m->prefetch.streams == 0 ||
         (m->l2.size != 0 && m->prefetch.distance != 0 && m->page >= m->l2.line);
}

static int window_is_valid(const struct model* m) {
  return m->in_order || (m->window.instructions != 0 && m->window.misses != 0 &&
                         m->window.stores != 0 && m->window.walks != 0);
}

static int tage_is_valid(const struct model* m) {
  const uint64_t* const lengths = m->tage.histories;
  unsigned i;
  if (m->branch.direction != DIRECTION_TAGE) return 1;
  for (i = 1; i < MAX_HISTORIES; ++i)
    if (lengths[i] && (!lengths[i - 1] || lengths[i] <= lengths[i - 1])) return 0;
  return lengths[0] && m->tage.entries > 1 && is_power_of_two(m->tage.entries) &&
         (m->tage.loops == 0 || is_power_of_two(m->tage.loops));
}

static int is_valid(const struct model* m) {
  const int predicts = m->branch.direction != DIRECTION_FIXED;
  return m->frequency_hz > 0 && m->width > 0 && m->shortest_slice_ns > 0 &&
         m->shortest_slice_ns <= m->longest_slice_ns && cache_is_valid(&m->l1i, 1) &&
         cache_is_valid(&m->l1d, 1) && cache_is_valid(&m->l2, 0) && cache_is_valid(&m->l3, 0) &&
         (m->l2.size != 0 || m->l3.size == 0) && is_power_of_two(m->page) && m->page >= 256 &&
         m->page >= m->l1i.line && m->page >= m->l1d.line && tlb_is_valid(&m->itlb, 1) &&
         tlb_is_valid(&m->dtlb, 1) && tlb_is_valid(&m->main_tlb, 0) && prefetch_is_valid(m) &&
         window_is_valid(m) && tage_is_valid(m) &&
         (!predicts || is_power_of_two(m->branch.entries)) &&
         (m->branch.targets == 0 || is_power_of_two(m->branch.targets));
}

/* clang-format off */
#define CACHE(name, at)                                                                         \
  {"cache " name, {{&m->at.size, MAX_BYTES}, {&m->at.ways, MAX_WAYS}, {&m->at.line, 4096},      \
                   {&m->at.replacement, 2}, {&m->at.write_allocate, 1},                         \
                   {&m->at.latency, MAX_CYCLES}, {&m->at.bandwidth, 4096}}}
#define TLB(name, at)                                                                           \
  {"tlb " name, {{&m->at.entries, 1u << 20}, {&m->at.ways, MAX_WAYS},                           \
                 {&m->at.victims, MAX_WAYS}, {&m->at.replacement, 2},                           \
                 {&m->at.latency, MAX_CYCLES}}}
/* clang-format on */

#define USE(of, n) {&(of).uses[n].ports, 0xffffffff}, {&(of).uses[n].cycles, 1000}
#define OPERATION(name)                               \
  {"operation " #name,                                \
   {{&m->operations[OPERATION_##name].latency, 1000}, \
    {&m->operations[OPERATION_##name].slots, 100},    \
    USE(m->operations[OPERATION_##name], 0),          \
    USE(m->operations[OPERATION_##name], 1),          \
    USE(m->operations[OPERATION_##name], 2),          \
    USE(m->operations[OPERATION_##name], 3),          \
    USE(m->operations[OPERATION_##name], 4),          \
    USE(m->operations[OPERATION_##name], 5)}},

unsigned model_parse(const char* text, size_t length, struct model* m) {
  const struct line lines[] = {
      {"tacho-model 4", {{0, 0}}},
      {"frequency_hz", {{&m->frequency_hz, 1ull << 40}}},
      {"slice_ns", {{&m->shortest_slice_ns, 1ull << 40}, {&m->longest_slice_ns, 1ull << 40}}},
      {"core", {{&m->width, 8}, {&m->in_order, 1}, {&m->store_percent, 100}}},
      {"latency",
       {{&m->latency.integer, 1000},
        {&m->latency.multiply, 1000},
        {&m->latency.divide, 1000},
        {&m->latency.float_add, 1000},
        {&m->latency.float_multiply, 1000},
        {&m->latency.float_divide, 1000}}},
      {"fusion", {{&m->fuses_memory, 1}, {&m->fuses_branches, 1}}},
      {"window",
       {{&m->window.instructions, MAX_CYCLES},
        {&m->window.misses, MAX_MISSES},
        {&m->window.stores, MAX_LATE},
        {&m->window.walks, MAX_WALKS}}},
      CACHE("l1i", l1i),
      CACHE("l1d", l1d),
      CACHE("l2", l2),
      CACHE("l3", l3),
      {"memory", {{&m->memory_latency, MAX_CYCLES}}},
      {"page", {{&m->page, MAX_BYTES}}},
      {"prefetch",
       {{&m->prefetch.streams, MAX_STREAMS},
        {&m->prefetch.distance, 1u << 12},
        {&m->prefetch.line_cycles, MAX_CYCLES}}},
      TLB("itlb", itlb),
      TLB("dtlb", dtlb),
      TLB("main", main_tlb),
      {"walk", {{&m->walk_latency, MAX_CYCLES}}},
      {"branch",
       {{&m->branch.direction, 3},
        {&m->branch.entries, 1u << 20},
        {&m->branch.history, 20},
        {&m->branch.targets, 1u << 20},
        {&m->branch.returns, 64},
        {&m->branch.mispredict, MAX_CYCLES}}},
      {"tage", {{&m->tage.entries, 1u << 20}, {&m->tage.loops, 1u << 20}}},
      {"histories",
       {{&m->tage.histories[0], MAX_HISTORY},
        {&m->tage.histories[1], MAX_HISTORY},
        {&m->tage.histories[2], MAX_HISTORY},
        {&m->tage.histories[3], MAX_HISTORY},
        {&m->tage.histories[4], MAX_HISTORY},
        {&m->tage.histories[5], MAX_HISTORY},
        {&m->tage.histories[6], MAX_HISTORY},
        {&m->tage.histories[7], MAX_HISTORY}}},
      OPERATIONS(OPERATION){"end", {{0, 0}}},
  };
  const unsigned count = sizeof lines / sizeof lines[0];
  const char* at = text;
  const char* const end = text + length;
  unsigned i, f;
  for (i = 0; i < count; ++i) {
    if (!take_word(&at, end, lines[i].words)) return i + 1;
    for (f = 0; f < sizeof lines[i].fields / sizeof lines[i].fields[0] && lines[i].fields[f].value;
         ++f)
      if (!take_number(&at, end, lines[i].fields[f].value, lines[i].fields[f].most)) return i + 1;
    if (at == end || *at++ != '\n') return i + 1;
  }
  if (at != end) return count + 1;
  return is_valid(m) ? 0 : count;
}
