/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cuts blocks of code into segments. A segment ends where control may leave the block or come from
 * elsewhere. */
#include "instrument.h"

#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_machine.h"

#include "far_memory.h"
#include "out_of_order.h"
#include "registers.h"
#include "schedule.h"
#include "segment_store.h"
#include "trace_buffer.h"

/* Of a segment. VEX's blocks have at most 60 instructions (--vex-guest-max-insns), so that no
 * segment reaches these bounds. Further operands, fetches and steps would be dropped. */
#define MAX_FETCHES 256
#define MAX_STEPS 256

static UInt line_bits, max_operand_bytes;
static Bool with_steps;

/* ---- The block that is being instrumented ---- */

static struct {
  IRSB* out;
  IRTemp base;      /* trace_cursor at the block's start */
  UInt slot;        /* number of words that the block has written: the open segment's position */
  Addr instruction; /* address of the current instruction */
  UInt instruction_bytes;
  Bool open;       /* a segment is open */
  Bool prefetched; /* the segment ends with this instruction, to know the prefetch's time */
  UInt instructions, loads, stores;
  UInt begun_at, waited_at;
  uint16_t codes[MAX_OPERANDS];
  const IRExpr* last_address; /* of the instruction's last load, if a store may make it an update */
  Bool swaps; /* the instruction is a compare-and-swap, which may branch to itself */
  fetch fetches[MAX_FETCHES];
  uint64_t last_line;
  struct step steps[MAX_STEPS];
  UInt step_begun_at, step_waited_at;
  struct segment segment; /* last, for its end is open */
} current;

static void add(IRStmt* statement) {
  addStmtToIRSB(current.out, statement);
}

static IRExpr* word(uint64_t value) {
  return IRExpr_Const(IRConst_U64(value));
}

static IRTemp assign(IRType type, IRExpr* value) {
  const IRTemp t = newIRTemp(current.out->tyenv, type);
  add(IRStmt_WrTmp(t, value));
  return t;
}

/* The address of a word of the trace. */
static IRExpr* address_of_slot(UInt slot) {
  if (slot == 0) return IRExpr_RdTmp(current.base);
  return IRExpr_RdTmp(
      assign(Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(current.base), word(8 * (ULong)slot))));
}

static void write_word(UInt slot, IRExpr* value) {
  add(IRStmt_Store(Iend_LE, address_of_slot(slot), value));
}

static void open_segment(Addr address) {
  VG_(memset)(&current.segment, 0, sizeof current.segment);
  current.segment.address = address;
  current.instructions = current.loads = current.stores = 0;
  current.begun_at = schedule_time();
  current.waited_at = schedule_waited();
  current.last_line = ~0ull;
  current.last_address = NULL;
  current.prefetched = False;
  current.open = True;
  out_of_order_begin_segment();
}

static void end_step(void) {
  if (current.segment.steps == 0) return;
  struct step* const step = &current.steps[current.segment.steps - 1];
  step->parts = schedule_time() - current.step_begun_at;
  step->dependency = schedule_waited() - current.step_waited_at;
}

/* Begins the step of an instruction, or of the rest of one (0 instructions). */
static void begin_step(Addr address, UInt bytes, UInt instructions) {
  if (!with_steps || current.segment.steps == MAX_STEPS) return;
  end_step();
  struct step* const step = &current.steps[current.segment.steps];
  VG_(memset)(step, 0, sizeof *step);
  step->offset = (uint16_t)(address - current.segment.address);
  step->bytes = (uint8_t)bytes;
  step->instructions = (uint8_t)instructions;
  current.step_begun_at = schedule_time();
  current.step_waited_at = schedule_waited();
  ++current.segment.steps;
}

static struct step* this_step(void) {
  static struct step none;
  return current.segment.steps ? &current.steps[current.segment.steps - 1] : &none;
}

/* Whether this is the code of a repeated string instruction: rep movs, stos, cmps, lods, scas. */
static Bool is_string_instruction(Addr address) {
  const UChar* code = (const UChar*)address;
  Bool prefixed = False;
  for (; *code == 0x66 || *code == 0x67 || *code == 0xf2 || *code == 0xf3 || (*code & 0xf0) == 0x40;
       ++code)
    prefixed |= *code == 0xf2 || *code == 0xf3;
  return prefixed && *code >= 0xa4 && *code <= 0xaf && *code != 0xa8 && *code != 0xa9;
}

