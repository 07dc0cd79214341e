/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schedules the VEX statements of a block of code. */
#include "schedule.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

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

/* Latency of an operation, in cycles. Other operations have none of their own: they are part of
 * their instruction's integer latency. */
static uint64_t op_latency(IROp op) {
  /* clang-format off: a name a line would need three screens */
  switch (op) {
    case Iop_Mul8:
    case Iop_Mul16:
    case Iop_Mul32:
    case Iop_Mul64:
    case Iop_MullS8:
    case Iop_MullS16:
    case Iop_MullS32:
    case Iop_MullS64:
    case Iop_MullU8:
    case Iop_MullU16:
    case Iop_MullU32:
    case Iop_MullU64:
    case Iop_Mul16x8:
    case Iop_Mul32x4:
    case Iop_MulHi16Sx8:
    case Iop_MulHi16Ux8:
    case Iop_MullEven32Sx4:
    case Iop_MullEven32Ux4:
    case Iop_Mul16x16:
    case Iop_Mul32x8:
    case Iop_Mul16x4:
    case Iop_MulHi16Sx4:
    case Iop_MulHi16Ux4:
    case Iop_MulHi16Sx16:
    case Iop_MulHi16Ux16:
      return model->latency.multiply;
    case Iop_DivU32:
    case Iop_DivS32:
    case Iop_DivU64:
    case Iop_DivS64:
    case Iop_DivModU64to32:
    case Iop_DivModS64to32:
    case Iop_DivModU128to64:
    case Iop_DivModS128to64:
    case Iop_DivModS64to64:
    case Iop_DivModU64to64:
    case Iop_DivModS32to32:
    case Iop_DivModU32to32:
      return model->latency.divide;
    case Iop_AddF64:
    case Iop_SubF64:
    case Iop_AddF32:
    case Iop_SubF32:
    case Iop_CmpF64:
    case Iop_CmpF32:
    case Iop_Add32Fx4:
    case Iop_Sub32Fx4:
    case Iop_Add64Fx2:
    case Iop_Sub64Fx2:
    case Iop_Add32F0x4:
    case Iop_Sub32F0x4:
    case Iop_Add64F0x2:
    case Iop_Sub64F0x2:
    case Iop_Add32Fx8:
    case Iop_Sub32Fx8:
    case Iop_Add64Fx4:
    case Iop_Sub64Fx4:
    case Iop_F64toI32S:
    case Iop_F64toI64S:
    case Iop_I32StoF64:
    case Iop_I64StoF64:
    case Iop_F32toF64:
    case Iop_F64toF32:
    case Iop_F32toI32S:
    case Iop_F32toI64S:
    case Iop_I64StoF32:
    case Iop_I32StoF32:
    case Iop_I32StoF32x4:
    case Iop_I32StoF32x8:
    case Iop_F32toI32Sx4:
    case Iop_F32toI32Sx8:
    case Iop_F16toF32x4:
    case Iop_F16toF32x8:
    case Iop_F32toF16x4:
    case Iop_F32toF16x8:
    case Iop_RoundF64toInt:
    case Iop_RoundF32toInt:
    case Iop_CmpEQ32F0x4:
    case Iop_CmpLT32F0x4:
    case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4:
    case Iop_CmpEQ64F0x2:
    case Iop_CmpLT64F0x2:
    case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2:
    case Iop_CmpEQ32Fx4:
    case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4:
    case Iop_CmpUN32Fx4:
    case Iop_CmpEQ64Fx2:
    case Iop_CmpLT64Fx2:
    case Iop_CmpLE64Fx2:
    case Iop_CmpUN64Fx2:
    case Iop_Max32F0x4:
    case Iop_Max64F0x2:
    case Iop_Max32Fx4:
    case Iop_Max64Fx2:
    case Iop_Max32Fx8:
    case Iop_Max64Fx4:
    case Iop_Min32F0x4:
    case Iop_Min64F0x2:
    case Iop_Min32Fx4:
    case Iop_Min64Fx2:
    case Iop_Min32Fx8:
    case Iop_Min64Fx4:
      return model->latency.float_add;
    case Iop_MulF64:
    case Iop_MulF32:
    case Iop_Mul32Fx4:
    case Iop_Mul64Fx2:
    case Iop_Mul32F0x4:
    case Iop_Mul64F0x2:
    case Iop_Mul32Fx8:
    case Iop_Mul64Fx4:
    case Iop_MAddF64:
    case Iop_MSubF64:
    case Iop_MAddF32:
    case Iop_MSubF32:
      return model->latency.float_multiply;
    case Iop_DivF64:
    case Iop_DivF32:
    case Iop_Div32Fx4:
    case Iop_Div64Fx2:
    case Iop_Div32F0x4:
    case Iop_Div64F0x2:
    case Iop_SqrtF64:
    case Iop_SqrtF32:
    case Iop_Sqrt32F0x4:
    case Iop_Sqrt64F0x2:
    case Iop_Sqrt32Fx4:
    case Iop_Sqrt64Fx2:
    case Iop_Div32Fx8:
    case Iop_Div64Fx4:
    case Iop_Sqrt32Fx8:
    case Iop_Sqrt64Fx4:
      return model->latency.float_divide;
    default:
      return 0;
  }
  /* clang-format on */
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
      return ready_of(e->Iex.Unop.arg) + parts(op_latency(e->Iex.Unop.op));
    case Iex_Binop:
      at = later(ready_of(e->Iex.Binop.arg1), ready_of(e->Iex.Binop.arg2));
      return at + parts(op_latency(e->Iex.Binop.op));
    case Iex_Triop: {
      const IRTriop* const t = e->Iex.Triop.details;
      at = later(ready_of(t->arg1), later(ready_of(t->arg2), ready_of(t->arg3)));
      return at + parts(op_latency(t->op));
    }
    case Iex_Qop: {
      const IRQop* const q = e->Iex.Qop.details;
      at = later(later(ready_of(q->arg1), ready_of(q->arg2)),
                 later(ready_of(q->arg3), ready_of(q->arg4)));
      return at + parts(op_latency(q->op));
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
