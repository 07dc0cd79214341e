// known_code KIND COUNT: loops whose every instruction the tests know, in assembly, so that it can
// be said which of them an event belongs to. KIND: branches, misses, instructions, prefetched or
// threads.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__x86_64__)
// known_branches calls known_work, of 127 instructions and a return, `count` times: each piece
// between two taken branches is a multiple of 4 instructions. known_misses loads from a new line
// each time, known_prefetched from one that it asked for `distance` lines before. A jump to a
// global label has 2 bytes in GCC's object and 6 in Clang's; one to a local label has 2 in both.
asm(R"(
.text
.globl known_branches, known_call, known_jump, known_work, known_return
.type known_branches, @function
.type known_work, @function
.p2align 6
known_branches:
  nop
  nop
  nop
known_call:
  call known_work
  nop
  nop
  dec %rdi
known_jump:
  jnz known_branches
  ret
.size known_branches, .-known_branches
.p2align 6
known_work:
  .rept 127
  nop
  .endr
known_return:
  ret
.size known_work, .-known_work

.globl known_misses, known_load
.type known_misses, @function
.p2align 6
known_misses:
1:
  mov (%rsi), %rax
  add $64, %rsi
  dec %rdi
  jnz 1b
  ret
.size known_misses, .-known_misses

.globl known_instructions
.type known_instructions, @function
.p2align 6
known_instructions:
  nop
  lea (%rsi), %rax
  nop
  dec %rdi
  jnz known_instructions
  ret
.size known_instructions, .-known_instructions

.globl known_prefetched
.type known_prefetched, @function
.p2align 6
known_prefetched:
  prefetcht0 (%rsi,%rdx)
  .rept 400
  nop
  .endr
  mov (%rsi), %rax
  add $64, %rsi
  dec %rdi
  jnz known_prefetched
  ret
.size known_prefetched, .-known_prefetched
)");
extern "C" {
void known_branches(long count);
void known_misses(long count, const char* memory);
void known_instructions(long count, const char* memory);
void known_prefetched(long count, const char* memory, long distance);
}
#else
static void known_branches(long) {}
static void known_misses(long, const char*) {}
static void known_instructions(long, const char*) {}
static void known_prefetched(long, const char*, long) {}
#endif

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string_view kind = argv[1];
  const long count = std::atol(argv[2]);
  if (kind == "branches") known_branches(count);
  if (kind == "instructions") known_instructions(count, argv[0]);
  if (kind == "threads") {
    std::vector<std::thread> threads;
    for (long i = 1; i <= 2; ++i)
      threads.emplace_back([=] { known_instructions(i * count, argv[0]); });
    for (std::thread& each : threads) each.join();
  }
  if (kind == "misses" || kind == "prefetched") {
    const long distance = argc > 3 ? std::atol(argv[3]) : 0;
    const auto pages = static_cast<std::size_t>(64 * count + distance) / 4096 + 1;
    char* memory = static_cast<char*>(std::aligned_alloc(4096, pages * 4096));
    if (memory == nullptr) return 1;
    if (kind == "misses") known_misses(count, memory);
    if (kind == "prefetched") known_prefetched(count, memory, distance);
    std::free(memory);
  }
}