/* Whether the instruction has exits in VEX's translation but is no branch of the program: a
 * repeated string instruction has exits for its rounds, a locked instruction has one to itself for
 * when another processor was faster. */
static Bool has_exits_without_branch(void) {
  return current.swaps || is_string_instruction(current.instruction);
}

/* The steps get equal parts of the time that the segment takes beyond theirs. */
static void share_time(uint32_t parts) {
  const UInt count = current.segment.steps;
  UInt i;
  for (i = 0; i < count; ++i)
    current.steps[i].parts +=
        (uint32_t)((uint64_t)parts * (i + 1) / count - (uint64_t)parts * i / count);
}

/* Stores the open segment, and adds the statement that writes its address to the trace. `repeats`:
 * it may be followed by itself. */
static void close_segment(enum leave leave, Bool repeats) {
  struct segment* const s = &current.segment;
  uint32_t issued;
  if (!current.open) return;
  end_step();
  s->counts = PACK_COUNTS(current.instructions, current.loads, current.stores);
  s->parts = issued = schedule_time() - current.begun_at;
  /* A core executes many rounds of a string instruction at a time: they do not wait. */
  out_of_order_end_segment(s, repeats && !is_string_instruction(current.instruction));
  share_time(s->parts - issued);
  s->dependency = schedule_waited() - current.waited_at;
  s->leave = (uint8_t)(leave != LEAVE_NONE && has_exits_without_branch() ? LEAVE_NONE : leave);
  s->branch = current.instruction;
  write_word(current.slot,
             word((uint64_t)segment_store_add(s, current.codes, current.fetches, current.steps,
                                              out_of_order_dependences())));
  current.slot += 1 + s->operands;
  current.open = False;
}

/* Adds the statement that moves the cursor behind the words that the block has written so far. */
static void advance_cursor(void) {
  add(IRStmt_Store(Iend_LE, word((uint64_t)&trace_cursor), address_of_slot(current.slot)));
}

static void begin_instruction(Addr address, UInt bytes) {
  const uint64_t fetched = far_memory_address(address), first = fetched >> line_bits,
                 last = (fetched + (bytes ? bytes : 1) - 1) >> line_bits;
  const Addr follows = current.instruction + current.instruction_bytes;
  if (current.open && address != follows)
    close_segment(LEAVE_DIRECT, address == current.segment.address); /* in an unrolled loop */
  if (current.open && current.prefetched) close_segment(LEAVE_NONE, False);
  if (!current.open) open_segment(address);
  begin_step(address, bytes, 1);
  schedule_instruction();
  out_of_order_instruction(address, bytes, current.segment.operands);
  current.instruction = address;
  current.instruction_bytes = bytes;
  current.last_address = NULL;
  current.swaps = False;
  ++current.instructions;
  if (first == last && first == current.last_line) return;
  if (current.segment.fetches < MAX_FETCHES) {
    current.fetches[current.segment.fetches++] = first << 1 | (first != last);
    ++this_step()->fetches;
  }
  current.last_line = last;
}

static void count_access(UInt code) {
  if (code & OPERAND_PREFETCH) return;
  if (!(code & OPERAND_WRITES) || (code & OPERAND_UPDATES)) ++current.loads;
  if (code & (OPERAND_WRITES | OPERAND_UPDATES)) ++current.stores;
}

/* Adds a load or store; `guard` may be NULL. A store to the address that the instruction has just
 * loaded makes one update of the two. */
