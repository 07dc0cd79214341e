/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows values from the registers at the start of a code run to those at its end. The time of a
 * loop's rounds is the largest mean of a cycle of this graph (cycle_mean.h). The bound of the ports
 * is Hall's theorem: micro-operations that only a set of ports can execute take at least their
 * number over the size of the set. */
#include "segment_time.h"

#include "cycle_mean.h"

#define MAX_PORT_SETS 256
#define MAX_NEEDS (2 * MAX_LOADS)
#define MAX_STORES 64        /* of a run whose values are followed to loads */
#define COMMIT (SOURCES - 1) /* the source of `committed` */
#define ALL_SOURCES (SOURCES + MAX_LOADS)
#define UNKNOWN 0x100 /* greater than any register: a root that no address has in common */

/* When a value is ready. */
struct origin {
  /* Cycles after each source's value at the run's start, and after each load of the run; or NONE.
   */
  int32_t after[ALL_SOURCES];
  unsigned instruction;
};

/* What is known of a register's value: the value that a register had at the start of the run, or
 * one without a name, plus a constant. */
struct symbol {
  uint32_t root;
  int64_t offset;
};
#define CONSTANT REGISTERS /* the root of a constant */

/* A place in memory. */
struct place {
  struct symbol base;
  uint32_t index; /* the root of the index, times its scale; CONSTANT: none */
  uint32_t scale, bytes;
};

struct stored {
  struct place place;
  struct origin data, committed;
};

/* What an operand needs: a load its address, a store its data. */
struct need {
  unsigned operand;
  struct origin of;
};

static const struct model* model;
static struct origin values[REGISTERS];
static struct symbol symbols[REGISTERS];
static uint64_t written; /* registers */
static uint32_t next_root;
static struct stored stores[MAX_STORES];
static unsigned store_count;
static struct origin committed; /* when the stores so far can leave the core */
static uint64_t from_memory;    /* registers whose values have just been loaded */
static int stack_moved;         /* the stack pointer has changed besides */
static struct place cells[CELLS];
static unsigned cell_count;
static unsigned loads[MAX_LOADS]; /* their operands */
static unsigned load_count;
static struct need needs[MAX_NEEDS];
static unsigned need_count;
static struct origin last_result; /* of the last instruction */
static unsigned instructions;
static uint64_t slots;  /* micro-operations that issue */
static unsigned fusing; /* what the last instruction can fuse with: FUSES_* */
static unsigned fusing_operation;
/* For each set of ports: the cycles that its micro-operations keep one of them busy. */
static uint32_t sets[MAX_PORT_SETS];
static uint64_t busy[MAX_PORT_SETS];
static unsigned set_count;

static struct origin independent(void) {
  struct origin o;
  unsigned i;
  for (i = 0; i < ALL_SOURCES; ++i) o.after[i] = NONE;
  o.instruction = 0;
  return o;
}

void segment_time_begin(const struct model* m) {
  unsigned i;
  model = m;
  for (i = 0; i < REGISTERS; ++i) {
    values[i] = independent();
    values[i].after[i] = 0;
    symbols[i] = (struct symbol){i, 0};
  }
  written = 0;
  next_root = UNKNOWN;
  store_count = cell_count = load_count = need_count = instructions = set_count = fusing = 0;
  slots = 0;
  committed = independent();
  committed.after[COMMIT] = 0;
  from_memory = ~0ull; /* as in a list, where the round before has loaded the address */
  stack_moved = 0;
}

/* ---- Ports ---- */

static void keep_busy(uint32_t ports, int64_t cycles) {
  unsigned i;
  for (i = 0; i < set_count && sets[i] != ports; ++i) {
  }
  if (i == set_count) {
    if (set_count == MAX_PORT_SETS) return;
    sets[set_count] = ports;
    busy[set_count++] = 0;
  }
  busy[i] += (uint64_t)cycles;
}

static unsigned execute(enum operation operation, int times) {
  const struct operation_model* const o = &model->operations[operation];
  unsigned i;
  for (i = 0; i < MAX_PORT_USES && o->uses[i].ports; ++i)
    keep_busy((uint32_t)o->uses[i].ports, times * (int64_t)o->uses[i].cycles);
  return (unsigned)o->slots;
}

/* The bound of the ports, in parts: over all unions of sets that overlap. A union of sets that do
 * not is no busier than the busier of the two. */
