/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "instrument.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_machine.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "registers.h"
#include "schedule.h"
#include "trace_buffer.h"

#define MOST_OPERANDS 512
#define MOST_FETCHES 256
#define MOST_STEPS 256

static UInt line_bits, most_bytes;
static Bool tells_steps; /* of each segment */
static VgHashTable* blocks; /* of code, by address: what goes when it is discarded */

/* A segment stays at its place while the code that names it exists. */
struct owned {
  struct owned* next;
  struct segment segment; /* ends in a flexible array */
};

struct block {
  VgHashNode node; /* its key is the block's address */
  struct owned* first;
};

/* ---- One block being instrumented ---- */

static struct {
  IRSB* out;
  struct block* block;
  IRTemp base;          /* the trace's cursor at the block's start */
  UInt slot;            /* words of the trace written by the block so far: the open segment's place */
  Addr instruction;     /* the current one */
  UInt instruction_bytes;
  Bool open;            /* a segment has begun */
  Bool prefetched;      /* and ends here, so that the time of the prefetch is known */
  struct segment segment;
  UInt instructions, loads, stores;
  UInt begun_at, waited_at;
  uint16_t codes[MOST_OPERANDS];
  const IRExpr* last_address; /* of the instruction's last access, if it may become an update */
  Bool swaps;                 /* the instruction compares and swaps, and may try again */
  fetch fetches[MOST_FETCHES];
  uint64_t last_line;
  struct step steps[MOST_STEPS];
  UInt step_begun_at, step_waited_at;
} now;

static void add(IRStmt* statement) { addStmtToIRSB(now.out, statement); }

static IRExpr* word(uint64_t value) { return IRExpr_Const(IRConst_U64(value)); }

static IRTemp assign(IRType type, IRExpr* value) {
  const IRTemp t = newIRTemp(now.out->tyenv, type);
  add(IRStmt_WrTmp(t, value));
  return t;
}

static IRExpr* place(UInt slot) {
  if (slot == 0) return IRExpr_RdTmp(now.base);
  return IRExpr_RdTmp(assign(Ity_I64, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(now.base), word(8 * (ULong)slot))));
}

static void write_word(UInt slot, IRExpr* value) { add(IRStmt_Store(Iend_LE, place(slot), value)); }

static void open_segment(Addr address) {
  VG_(memset)(&now.segment, 0, sizeof now.segment);
  now.segment.address = address;
  now.instructions = now.loads = now.stores = 0;
  now.begun_at = schedule_time();
  now.waited_at = schedule_waited();
  now.last_line = ~0ull;
  now.last_address = NULL;
  now.prefetched = False;
  now.open = True;
}

static void end_step(void) {
  if (now.segment.steps == 0) return;
  struct step* const step = &now.steps[now.segment.steps - 1];
  step->parts = schedule_time() - now.step_begun_at;
  step->dependency = schedule_waited() - now.step_waited_at;
}

/* From here on, all is this instruction's, or what is left of it. */
static void begin_step(Addr address, UInt bytes, UInt instructions) {
  if (!tells_steps || now.segment.steps == MOST_STEPS) return; /* no block is that long */
  end_step();
  struct step* const step = &now.steps[now.segment.steps];
  VG_(memset)(step, 0, sizeof *step);
  step->offset = (uint16_t)(address - now.segment.address);
  step->bytes = (uint8_t)bytes;
  step->instructions = (uint8_t)instructions;
  now.step_begun_at = schedule_time();
  now.step_waited_at = schedule_waited();
  ++now.segment.steps;
}

static struct step* this_step(void) {
  static struct step none;
  return now.segment.steps ? &now.steps[now.segment.steps - 1] : &none;
}

/* Whether the instruction's code is that of one which repeats itself: rep movs, stos, cmps, lods, scas. */
static Bool repeats(Addr address) {
  const UChar* code = (const UChar*)address;
  Bool prefixed = False;
  for (; *code == 0x66 || *code == 0x67 || *code == 0xf2 || *code == 0xf3 || (*code & 0xf0) == 0x40; ++code)
    prefixed |= *code == 0xf2 || *code == 0xf3;
  return prefixed && *code >= 0xa4 && *code <= 0xaf && *code != 0xa8 && *code != 0xa9;
}

