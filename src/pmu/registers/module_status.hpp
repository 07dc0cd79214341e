// Reads the status of the kernel module tacho_pmu and of each CPU from /proc/tacho_pmu. It is read
// before the first access to a register and at the end of each stretch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace tacho::arm {

inline constexpr const char* kStatusPath = "/proc/tacho_pmu";
inline constexpr int kInterface = 1;  // the version of the status file that this program reads

enum class Architecture { armv6, armv7, aarch64 };
std::string_view to_string(Architecture);
std::optional<Architecture> architecture_named(std::string_view word);

struct CpuStatus {
  int cpu = 0;
  std::string state;            // "on", "perf", "offline", "no-pmu"
  int counters = 0;             // event counters beside the cycle counter
  bool counting = true;         // the module has seen the cycle counter advance
  std::uint64_t disturbed = 0;  // how often perf used the counters or the setting was lost

  bool on() const { return state == "on"; }
};

struct Status {
  std::string module;  // the module's version
  Architecture architecture = Architecture::armv7;
  bool all = true;  // user space may use all registers; false: only the cycle counter
  std::vector<CpuStatus> cpus;

  const CpuStatus* of(int cpu) const;
};

// Parses the text of the file. Unknown keys are ignored. It is an error if the interface is not
// kInterface, or if a line is damaged.
Result<Status> parse_status(std::string_view text);

// Why the registers of this CPU can't count, and the remedy; nothing if they can.
std::optional<Error> objection(const Status& status, int cpu);

Error not_loaded(const std::string& path);

// The open file, with an advisory lock: while it is open, no other tacho counts with the registers.
// After the module is unloaded, every read fails, even if the module is loaded again.
class StatusFile {
 public:
  static Result<StatusFile> open(const std::string& path = kStatusPath);

  Result<Status> read() const;

 private:
  StatusFile(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Fd file_;
  std::string path_;
};

}  // namespace tacho::arm