static void access(IRExpr* address, UInt bytes, UInt kind, IRExpr* guard) {
  struct segment* const s = &current.segment;
  const UInt size = bytes < max_operand_bytes ? bytes : max_operand_bytes;
  if (!current.open) { /* in the middle of an instruction, after an exit */
    open_segment(current.instruction);
    begin_step(current.instruction, current.instruction_bytes, 0);
  }
  if ((kind & OPERAND_WRITES) && !guard && current.last_address &&
      eqIRAtom(current.last_address, address) &&
      (current.codes[s->operands - 1] & OPERAND_BYTES) == size) {
    current.codes[s->operands - 1] |= OPERAND_UPDATES;
    ++current.stores;
    current.last_address = NULL;
    return;
  }
  if (s->operands == MAX_OPERANDS) return;
  if (guard) {
    kind |= OPERAND_GUARDED;
    address = IRExpr_RdTmp(assign(Ity_I64, IRExpr_ITE(guard, address, word(0))));
  }
  write_word(current.slot + 1 + s->operands, address);
  current.codes[s->operands++] = (uint16_t)(size | kind);
  ++this_step()->operands;
  current.last_address = !guard && !(kind & OPERAND_WRITES) ? address : NULL;
  count_access(kind);
}

/* Adds the operand of a prefetch. It is guarded: a prefetch of address 0 (the end of a list) does
 * nothing. */
static void look_for_prefetch(Addr address, UInt bytes) {
  struct prefetch p;
  if (!prefetch_decode((const uint8_t*)address, bytes, address, &p) ||
      !registers_are_current(address))
    return;
  access(registers_address(current.out, &p), 1, OPERAND_PREFETCH | OPERAND_GUARDED, NULL);
  current.last_address = NULL;
  current.prefetched = True;
}

static UInt size_of(const IRExpr* e) {
  return (UInt)sizeofIRType(typeOfIRExpr(current.out->tyenv, e));
}

static void accesses_of_dirty(const IRDirty* d) {
  if (d->mFx == Ifx_None) return;
  if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify) access(d->mAddr, (UInt)d->mSize, 0, d->guard);
  if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
    access(d->mAddr, (UInt)d->mSize, OPERAND_WRITES, d->guard);
}

static void accesses_of(const IRStmt* st) {
  switch (st->tag) {
    case Ist_WrTmp:
      if (st->Ist.WrTmp.data->tag == Iex_Load)
        access(st->Ist.WrTmp.data->Iex.Load.addr,
               (UInt)sizeofIRType(st->Ist.WrTmp.data->Iex.Load.ty), 0, NULL);
      break;
    case Ist_Store:
      access(st->Ist.Store.addr, size_of(st->Ist.Store.data), OPERAND_WRITES, NULL);
      break;
    case Ist_StoreG: {
      const IRStoreG* const g = st->Ist.StoreG.details;
      access(g->addr, size_of(g->data), OPERAND_WRITES, g->guard);
      break;
    }
    case Ist_LoadG: {
      const IRLoadG* const g = st->Ist.LoadG.details;
      IRType type, widened;
      typeOfIRLoadGOp(g->cvt, &widened, &type);
      access(g->addr, (UInt)sizeofIRType(type), 0, g->guard);
      break;
    }
    case Ist_CAS: {
      const IRCAS* const c = st->Ist.CAS.details;
      const UInt size = size_of(c->dataLo) * (c->dataHi ? 2 : 1);
      /* A locked instruction loads, and VEX's compare-and-swap loads the same again: one load. */
      if (!current.last_address || !eqIRAtom(current.last_address, c->addr))
        access(c->addr, size, 0, NULL);
      access(c->addr, size, OPERAND_WRITES, NULL);
      current.swaps = True;
      break;
    }
    case Ist_LLSC:
      if (st->Ist.LLSC.storedata)
        access(st->Ist.LLSC.addr, size_of(st->Ist.LLSC.storedata), OPERAND_WRITES, NULL);
      else
        access(st->Ist.LLSC.addr,
               (UInt)sizeofIRType(typeOfIRTemp(current.out->tyenv, st->Ist.LLSC.result)), 0, NULL);
      break;
    case Ist_Dirty:
      accesses_of_dirty(st->Ist.Dirty.details);
      break;
    default:
      break;
  }
}

static Addr constant(const IRConst* c) {
  return c->tag == Ico_U32 ? c->Ico.U32 : (Addr)c->Ico.U64;
}