static uint64_t port_bound(void) {
  uint32_t unions[MAX_PORT_SETS];
  unsigned count = set_count, i, j, k;
  uint64_t bound = 0;
  for (i = 0; i < set_count; ++i) unions[i] = sets[i];
  for (j = 0; j < count; ++j) {
    uint64_t cycles = 0;
    for (i = 0; i < set_count; ++i) {
      const uint32_t joined = unions[j] | sets[i];
      if ((sets[i] & ~unions[j]) == 0) {
        cycles += busy[i];
        continue;
      }
      if ((unions[j] & sets[i]) == 0 || count == MAX_PORT_SETS) continue;
      for (k = 0; k < count && unions[k] != joined; ++k) {
      }
      if (k == count) unions[count++] = joined;
    }
    cycles = cycles * PARTS_PER_CYCLE / (unsigned)__builtin_popcount(unions[j]);
    if (cycles > bound) bound = cycles;
  }
  return bound;
}

static enum operation load_of(const struct instruction* in) {
  if (in->vector) return OPERATION_load_vector;
  if (in->address.index < 0 && in->address.base >= 0 && (from_memory >> in->address.base & 1))
    return OPERATION_load_chained;
  return OPERATION_load;
}

/* Micro-operations that give the stack pointer back to an instruction that names it. */
static void follow_stack(const struct instruction* in) {
  const int named =
      ((in->reads | in->writes) >> STACK_POINTER & 1) || in->address.base == STACK_POINTER;
  if (in->stack) {
    stack_moved = 1;
  } else if (stack_moved && named) {
    slots += execute(OPERATION_stack, 1);
    stack_moved = 0;
  }
}

static void add_to_ports(const struct instruction* in) {
  const unsigned uses_index = in->address.index >= 0;
  unsigned own, extra = 0, n;
  if (in->conditional && (fusing & in->condition) && model->fuses_branches) {
    execute((enum operation)fusing_operation, -1); /* one micro-operation does both */
    execute(OPERATION_branch, 1);
    fusing = 0;
    return;
  }
  own = execute((enum operation)in->operation, 1);
  for (n = 0; n < in->loads; ++n) {
    execute(load_of(in), 1);
    if (own == 0 || !model->fuses_memory || in->splits) ++extra;
  }
  for (n = 0; n < in->stores; ++n) {
    execute(uses_index ? OPERATION_store_address_indexed : OPERATION_store_address, 1);
    execute(OPERATION_store_data, 1);
    extra += model->fuses_memory && !(in->splits && in->loads) ? 1 : 2;
  }
  slots += own + extra ? own + extra : 1;
  fusing = in->fuses;
  fusing_operation = in->operation;
}

/* ---- Values ---- */

/* The latest of both, the second one after `cycles`. */
static void take_later(struct origin* to, const struct origin* other, int32_t cycles) {
  unsigned i;
  for (i = 0; i < ALL_SOURCES; ++i)
    if (other->after[i] != NONE && other->after[i] + cycles > to->after[i])
      to->after[i] = other->after[i] + cycles;
}

static struct place place_of(const struct instruction* in) {
  const struct address a = in->address;
  struct place p = {{CONSTANT, a.displacement}, CONSTANT, 0, in->bytes};
  if (a.base >= 0) {
    p.base.root = symbols[a.base].root;
    p.base.offset += symbols[a.base].offset;
  }
  if (a.index >= 0) {
    p.index = symbols[a.index].root;
    p.scale = a.scale;
    p.base.offset += symbols[a.index].offset * a.scale;
  }
  return p;
}

static int same_but_offset(const struct place* a, const struct place* b) {
  return a->base.root == b->base.root && a->index == b->index && a->scale == b->scale;
}

/* Whether the load gets all its bytes from the store. */
static int gets(const struct place* load, const struct place* store) {
  return same_but_offset(load, store) && load->base.offset >= store->base.offset &&
         load->base.offset + load->bytes <= store->base.offset + store->bytes;
}

static int overlaps(const struct place* a, const struct place* b) {
  return same_but_offset(a, b) && a->base.offset < b->base.offset + b->bytes &&
         b->base.offset < a->base.offset + a->bytes;
}

static struct origin address_of(const struct instruction* in) {
  struct origin o = independent();
  if (in->address.base >= 0) take_later(&o, &values[in->address.base], 0);
  if (in->address.index >= 0) take_later(&o, &values[in->address.index], 0);
  return o;
}

