// The instructions that reach the registers. perf removes user access when it needs the counters,
// which can happen at any time; then an access raises SIGILL.
#include "pmu/registers/cpu_registers.hpp"

#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <span>
#include <string>

#include "pmu/registers/sigill_guard.hpp"

namespace tacho::arm {
namespace {

constexpr const char* kNotBuilt = "this tacho was not built for registers of ";

#if defined(__arm__) || defined(__aarch64__)

struct Access {
  Register name;
  std::uint64_t (*read)();
  void (*write)(std::uint64_t);
};

#if defined(__aarch64__)
// The barrier makes a write to a register visible to the accesses after it.
#define TACHO_REGISTER(name, system)                                        \
  Access {                                                                  \
    Register::name,                                                         \
        [] {                                                                \
          std::uint64_t value = 0;                                          \
          asm volatile("isb\n mrs %0, " system : "+r"(value)::"memory");    \
          return value;                                                     \
        },                                                                  \
        [](std::uint64_t value) {                                           \
          asm volatile("msr " system ", %0\n isb" ::"r"(value) : "memory"); \
        }                                                                   \
  }
// Registers by number, because not every assembler knows all names.
constexpr Access kLater[] = {
    TACHO_REGISTER(control, "S3_3_C9_C12_0"),
    TACHO_REGISTER(cycles, "S3_3_C9_C13_0"),
    TACHO_REGISTER(enable_set, "S3_3_C9_C12_1"),
    TACHO_REGISTER(enable_clear, "S3_3_C9_C12_2"),
    TACHO_REGISTER(overflow, "S3_3_C9_C12_3"),
    TACHO_REGISTER(select, "S3_3_C9_C12_5"),
    TACHO_REGISTER(event_type, "S3_3_C9_C13_1"),
    TACHO_REGISTER(event_count, "S3_3_C9_C13_2"),
    TACHO_REGISTER(common_events_0, "S3_3_C9_C12_6"),
    TACHO_REGISTER(common_events_1, "S3_3_C9_C12_7"),
};

#else

#if __ARM_ARCH >= 7
#define TACHO_BARRIER "isb"
#else  // the same barrier on ARMv6, where the register's value has no effect
#define TACHO_BARRIER "mcr p15, 0, %0, c7, c5, 4"
#endif
#define TACHO_REGISTER(name, place)                                                 \
  Access {                                                                          \
    Register::name,                                                                 \
        [] {                                                                        \
          std::uint32_t value = 0;                                                  \
          asm volatile("mrc p15, 0, %0, " place : "+r"(value)::"memory");           \
          return std::uint64_t{value};                                              \
        },                                                                          \
        [](std::uint64_t value) {                                                   \
          asm volatile("mcr p15, 0, %0, " place                                     \
                       "\n " TACHO_BARRIER ::"r"(static_cast<std::uint32_t>(value)) \
                       : "memory");                                                 \
        }                                                                           \
  }
constexpr Access kArm1176[] = {
    TACHO_REGISTER(control, "c15, c12, 0"),
    TACHO_REGISTER(cycles, "c15, c12, 1"),
    TACHO_REGISTER(count0, "c15, c12, 2"),
    TACHO_REGISTER(count1, "c15, c12, 3"),
};
constexpr Access kLater[] = {
    TACHO_REGISTER(control, "c9, c12, 0"),         TACHO_REGISTER(cycles, "c9, c13, 0"),
    TACHO_REGISTER(enable_set, "c9, c12, 1"),      TACHO_REGISTER(enable_clear, "c9, c12, 2"),
    TACHO_REGISTER(overflow, "c9, c12, 3"),        TACHO_REGISTER(select, "c9, c12, 5"),
    TACHO_REGISTER(event_type, "c9, c13, 1"),      TACHO_REGISTER(event_count, "c9, c13, 2"),
    TACHO_REGISTER(common_events_0, "c9, c12, 6"), TACHO_REGISTER(common_events_1, "c9, c12, 7"),
};
#endif

struct sigaction before;

// Skips the refused instruction. All of them have four bytes.
void pass_over(ucontext_t& context) {
#if defined(__aarch64__)
  context.uc_mcontext.pc += 4;
#else
  context.uc_mcontext.arm_pc += 4;
#endif
}

// Any other SIGILL goes to the handler that the program had before.
void on_illegal(int signal, siginfo_t* info, void* context) {
  if (guard.accessing != 0) {
    guard.refused = 1;
    pass_over(*static_cast<ucontext_t*>(context));
  } else if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    ::sigaction(SIGILL, &before, nullptr);
  } else {
    before.sa_handler(signal);
  }
}

class CpuRegisters final : public Registers {
 public:
  explicit CpuRegisters(std::span<const Access> table) : table_(table) {
    struct sigaction action{};
    action.sa_sigaction = on_illegal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(SIGILL, &action, &before);
  }
  ~CpuRegisters() override {
    struct sigaction now{};
    ::sigaction(SIGILL, nullptr, &now);
    if (now.sa_sigaction == on_illegal) ::sigaction(SIGILL, &before, nullptr);
  }
  CpuRegisters(const CpuRegisters&) = delete;
  CpuRegisters& operator=(const CpuRegisters&) = delete;

  std::uint64_t read(Register name) override {
    const Access& access = find(name);
    const Guarded guarded;
    return access.read();
  }

  void write(Register name, std::uint64_t value) override {
    const Access& access = find(name);
    const Guarded guarded;
    access.write(value);
  }

  Result<void> settle() override {
    if (!Guarded::was_refused()) return {};
    return failure("perf took user access to the counters' registers away",
                   "end the other users of perf_event; 'tacho doctor' shows the module's state");
  }

 private:
  const Access& find(Register name) const {
    return *std::ranges::find(table_, name, &Access::name);
  }

  std::span<const Access> table_;
};

#endif

}  // namespace

#if defined(__aarch64__)
Result<std::unique_ptr<Registers>> cpu_registers(Architecture architecture) {
  if (architecture != Architecture::aarch64)
    return failure(kNotBuilt + std::string(to_string(architecture)),
                   "use the build for this board");
  return std::make_unique<CpuRegisters>(kLater);
}
#elif defined(__arm__)
// Programs of 32 bits reach the registers of a 64-bit core by the instructions of ARMv7.
Result<std::unique_ptr<Registers>> cpu_registers(Architecture architecture) {
  return std::make_unique<CpuRegisters>(architecture == Architecture::armv6
                                            ? std::span<const Access>(kArm1176)
                                            : std::span<const Access>(kLater));
}
#else
Result<std::unique_ptr<Registers>> cpu_registers(Architecture architecture) {
  return failure(kNotBuilt + std::string(to_string(architecture)),
                 "use tacho's build for this board");
}
#endif

}  // namespace tacho::arm
