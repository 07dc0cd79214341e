// Runs regions where neither an allocation nor a system call goes unseen: a filter of the kernel's
// kills the process at any system call but those named in the arguments, and allocations are
// counted.
//   hot_path [read | off]    off: the first region begins under the filter, while regions are off
#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tacho/caliper.hpp>

static unsigned long allocations = 0;

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

// Those of the C library, too.
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}

namespace {

// exit_group and write, for the result; and read, where counters are read so.
bool forbid_system_calls(bool allow_read) {
  const unsigned allowed = SECCOMP_RET_ALLOW;
  const unsigned read = allow_read ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS;
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, allowed),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, allowed),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, read),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter = {sizeof rules / sizeof rules[0], rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

void work() {
  TACHO_REGION("outer");
  for (int i = 0; i < 10; ++i) {
    TACHO_REGION("inner");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "off") != 0) {
    tacho::regions_on();
    work();  // the first time opens and allocates
  }
  if (!forbid_system_calls(argc > 1 && std::strcmp(argv[1], "read") == 0)) _exit(77);
  const unsigned long before = allocations;
  for (int i = 0; i < 10'000; ++i) work();
  const bool allocated = allocations != before;
  const char* const said = allocated ? "allocated\n" : "neither allocated nor called\n";
  if (write(1, said, std::strlen(said)) < 0) _exit(2);
  _exit(allocated ? 1 : 0);
}