/* An exit in the middle of the block: a branch of the program, a trap, or a check of Valgrind's. */
static void leave_by_exit(const IRStmt* st, const IRExpr* next) {
  const IRJumpKind kind = st->Ist.Exit.jk;
  const Addr exit = constant(st->Ist.Exit.dst),
             follows = current.instruction + current.instruction_bytes;
  const Bool branch = kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret;
  if (current.open) {
    current.segment.exit = exit;
    current.segment.inverted = exit == follows;
    /* An inverted branch leads to where the block continues. */
    const Addr target = !current.segment.inverted ? exit
                        : next->tag == Iex_Const  ? constant(next->Iex.Const.con)
                                                  : follows;
    current.segment.backward = target <= current.instruction;
    close_segment(branch ? LEAVE_CONDITIONAL : LEAVE_NONE,
                  exit == current.segment.address || target == current.segment.address);
  }
  advance_cursor();
}

/* How control leaves at the end of the block. */
static enum leave leave_at_end(IRJumpKind kind, const IRExpr* next) {
  const Bool direct = next->tag == Iex_Const;
  const Addr follows = current.instruction + current.instruction_bytes;
  switch (kind) {
    case Ijk_Call:
      return direct ? LEAVE_CALL : LEAVE_INDIRECT_CALL;
    case Ijk_Ret:
      return LEAVE_RETURN;
    case Ijk_Boring:
      if (!direct) return LEAVE_INDIRECT;
      return constant(next->Iex.Const.con) == follows ? LEAVE_NONE : LEAVE_DIRECT;
    default:
      return LEAVE_NONE;
  }
}

/* Adds the call that executes the trace when it is full, and loads the cursor. */
static void begin_block(void) {
  const IRTemp cursor =
      assign(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, word((uint64_t)&trace_cursor)));
  const IRTemp full = assign(
      Ity_I1,
      IRExpr_Binop(Iop_CmpLE64U, word((uint64_t)(trace + TRACE_FULL)), IRExpr_RdTmp(cursor)));
  IRDirty* const run = unsafeIRDirty_0_N(
      0, "trace_buffer_execute", VG_(fnptr_to_fnentry)(&trace_buffer_execute), mkIRExprVec_0());
  run->guard = IRExpr_RdTmp(full);
  add(IRStmt_Dirty(run));
  current.base = assign(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, word((uint64_t)&trace_cursor)));
  current.slot = 0;
  current.open = False;
}

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* arch, IRType guest_word,
                 IRType host_word) {
  Int i = 0;
  (void)layout, (void)extents, (void)arch;
  if (guest_word != Ity_I64 || host_word != Ity_I64)
    VG_(tool_panic)("the simulator executes 64-bit programs only");
  current.out = deepCopyIRSBExceptStmts(in);
  current.instruction = current.instruction_bytes = 0;
  for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; ++i) add(in->stmts[i]);
  segment_store_begin_block((Addr)closure->readdr);
  schedule_begin(in->tyenv);
  begin_block();
  for (; i < in->stmts_used; ++i) {
    IRStmt* const st = in->stmts[i];
    if (st->tag == Ist_NoOp) continue;
    if (st->tag == Ist_IMark) begin_instruction(st->Ist.IMark.addr, st->Ist.IMark.len);
    accesses_of(st);
    schedule_statement(st);
    if (st->tag == Ist_IMark) look_for_prefetch(st->Ist.IMark.addr, st->Ist.IMark.len);
    if (st->tag == Ist_Exit) leave_by_exit(st, in->next);
    add(st);
  }
  if (current.open) {
    current.segment.back = current.instruction + current.instruction_bytes;
    close_segment(
        leave_at_end(in->jumpkind, in->next),
        in->next->tag == Iex_Const && constant(in->next->Iex.Const.con) == current.segment.address);
    advance_cursor();
  }
  return current.out;
}

void instrument_discard(Addr address, VexGuestExtents extents) {
  (void)extents;
  if (!segment_store_has_block(address)) return;
  trace_buffer_release();
  segment_store_free_block(address);
}

void instrument_init(const struct model* m, Bool steps) {
  with_steps = steps;
  line_bits = (UInt)__builtin_ctzll(m->l1i.line);
  max_operand_bytes = (UInt)m->l1d.line;
  if (max_operand_bytes > OPERAND_BYTES) max_operand_bytes = OPERAND_BYTES;
  segment_store_init();
  schedule_init(m);
  out_of_order_init(m);
}