/* Whether the instruction is none of control though it has ways out: to its next round, or, where it is
 * locked, to itself when another processor was faster. */
static Bool is_no_branch(void) { return now.swaps || repeats(now.instruction); }

static SizeT bytes_of_codes(void) { return now.segment.operands * sizeof(uint16_t); }
static SizeT bytes_of_lines(void) { return now.segment.fetches * sizeof(fetch); }
static SizeT bytes_of_steps(void) { return now.segment.steps * sizeof(struct step); }

/* Whether a segment of the block, which has not been executed, is the open one once more: as Valgrind has
 * unrolled a loop. */
static Bool is_open_one(const struct segment* s) {
  return VG_(memcmp)(s, &now.segment, offsetof(struct segment, lines)) == 0 &&
         VG_(memcmp)(s->codes, now.codes, bytes_of_codes()) == 0 &&
         VG_(memcmp)(s->lines, now.fetches, bytes_of_lines()) == 0 &&
         VG_(memcmp)(steps_of(s), now.steps, bytes_of_steps()) == 0;
}

static struct owned* keep_segment(void) {
  const SizeT codes_end = (sizeof(struct owned) + bytes_of_codes() + 7) & ~(SizeT)7;
  struct owned* const owned = VG_(malloc)("tacho.segment", codes_end + bytes_of_lines() + bytes_of_steps());
  now.segment.lines = (const fetch*)((const char*)owned + codes_end);
  owned->segment = now.segment;
  VG_(memcpy)(owned->segment.codes, now.codes, bytes_of_codes());
  VG_(memcpy)((void*)owned->segment.lines, now.fetches, bytes_of_lines());
  VG_(memcpy)((void*)steps_of(&owned->segment), now.steps, bytes_of_steps());
  owned->next = now.block->first;
  return now.block->first = owned;
}

/* Keeps the segment for good and stores its address at its place in the trace. */
static void close_segment(enum leave leave) {
  struct segment* const s = &now.segment;
  struct owned* owned = now.block->first;
  if (!now.open) return;
  end_step();
  s->counts = PACK_COUNTS(now.instructions, now.loads, now.stores);
  s->parts = schedule_time() - now.begun_at;
  s->dependency = schedule_waited() - now.waited_at;
  s->leave = (uint8_t)(leave != LEAVE_NOT && is_no_branch() ? LEAVE_NOT : leave);
  s->branch = now.instruction;
  if (!owned || !is_open_one(&owned->segment)) owned = keep_segment();
  write_word(now.slot, word((uint64_t)&owned->segment));
  now.slot += 1 + s->operands;
  now.open = False;
}

/* What the block has written so far stays, whether it goes on or not. */
static void commit(void) {
  add(IRStmt_Store(Iend_LE, word((uint64_t)&trace_cursor), place(now.slot)));
}

static void begin_instruction(Addr address, UInt bytes) {
  const uint64_t first = address >> line_bits, last = (address + (bytes ? bytes : 1) - 1) >> line_bits;
  const Addr follows = now.instruction + now.instruction_bytes;
  if (now.open && address != follows) close_segment(LEAVE_DIRECT); /* an unrolled loop's way back */
  if (now.open && now.prefetched) close_segment(LEAVE_NOT);
  if (!now.open) open_segment(address);
  begin_step(address, bytes, 1);
  schedule_instruction();
  now.instruction = address;
  now.instruction_bytes = bytes;
  now.last_address = NULL;
  now.swaps = False;
  ++now.instructions;
  if (first == last && first == now.last_line) return;
  if (now.segment.fetches < MOST_FETCHES) {
    now.fetches[now.segment.fetches++] = first << 1 | (first != last);
    ++this_step()->fetches;
  }
  now.last_line = last;
}

static void count_access(UInt code) {
  if (code & OPERAND_PREFETCH) return;
  if (!(code & OPERAND_WRITES) || (code & OPERAND_UPDATES)) ++now.loads;
  if (code & (OPERAND_WRITES | OPERAND_UPDATES)) ++now.stores;
}

