/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows values from the registers at the start of a segment to those at its end. */
#include "out_of_order.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "operations.h"

/* The registers that are followed: 16 for integers, the flags, 17 for vectors. */
#define INTEGERS 16
#define FLAGS INTEGERS
#define VECTORS (INTEGERS + 1)
#define REGISTERS (VECTORS + 17)
#include "rounds.h"

/* An instruction consists of several statements: they use a value when its operation is complete.
 * Other instructions use it no sooner than an integer instruction takes from its operands on. A
 * move takes no time. */
struct value {
  struct origin complete, operands;
  UInt segment, instruction; /* of the statement that makes it */
  Bool moved;
};

static const struct model* model;
static struct value* temporaries;
static UInt temporaries_size;
static struct value registers[REGISTERS];
static IRTemp held[REGISTERS]; /* the temporary whose value a register has; or IRTemp_INVALID */
static struct load loads[MAX_LOADS];
static UInt load_count;
static UInt segment, instruction, first_instruction;
static UInt classes;            /* of the current instruction's operations: a bit for each */
static UInt counts[OP_CLASSES]; /* instructions of the segment with an operation of the class */
static struct origin independent;

void out_of_order_init(const struct model* m) {
  model = m;
  origin_clear(&independent);
}

void out_of_order_begin_block(const IRTypeEnv* types) {
  const UInt needed = (UInt)types->types_used;
  UInt i;
  if (model->in_order) return;
  if (needed > temporaries_size) {
    temporaries_size = 2 * needed;
    temporaries = VG_(realloc)("tacho.values", temporaries, temporaries_size * sizeof *temporaries);
  }
  for (i = 0; i < needed; ++i) temporaries[i].segment = 0;
  for (i = 0; i < REGISTERS; ++i) held[i] = IRTemp_INVALID;
  segment = instruction = 0;
}

/* ---- Values ---- */

static void begin_value(struct value* v) {
  v->complete = v->operands = independent;
  v->segment = segment;
  v->instruction = instruction;
  v->moved = True;
}

/* When another instruction can use the value. */
static struct origin usable(const struct value* v) {
  struct origin at = v->complete;
  if (!v->moved) origin_take_later(&at, &v->operands, (Int)model->latency.integer);
  return at;
}

static void use(struct value* to, const struct value* used) {
  if (used->segment != segment) return; /* the same in each round */
  if (used->instruction == instruction) {
    origin_take_later(&to->complete, &used->complete, 0);
    origin_take_later(&to->operands, &used->operands, 0);
    to->moved &= used->moved;
  } else {
    const struct origin at = usable(used);
    origin_take_later(&to->complete, &at, 0);
    origin_take_later(&to->operands, &at, 0);
  }
}

/* The register at an offset of VEX's guest state, or REGISTERS. */
static UInt register_at(Int offset) {
#define OFFSET(name) (Int) offsetof(VexGuestAMD64State, guest_##name)
  if (offset >= OFFSET(RAX) && offset < OFFSET(RAX) + 8 * INTEGERS)
    return (UInt)(offset - OFFSET(RAX)) / 8;
  if (offset >= OFFSET(CC_OP) && offset <= OFFSET(CC_NDEP)) return FLAGS;
  if (offset >= OFFSET(YMM0) && offset <= OFFSET(YMM16))
    return VECTORS + (UInt)(offset - OFFSET(YMM0)) / 32;
  return REGISTERS;
#undef OFFSET
}

/* Whether the operation only changes the width of an integer or the place of its bits' owner: such
 * instructions are moves. */
static Bool only_moves(IROp op) {
  switch (op) {
    case Iop_64to32:
    case Iop_32Uto64:
    case Iop_64to16:
    case Iop_64to8:
    case Iop_16Uto64:
    case Iop_8Uto64:
    case Iop_16Uto32:
    case Iop_8Uto32:
    case Iop_32to16:
    case Iop_32to8:
      return True;
    default:
      return False;
  }
}

static void operate(struct value* v, IROp op) {
  const enum op_class class = op_class(op);
  if (class != OP_OTHER) {
    const struct origin before = v->complete;
    classes |= 1u << class;
    origin_take_later(&v->complete, &before, (Int)op_latency(model, op));
  }
  v->moved &= only_moves(op);
}

static void load(struct value* v, UInt operand) {
  const struct origin address = v->complete;
  origin_take_later(&v->complete, &address, (Int)model->l1d.latency);
  v->moved = False;
  if (load_count == MAX_LOADS) return;
  loads[load_count].operand = operand;
  loads[load_count].address = address;
  v->complete.loads |= 1ull << load_count++;
}