static int32_t latency(enum operation operation) {
  return (int32_t)model->operations[operation].latency;
}

static void add_need(unsigned operand, const struct origin* of) {
  if (need_count == MAX_NEEDS) return;
  needs[need_count].operand = operand;
  needs[need_count++].of = *of;
}

/* The value that comes from memory: from the last store to its place, if there is one. */
static struct origin loaded(const struct instruction* in, unsigned operand) {
  const struct origin address = address_of(in);
  const struct place place = place_of(in);
  struct origin value = independent();
  unsigned i;
  take_later(&value, &address, (int32_t)model->l1d.latency + latency(load_of(in)));
  if (load_count < MAX_LOADS) {
    add_need(operand, &address);
    loads[load_count] = operand;
    value.after[SOURCES + load_count++] = latency(load_of(in));
  }
  for (i = store_count; i-- > 0;)
    if (gets(&place, &stores[i].place)) {
      take_later(&value, &stores[i].data, latency(OPERATION_forward));
      return value;
    } else if (overlaps(&place, &stores[i].place)) {
      take_later(&value, &stores[i].committed, latency(OPERATION_forward_blocked));
      take_later(&committed, &value, 0); /* stores leave the core in order, after this load */
      return value;
    }
  if ((place.base.root > CONSTANT) || place.index > CONSTANT) return value;
  for (i = 0; i < cell_count; ++i)
    if (same_but_offset(&place, &cells[i]) && place.base.offset == cells[i].base.offset &&
        place.bytes == cells[i].bytes)
      break;
  if (i == cell_count) {
    if (cell_count == CELLS) return value;
    cells[cell_count++] = place;
  }
  if (value.after[REGISTERS + i] < latency(OPERATION_forward))
    value.after[REGISTERS + i] = latency(OPERATION_forward);
  return value;
}

static void store(const struct instruction* in, const struct origin* data) {
  take_later(&committed, data, 0);
  committed.instruction = data->instruction;
  if (store_count == MAX_STORES) return;
  stores[store_count].place = place_of(in);
  stores[store_count].committed = committed;
  stores[store_count++].data = *data;
}

static void follow_symbols(const struct instruction* in) {
  struct symbol changed = {0, 0};
  unsigned i;
  if (in->changed >= 0) {
    changed = in->from >= 0 ? symbols[in->from] : (struct symbol){CONSTANT, 0};
    changed.offset += in->constant;
  }
  for (i = 0; i < 16; ++i)
    if (in->writes >> i & 1) symbols[i] = (struct symbol){++next_root, 0};
  if (in->changed >= 0) symbols[in->changed] = changed;
}

void segment_time_add(const struct instruction* in, unsigned operand) {
  struct origin result = independent();
  unsigned i;
  follow_stack(in);
  add_to_ports(in);
  ++instructions;
  for (i = 0; i < REGISTERS; ++i)
    if (in->reads >> i & 1) take_later(&result, &values[i], 0);
  if (in->loads) {
    const struct origin value = loaded(in, operand);
    take_later(&result, &value, 0);
  }
  {
    const struct origin operands = result;
    take_later(&result, &operands, latency((enum operation)in->operation));
  }
  result.instruction = instructions - 1;
  /* A call or push stores at the new stack pointer: its displacement tells. */
  if (in->stores) store(in, &result);
  if (in->stores && !in->loads) add_need(operand, &result);
  last_result = result;
  follow_symbols(in);
  for (i = 0; i < REGISTERS; ++i)
    if (in->writes >> i & 1) values[i] = result;
  written |= in->writes;
  from_memory &= ~in->writes;
  if (in->loads && in->operation == OPERATION_none) from_memory |= in->writes;
}

uint32_t segment_time_executing(void) {
  const uint64_t issue = slots * PARTS_PER_CYCLE / model->width, ports = port_bound();
  return (uint32_t)(issue > ports ? issue : ports);
}

/* ---- Rounds ---- */

/* The sources that a round changes, and what each depends on. */
static struct {
  unsigned count;
  unsigned number[SOURCES];
  struct origin end[SOURCES];
} rounds;

/* The place as the next round sees it: its registers have changed by constants. Returns 0 if they
 * have changed by something else. */