/* A load or store; `guard` may be NULL. A store to where the instruction has just loaded from becomes
 * one access with the load. */
static void access(IRExpr* address, UInt bytes, UInt kind, IRExpr* guard) {
  struct segment* const s = &now.segment;
  const UInt size = bytes < most_bytes ? bytes : most_bytes;
  if (!now.open) { /* within an instruction, after an exit from it */
    open_segment(now.instruction);
    begin_step(now.instruction, now.instruction_bytes, 0);
  }
  if ((kind & OPERAND_WRITES) && !guard && now.last_address &&
      eqIRAtom(now.last_address, address) &&
      (now.codes[s->operands - 1] & OPERAND_BYTES) == size) {
    now.codes[s->operands - 1] |= OPERAND_UPDATES;
    ++now.stores;
    now.last_address = NULL;
    return;
  }
  if (s->operands == MOST_OPERANDS) return; /* no block is that long */
  if (guard) {
    kind |= OPERAND_GUARDED;
    address = IRExpr_RdTmp(assign(Ity_I64, IRExpr_ITE(guard, address, word(0))));
  }
  write_word(now.slot + 1 + s->operands, address);
  now.codes[s->operands++] = (uint16_t)(size | kind);
  ++this_step()->operands;
  now.last_address = !guard && !(kind & OPERAND_WRITES) ? address : NULL;
  count_access(kind);
}

/* One of address 0, as lists end with, asks for nothing. */
static void look_for_prefetch(Addr address, UInt bytes) {
  struct prefetch p;
  if (!prefetch_decode((const uint8_t*)address, bytes, address, &p) || !registers_are_kept(address)) return;
  access(registers_address(now.out, &p), 1, OPERAND_PREFETCH | OPERAND_GUARDED, NULL);
  now.last_address = NULL;
  now.prefetched = True;
}

static UInt size_of(const IRExpr* e) { return (UInt)sizeofIRType(typeOfIRExpr(now.out->tyenv, e)); }

static void accesses_of_dirty(const IRDirty* d) {
  if (d->mFx == Ifx_None) return;
  if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify) access(d->mAddr, (UInt)d->mSize, 0, d->guard);
  if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify) access(d->mAddr, (UInt)d->mSize, OPERAND_WRITES, d->guard);
}

static void accesses_of(const IRStmt* st) {
  switch (st->tag) {
    case Ist_WrTmp:
      if (st->Ist.WrTmp.data->tag == Iex_Load)
        access(st->Ist.WrTmp.data->Iex.Load.addr, (UInt)sizeofIRType(st->Ist.WrTmp.data->Iex.Load.ty), 0, NULL);
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
      /* What a locked instruction has just loaded, it loads again only to see that it is still so. */
      if (!now.last_address || !eqIRAtom(now.last_address, c->addr)) access(c->addr, size, 0, NULL);
      access(c->addr, size, OPERAND_WRITES, NULL);
      now.swaps = True;
      break;
    }
    case Ist_LLSC:
      if (st->Ist.LLSC.storedata)
        access(st->Ist.LLSC.addr, size_of(st->Ist.LLSC.storedata), OPERAND_WRITES, NULL);
      else
        access(st->Ist.LLSC.addr, (UInt)sizeofIRType(typeOfIRTemp(now.out->tyenv, st->Ist.LLSC.result)), 0, NULL);
      break;
    case Ist_Dirty: accesses_of_dirty(st->Ist.Dirty.details); break;
    default: break;
  }
}

static Addr constant(const IRConst* c) { return c->tag == Ico_U32 ? c->Ico.U32 : (Addr)c->Ico.U64; }

/* A way out of the middle of the block: a branch of the guest, or a trap, or a check of Valgrind's. */
static void leave_by_exit(const IRStmt* st, const IRExpr* next) {
  const IRJumpKind kind = st->Ist.Exit.jk;
  const Addr exit = constant(st->Ist.Exit.dst), follows = now.instruction + now.instruction_bytes;
  const Bool branch = kind == Ijk_Boring || kind == Ijk_Call || kind == Ijk_Ret;
  if (now.open) {
    now.segment.exit = exit;
    now.segment.inverted = exit == follows;
    /* Where an inverted branch leads to is where the block goes on. */
    const Addr target = !now.segment.inverted      ? exit
                        : next->tag == Iex_Const ? constant(next->Iex.Const.con)
                                                 : follows;
    now.segment.backward = target <= now.instruction;
    close_segment(branch ? LEAVE_CONDITIONAL : LEAVE_NOT);
  }
  commit();
}

