// What the kernel module tacho_pmu says of itself and of each CPU: /proc/tacho_pmu, which is asked
// before the first register is touched and at the end of each stretch.
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
inline constexpr int kInterface = 1;  // of the status file, as this program knows it

enum class Architecture { armv6, armv7, aarch64 };
std::string_view to_string(Architecture);
std::optional<Architecture> architecture_named(std::string_view word);

struct CpuStatus {
  int cpu = 0;
  std::string state;            // "on", "perf", "offline", "no-pmu"
  int counters = 0;             // event counters beside the cycle counter
  bool counting = true;         // the cycle counter was seen to advance
  std::uint64_t disturbed = 0;  // how often the setting was found undone, or perf at the counters

  bool on() const { return state == "on"; }
};

struct Status {
  std::string module;  // its version
  Architecture architecture = Architecture::armv7;
  bool all = true;  // user space may use every register, not the cycle counter alone
  std::vector<CpuStatus> cpus;

  const CpuStatus* of(int cpu) const;
};

// The text of the file. Keys that it does not know are passed over. Errors: another interface than
// kInterface, a damaged line.
Result<Status> parse_status(std::string_view text);

// Why the registers of this CPU can't be counted with, and the remedy; nothing when they can.
std::optional<Error> objection(const Status& status, int cpu);

Error not_loaded(const std::string& path);

// The open file. As long as it is held no other tacho counts with the registers, which belong to
// nobody else: an advisory lock. Once the module is unloaded, reading fails for good, even when it
// has been loaded again meanwhile.
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