static int next_round(struct place* p) {
  const uint32_t roots[2] = {p->base.root, p->index};
  const int64_t scales[2] = {1, p->scale};
  unsigned i;
  for (i = 0; i < 2; ++i) {
    if (roots[i] == CONSTANT) continue;
    if (roots[i] > CONSTANT || symbols[roots[i]].root != roots[i]) return 0;
    p->base.offset -= scales[i] * symbols[roots[i]].offset;
  }
  return 1;
}

static void collect(void) {
  unsigned i, k;
  rounds.count = 0;
  for (i = 0; i < REGISTERS; ++i) {
    if (!(written >> i & 1)) continue;
    rounds.number[rounds.count] = i;
    rounds.end[rounds.count++] = values[i];
  }
  for (i = 0; i < cell_count; ++i)
    for (k = store_count; k-- > 0;) {
      struct place p = stores[k].place;
      if (!next_round(&p) || !overlaps(&cells[i], &p)) continue;
      rounds.number[rounds.count] = REGISTERS + i;
      rounds.end[rounds.count] = stores[k].data;
      if (!gets(&cells[i], &p)) {
        rounds.end[rounds.count] = independent();
        take_later(&rounds.end[rounds.count], &stores[k].committed,
                   latency(OPERATION_forward_blocked) - latency(OPERATION_forward));
      }
      ++rounds.count;
      break;
    }
  if (store_count) {
    rounds.number[rounds.count] = COMMIT;
    rounds.end[rounds.count++] = committed;
  }
}

uint32_t segment_time_waiting(unsigned* instruction) {
  static struct round_graph graph;
  unsigned to, from, last;
  uint64_t time;
  collect();
  graph.count = rounds.count;
  for (to = 0; to < rounds.count; ++to)
    for (from = 0; from < rounds.count; ++from)
      graph.after[to][from] = rounds.end[to].after[rounds.number[from]];
  time = largest_cycle_mean(&graph, &last);
  *instruction = time ? rounds.end[last].instruction : 0;
  return (uint32_t)time;
}

/* ---- Dependences ---- */

static const struct origin* address_of_load(unsigned load) {
  unsigned i = 0;
  while (needs[i].operand != loads[load]) ++i;
  return &needs[i].of;
}

/* What the address of a load needs, its value needs, too: this goes without saying. */
static int follows_from_loads(const struct origin* of, unsigned source) {
  unsigned i;
  for (i = 0; i < load_count; ++i) {
    const int32_t after_load = of->after[SOURCES + i];
    int32_t after;
    if (after_load == NONE || SOURCES + i == source) continue;
    after = address_of_load(i)->after[source];
    if (after != NONE && after + after_load + (int32_t)model->l1d.latency >= of->after[source])
      return 1;
  }
  return 0;
}

/* Adds what a value depends on, behind `count` dependences. Returns their number. A long run has
 * more than MAX_DEPENDENCES: the last registers count as independent. */
static unsigned depend(struct dependence* d, unsigned count, unsigned to, const struct origin* of) {
  const unsigned before = count;
  unsigned i;
  for (i = 0; i < SOURCES + load_count && count < MAX_DEPENDENCES - 1; ++i) {
    if ((i >= REGISTERS && i < SOURCES) || of->after[i] == NONE || follows_from_loads(of, i))
      continue;
    d[count].to = (uint16_t)to;
    d[count].from = (uint16_t)(i < REGISTERS ? i : FROM_OPERAND + loads[i - SOURCES]);
    d[count++].after = (uint16_t)of->after[i];
  }
  if (count == before && to >= TO_REGISTER && count < MAX_DEPENDENCES)
    d[count++] = (struct dependence){(uint16_t)to, FROM_NOTHING, 0};
  return count;
}

unsigned segment_time_dependences(struct dependence* d, unsigned operands) {
  unsigned count = 0, i;
  /* Some instructions that access memory have no operands, such as those that only prefetch. */
  while (need_count && needs[need_count - 1].operand >= operands) --need_count;
  while (load_count && loads[load_count - 1] >= operands) --load_count;
  for (i = 0; i < need_count; ++i) count = depend(d, count, needs[i].operand, &needs[i].of);
  count = depend(d, count, TO_BRANCH, &last_result);
  for (i = 0; i < REGISTERS; ++i)
    if (written >> i & 1) count = depend(d, count, TO_REGISTER + i, &values[i]);
  return count;
}