static enum leave way_of(IRJumpKind kind, const IRExpr* next) {
  const Bool direct = next->tag == Iex_Const;
  const Addr follows = now.instruction + now.instruction_bytes;
  switch (kind) {
    case Ijk_Call: return direct ? LEAVE_CALL : LEAVE_INDIRECT_CALL;
    case Ijk_Ret: return LEAVE_RETURN;
    case Ijk_Boring:
      if (!direct) return LEAVE_INDIRECT;
      return constant(next->Iex.Const.con) == follows ? LEAVE_NOT : LEAVE_DIRECT;
    default: return LEAVE_NOT;
  }
}

/* Runs the trace when it is full, and takes its cursor. */
static void begin_block(void) {
  const IRTemp cursor = assign(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, word((uint64_t)&trace_cursor)));
  const IRTemp full = assign(Ity_I1, IRExpr_Binop(Iop_CmpLE64U, word((uint64_t)(trace + TRACE_FULL)), IRExpr_RdTmp(cursor)));
  IRDirty* const run = unsafeIRDirty_0_N(0, "trace_buffer_execute", VG_(fnptr_to_fnentry)(&trace_buffer_execute), mkIRExprVec_0());
  run->guard = IRExpr_RdTmp(full);
  add(IRStmt_Dirty(run));
  now.base = assign(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, word((uint64_t)&trace_cursor)));
  now.slot = 0;
  now.open = False;
}

static void new_block(Addr address) {
  now.block = VG_(malloc)("tacho.block", sizeof *now.block);
  now.block->node.key = address;
  now.block->first = NULL;
  VG_(HT_add_node)(blocks, now.block);
}

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                 const VexGuestExtents* extents, const VexArchInfo* arch, IRType guest_word,
                 IRType host_word) {
  Int i = 0;
  (void)layout, (void)extents, (void)arch;
  if (guest_word != Ity_I64 || host_word != Ity_I64) VG_(tool_panic)("64-bit programs only");
  now.out = deepCopyIRSBExceptStmts(in);
  now.instruction = now.instruction_bytes = 0;
  for (; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; ++i) add(in->stmts[i]);
  new_block((Addr)closure->readdr);
  schedule_begin(in->tyenv);
  begin_block();
  for (; i < in->stmts_used; ++i) {
    IRStmt* const st = in->stmts[i];
    if (st->tag == Ist_NoOp) continue;
    if (st->tag == Ist_IMark)
      begin_instruction(st->Ist.IMark.addr, st->Ist.IMark.len);
    accesses_of(st);
    schedule_statement(st);
    if (st->tag == Ist_IMark) look_for_prefetch(st->Ist.IMark.addr, st->Ist.IMark.len);
    if (st->tag == Ist_Exit) leave_by_exit(st, in->next);
    add(st);
  }
  if (now.open) {
    now.segment.back = now.instruction + now.instruction_bytes;
    close_segment(way_of(in->jumpkind, in->next));
    commit();
  }
  return now.out;
}

static void free_block(struct block* block) {
  struct owned* owned = block->first;
  while (owned) {
    struct owned* const next = owned->next;
    VG_(free)(owned);
    owned = next;
  }
  VG_(free)(block);
}

void instrument_discard(Addr address, VexGuestExtents extents) {
  struct block* const block = VG_(HT_remove)(blocks, address);
  (void)extents;
  if (!block) return;
  trace_buffer_release();
  free_block(block);
}

void instrument_init(const struct model* m, Bool steps) {
  tells_steps = steps;
  line_bits = (UInt)__builtin_ctzll(m->l1i.line);
  most_bytes = (UInt)m->l1d.line;
  if (most_bytes > OPERAND_BYTES) most_bytes = OPERAND_BYTES;
  blocks = VG_(HT_construct)("tacho.blocks");
  schedule_init(m);
}
