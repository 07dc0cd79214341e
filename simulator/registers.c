/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guest registers in instrumented code. */
#include "registers.h"

#include "libvex_guest_amd64.h"
#include "pub_tool_aspacemgr.h"

/* VEX does not write a register back if the block writes it again later, unless
 * --px-file-backed=allregs-at-each-insn is set. That option makes all code slower, so it is set at
 * the first prefetch, whose block is translated again. Valgrind has no interface for tools to do
 * either: these are its internal names. */
extern VexRegisterUpdates VG_(clo_px_file_backed);
extern void VG_(discard_translations)(Addr start, ULong length, const HChar* who);

static Addr stale; /* code that is to be translated again; 0: none */

Bool registers_are_current(Addr code) {
  const NSegment* const s = VG_(am_find_nsegment)(code);
  if (!s || s->kind != SkFileC)
    return False; /* code in no file has another option, which is fixed */
  if (VG_(clo_px_file_backed) == VexRegUpdAllregsAtEachInsn) return True;
  VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
  stale = code;
  return False;
}

void registers_translate_again(void) {
  const Addr code = stale;
  if (!code) return;
  stale = 0;
  VG_(discard_translations)(code, 1, "tacho: the first prefetch");
}

static IRExpr* assign(IRSB* out, IRExpr* value) {
  const IRTemp t = newIRTemp(out->tyenv, Ity_I64);
  addStmtToIRSB(out, IRStmt_WrTmp(t, value));
  return IRExpr_RdTmp(t);
}

static IRExpr* value_of(IRSB* out, Int number) {
#define OFFSET(name) offsetof(VexGuestAMD64State, guest_##name)
  static const Int offsets[16] = {OFFSET(RAX), OFFSET(RCX), OFFSET(RDX), OFFSET(RBX),
                                  OFFSET(RSP), OFFSET(RBP), OFFSET(RSI), OFFSET(RDI),
                                  OFFSET(R8),  OFFSET(R9),  OFFSET(R10), OFFSET(R11),
                                  OFFSET(R12), OFFSET(R13), OFFSET(R14), OFFSET(R15)};
#undef OFFSET
  return assign(out, IRExpr_Get(offsets[number], Ity_I64));
}

IRExpr* registers_address(IRSB* out, const struct prefetch* p) {
  IRExpr* sum = IRExpr_Const(IRConst_U64((ULong)p->displacement));
  if (p->base >= 0) sum = assign(out, IRExpr_Binop(Iop_Add64, value_of(out, p->base), sum));
  if (p->index >= 0) {
    IRExpr* const shift = IRExpr_Const(IRConst_U8(p->shift));
    IRExpr* const scaled = assign(out, IRExpr_Binop(Iop_Shl64, value_of(out, p->index), shift));
    sum = assign(out, IRExpr_Binop(Iop_Add64, sum, scaled));
  }
  return sum;
}