static void evaluate(struct value* v, const IRExpr* e, UInt operand) {
  UInt at;
  Int i;
  if (e == NULL) return;
  switch (e->tag) {
    case Iex_RdTmp:
      use(v, &temporaries[e->Iex.RdTmp.tmp]);
      break;
    case Iex_Get:
      at = register_at(e->Iex.Get.offset);
      if (at < REGISTERS) use(v, &registers[at]);
      break;
    case Iex_Unop:
      evaluate(v, e->Iex.Unop.arg, operand);
      operate(v, e->Iex.Unop.op);
      break;
    case Iex_Binop:
      evaluate(v, e->Iex.Binop.arg1, operand);
      evaluate(v, e->Iex.Binop.arg2, operand);
      operate(v, e->Iex.Binop.op);
      break;
    case Iex_Triop: {
      const IRTriop* const t = e->Iex.Triop.details;
      evaluate(v, t->arg1, operand);
      evaluate(v, t->arg2, operand);
      evaluate(v, t->arg3, operand);
      operate(v, t->op);
      break;
    }
    case Iex_Qop: {
      const IRQop* const q = e->Iex.Qop.details;
      evaluate(v, q->arg1, operand);
      evaluate(v, q->arg2, operand);
      evaluate(v, q->arg3, operand);
      evaluate(v, q->arg4, operand);
      operate(v, q->op);
      break;
    }
    case Iex_Load:
      evaluate(v, e->Iex.Load.addr, operand);
      load(v, operand);
      break;
    case Iex_ITE:
      evaluate(v, e->Iex.ITE.cond, operand);
      evaluate(v, e->Iex.ITE.iftrue, operand);
      evaluate(v, e->Iex.ITE.iffalse, operand);
      v->moved = False;
      break;
    case Iex_CCall:
      for (i = 0; e->Iex.CCall.args[i]; ++i) evaluate(v, e->Iex.CCall.args[i], operand);
      v->moved = False;
      break;
    default:
      break;
  }
}

void out_of_order_begin_segment(void) {
  UInt i;
  if (model->in_order) return;
  ++segment;
  load_count = 0;
  first_instruction = instruction + 1;
  VG_(memset)(counts, 0, sizeof counts);
  for (i = 0; i < REGISTERS; ++i) {
    begin_value(&registers[i]);
    registers[i].complete.after[i] = 0;
    /* In an unrolled loop, later rounds take the register's value from a temporary. */
    if (held[i] != IRTemp_INVALID) temporaries[held[i]] = registers[i];
  }
}

static void end_instruction(void) {
  UInt i;
  for (i = 0; i < OP_CLASSES; ++i) counts[i] += classes >> i & 1;
  classes = 0;
}

void out_of_order_begin_instruction(void) {
  if (model->in_order) return;
  end_instruction();
  ++instruction;
}

static void put(Int offset, const IRExpr* data) {
  const UInt at = register_at(offset);
  struct value v;
  if (at == REGISTERS) return;
  begin_value(&v);
  evaluate(&v, data, 0);
  registers[at] = v;
  held[at] = data->tag == Iex_RdTmp ? data->Iex.RdTmp.tmp : IRTemp_INVALID;
}

void out_of_order_statement(const IRStmt* st, UInt operand) {
  struct value v;
  if (model->in_order) return;
  begin_value(&v);
  switch (st->tag) {
    case Ist_WrTmp:
      evaluate(&v, st->Ist.WrTmp.data, operand);
      temporaries[st->Ist.WrTmp.tmp] = v;
      break;
    case Ist_Put:
      put(st->Ist.Put.offset, st->Ist.Put.data);
      break;
    case Ist_LoadG:
      evaluate(&v, st->Ist.LoadG.details->addr, operand);
      load(&v, operand);
      evaluate(&v, st->Ist.LoadG.details->alt, operand);
      evaluate(&v, st->Ist.LoadG.details->guard, operand);
      temporaries[st->Ist.LoadG.details->dst] = v;
      break;
    default: /* what other statements make counts as independent */
      break;
  }
}

/* ---- Segments ---- */

static void collect(struct round* r) {
  UInt i;
  r->count = 0;
  for (i = 0; i < REGISTERS; ++i) {
    if (registers[i].instruction < first_instruction) continue;
    r->number[r->count] = i;
    r->end[r->count++] = usable(&registers[i]);
  }
}

void out_of_order_end_segment(struct segment* s, uint16_t* codes, UInt load_operands,
                              UInt store_operands, Bool repeats) {
  static struct round round; /* large */
  uint32_t time;
  UInt last = 0;
  if (model->in_order) return;
  end_instruction();
  bound_by_units(&s->parts, model, load_operands, store_operands, counts);
  if (!repeats) return;
  collect(&round);
  mark_chains(&round, loads, load_count, codes);
  time = time_of_round(&round, &last);
  if (time < PARTS_PER_CYCLE) time = PARTS_PER_CYCLE; /* a taken branch a cycle */
  if (time <= s->parts) return;
  s->carried = time - s->parts;
  if (round.count)
    s->waits = (uint16_t)(registers[round.number[last]].instruction - first_instruction);
}
