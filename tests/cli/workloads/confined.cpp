// confined HOW N: counts N down, in two instructions a step, after it has taken something from
// itself: `root` sees a directory without files, `user` is nobody, `files` may write no byte to a
// file.
#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace {

bool confine(std::string_view how) {
  constexpr uid_t kNobody = 65534;
  const rlimit nothing{0, 0};
  if (how == "root") return chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0;
  if (how == "user") return setgroups(0, nullptr) == 0 && setuid(kNobody) == 0;
  return how == "files" && setrlimit(RLIMIT_FSIZE, &nothing) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  long left = argc > 2 ? std::atol(argv[2]) : 0;
  if (left < 1 || !confine(argv[1])) return 2;
#if defined(__x86_64__)
  asm volatile("1: dec %0; jnz 1b" : "+r"(left)::"cc");
#endif
  return 0;
}
