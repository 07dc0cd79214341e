/* Runs the code in a file: block_harness FILE REPETITIONS COUNTER. bench/measured_blocks.py writes
 * the code, which jumps back through the first word of CELLS. Before each repetition, the physical
 * page that is behind all of the code's addresses is filled with PATTERN, as in BHive (Y. Chen et
 * al., IISWC 2019). Exit status 3: the code accesses what cannot be mapped. No C library, so that
 * little else is simulated. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PATTERN 0x2324000ul
#define CELLS 0x1000000ul /* where the code finds its counter, and the way back */
#define CODE 0x10000000ul
#define MOST_PAGES 4000

static int page_file;
static unsigned pages;
static char signal_stack[1 << 16] __attribute__((aligned(16)));

static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static void leave(long status) {
  call(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void* map(unsigned long at, unsigned long bytes, long protection, long flags, long file) {
  return (void*)call(SYS_mmap, (long)at, (long)bytes, protection, flags, file, 0);
}

/* Maps the page behind the address that the code has accessed. */
static void fault(int signal, siginfo_t* info, void* context) {
  const unsigned long page = (unsigned long)info->si_addr & ~4095ul;
  (void)signal, (void)context;
  if (++pages > MOST_PAGES || page == (CELLS & ~4095ul) || (page >> 28) == (CODE >> 28)) leave(3);
  if (map(page, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, page_file) != (void*)page)
    leave(3);
}

__asm__("restore: mov $15, %eax; syscall"); /* rt_sigreturn */
void restore(void);

static void catch_faults(void) {
  const stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
  struct {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } const action = {fault, SA_SIGINFO | SA_ONSTACK | 0x04000000, restore, 0};
  call(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
  call(SYS_rt_sigaction, SIGSEGV, (long)&action, 0, 8, 0, 0);
  call(SYS_rt_sigaction, SIGBUS, (long)&action, 0, 8, 0, 0);
}

static unsigned long number(const char* text) {
  unsigned long value = 0;
  for (; *text; ++text) value = 10 * value + (unsigned long)(*text - '0');
  return value;
}

/* The code changes every register but keeps CELLS. */
static void run(unsigned long* cells, void* page) {
  __asm__ volatile(
      "push %%rbp; push %%rbx; push %%r12; push %%r13; push %%r14; push %%r15\n"
      "mov %%rsp, 16(%0)\n"
      "lea 1f(%%rip), %%rax; mov %%rax, (%0)\n"
      "mov %1, %%rdi; mov $512, %%ecx; mov %2, %%rax; rep stosq\n"
      "jmp *%3\n"
      "1: mov %4, %%rbx; mov 16(%%rbx), %%rsp; cld\n"
      "pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbx; pop %%rbp\n"
      :
      : "S"(cells), "d"(page), "r"(PATTERN), "r"(CODE), "i"(CELLS)
      : "rax", "rcx", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

__attribute__((used)) static void begin(long* stack) {
  char** const arguments = (char**)(stack + 1);
  unsigned long repetitions, counter;
  unsigned long* cells;
  void* page;
  long code;
  if (stack[0] != 4) leave(2);
  repetitions = number(arguments[2]);
  counter = number(arguments[3]);
  code = call(SYS_open, (long)arguments[1], O_RDONLY, 0, 0, 0, 0);
  page_file = (int)call(SYS_memfd_create, (long)"page", 0, 0, 0, 0, 0);
  call(SYS_ftruncate, page_file, 4096, 0, 0, 0, 0);
  page = map(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, page_file);
  cells = map(CELLS, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1);
  if (code < 0 ||
      map(CODE, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, code) != (void*)CODE ||
      cells != (void*)CELLS)
    leave(2);
  cells[4] = cells[5] = PATTERN;
  catch_faults();
  for (; repetitions > 0; --repetitions) {
    cells[1] = counter;
    run(cells, page);
  }
  leave(0);
}

__asm__(".globl _start\n_start: mov %rsp, %rdi; and $-16, %rsp; call begin");
