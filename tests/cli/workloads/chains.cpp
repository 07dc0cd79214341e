// chains KIND ROUNDS: 16 instructions in each round, of which each takes the result of the one
// before.
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  long rounds = argc > 2 ? std::atol(argv[2]) : 0;
  if (rounds < 1) return 2;
#if defined(__x86_64__)
#define CHAIN(kind, instruction)                                                \
  if (std::string_view(argv[1]) == kind) {                                      \
    asm volatile("1: .rept 16; " instruction "; .endr; dec %0; jnz 1b"          \
                 : "+r"(rounds)::"rax", "rdx", "xmm0", "xmm1", "cc", "memory"); \
    return 0;                                                                   \
  }
  CHAIN("integer", "lea 1(%%rax), %%rax")
  CHAIN("multiply", "imul %%rax, %%rax")
  CHAIN("move", "mov %%rax, %%rdx; mov %%rdx, %%rax")
  CHAIN("memory", "addl $1, -256(%%rsp)")
  CHAIN("add", "addsd %%xmm1, %%xmm0")
  CHAIN("compare", "cmpltsd %%xmm1, %%xmm0")
  CHAIN("minimum", "minps %%xmm1, %%xmm0")
  CHAIN("convert", "cvtdq2ps %%xmm0, %%xmm0")
  CHAIN("divide", "divsd %%xmm1, %%xmm0")
  CHAIN("divide-256", "vdivpd %%ymm1, %%ymm0, %%ymm0")
  CHAIN("root-256", "vsqrtps %%ymm0, %%ymm0")
#endif
  return 2;
}
