/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes of VEX's operations. */
#include "operations.h"

enum op_class op_class(IROp op) {
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
      return OP_MULTIPLY;
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
      return OP_DIVIDE;
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
      return OP_FLOAT_ADD;
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
      return OP_FLOAT_MULTIPLY;
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
      return OP_FLOAT_DIVIDE;
    default:
      return OP_OTHER;
  }
  /* clang-format on */
}

uint64_t op_latency(const struct model* m, IROp op) {
  const uint64_t latencies[OP_CLASSES] = {0,
                                          m->latency.multiply,
                                          m->latency.divide,
                                          m->latency.float_add,
                                          m->latency.float_multiply,
                                          m->latency.float_divide};
  return latencies[op_class(op)];
}
