/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedules the VEX statements of a block of code. */
#include "schedule.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "operations.h"
#include "trace.h"

/* When a value is ready. An instruction consists of several statements: those use a value as soon
 * as its operation is complete. Other instructions can use it only after at least the latency of an
 * integer instruction. */
struct value {
  UInt ready;       /* for the same instruction */
  UInt to_others;   /* for other instructions */
  UInt instruction; /* the one that writes the value */
};

#define STATE_BYTES 4096 /* of VEX's guest state with registers; amd64 has 928 */

static const struct model* model;
static struct value* temporaries;
static UInt temporaries_size;
static struct value registers[STATE_BYTES / 8];
static UInt instruction; /* the number of the current one in the block, from 1 */
static UInt issue;       /* the time at which it issues */
static UInt waited;      /* the time that instructions have waited for operands */

void schedule_init(const struct model* m) {
  model = m;
}

void schedule_begin(const IRTypeEnv* types) {
  const UInt needed = (UInt)types->types_used;
  if (needed > temporaries_size) {
    temporaries_size = 2 * needed;
    temporaries =
        VG_(realloc)("tacho.schedule", temporaries, temporaries_size * sizeof *temporaries);
  }
  VG_(memset)(temporaries, 0, needed * sizeof *temporaries);
  VG_(memset)(registers, 0, sizeof registers);
  instruction = issue = waited = 0;
}

static UInt slot(void) {
  return PARTS_PER_CYCLE / (UInt)model->width;
}

void schedule_instruction(void) {
  if (!model->in_order) return;
  if (instruction) issue += slot();
  ++instruction;
}

UInt schedule_time(void) {
  return instruction ? issue + slot() : 0;
}
UInt schedule_waited(void) {
  return waited;
}

/* The current instruction uses a value: it does not issue before the value is ready. Returns when
 * the value is ready to be used. */
static UInt use(const struct value* value) {
  if (value->instruction == instruction) return value->ready;
  if (value->to_others > issue) {
    waited += value->to_others - issue;
    issue = value->to_others;
  }
  return issue;
}

static UInt parts(uint64_t cycles) {
  return (UInt)cycles * PARTS_PER_CYCLE;
}

static void set(struct value* value, UInt ready) {
  const UInt least = issue + parts(model->latency.integer);
  value->ready = ready;
  value->to_others = ready < least ? least : ready;
  value->instruction = instruction;
}

static struct value* guest_register(Int offset) {
  return offset >= 0 && offset < STATE_BYTES ? &registers[offset / 8] : NULL;
}

static UInt later(UInt a, UInt b) {
  return a > b ? a : b;
}

static UInt ready_of(const IRExpr* e) {
  UInt at = issue;
  Int i;
  if (e == NULL) return at;
  switch (e->tag) {
    case Iex_RdTmp:
      return use(&temporaries[e->Iex.RdTmp.tmp]);
    case Iex_Get: {
      const struct value* const value = guest_register(e->Iex.Get.offset);
      return value ? use(value) : at;
    }
    case Iex_Unop:
      return ready_of(e->Iex.Unop.arg) + parts(op_latency(model, e->Iex.Unop.op));
    case Iex_Binop:
      at = later(ready_of(e->Iex.Binop.arg1), ready_of(e->Iex.Binop.arg2));
      return at + parts(op_latency(model, e->Iex.Binop.op));
    case Iex_Triop: {
      const IRTriop* const t = e->Iex.Triop.details;
      at = later(ready_of(t->arg1), later(ready_of(t->arg2), ready_of(t->arg3)));
      return at + parts(op_latency(model, t->op));
    }
    case Iex_Qop: {
      const IRQop* const q = e->Iex.Qop.details;
      at = later(later(ready_of(q->arg1), ready_of(q->arg2)),
                 later(ready_of(q->arg3), ready_of(q->arg4)));
      return at + parts(op_latency(model, q->op));
    }
    case Iex_Load:
      return ready_of(e->Iex.Load.addr) + parts(model->l1d.latency);
    case Iex_ITE:
      return later(ready_of(e->Iex.ITE.cond),
                   later(ready_of(e->Iex.ITE.iftrue), ready_of(e->Iex.ITE.iffalse)));
    case Iex_CCall:
      for (i = 0; e->Iex.CCall.args[i]; ++i) at = later(at, ready_of(e->Iex.CCall.args[i]));
      return at;
    default:
      return at;
  }
}

static void set_temporary(IRTemp t, UInt ready) {
  if (t != IRTemp_INVALID) set(&temporaries[t], ready);
}

void schedule_statement(const IRStmt* st) {
  if (!model->in_order) return;
  switch (st->tag) {
    case Ist_WrTmp:
      set_temporary(st->Ist.WrTmp.tmp, ready_of(st->Ist.WrTmp.data));
      break;
    case Ist_Put: {
      struct value* const value = guest_register(st->Ist.Put.offset);
      const UInt ready = ready_of(st->Ist.Put.data);
      if (value) set(value, ready);
      break;
    }
    case Ist_Store:
      ready_of(st->Ist.Store.addr);
      ready_of(st->Ist.Store.data);
      break;
    case Ist_StoreG:
      ready_of(st->Ist.StoreG.details->addr);
      ready_of(st->Ist.StoreG.details->data);
      break;
    case Ist_LoadG:
      set_temporary(st->Ist.LoadG.details->dst,
                    ready_of(st->Ist.LoadG.details->addr) + parts(model->l1d.latency));
      break;
    case Ist_CAS:
      set_temporary(st->Ist.CAS.details->oldLo,
                    ready_of(st->Ist.CAS.details->addr) + parts(model->l1d.latency));
      set_temporary(st->Ist.CAS.details->oldHi,
                    ready_of(st->Ist.CAS.details->addr) + parts(model->l1d.latency));
      break;
    case Ist_LLSC:
      set_temporary(st->Ist.LLSC.result, ready_of(st->Ist.LLSC.addr) + parts(model->l1d.latency));
      break;
    case Ist_Dirty:
      set_temporary(st->Ist.Dirty.details->tmp, issue);
      break;
    case Ist_Exit:
      ready_of(st->Ist.Exit.guard);
      break;
    default:
      break;
  }
}
