// What threads wait for, by the functions of the kernel in which they wait (data/waits.toml).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace tacho {

struct WaitReason {
  std::string name, words;
  std::string within = {};  // of one by functions of the program: the reason that it divides
  bool decides = false;     // also where a function further out stands for another reason
};

inline constexpr std::string_view kUnknownReason = "unknown";

class WaitReasons {
 public:
  // Errors: the data file can't be read, or is wrong.
  static Result<WaitReasons> load();
  // The error names the line of `path`.
  static Result<WaitReasons> parse(std::string_view text, const std::string& path);

  // Of a thread that left its CPU in these functions of the kernel, the outermost first, and of the
  // program, the innermost first. Without a function of the kernel that the table has, it is
  // `other`; if there is none, or the innermost one alone, `unknown`.
  const WaitReason& of_waiting(std::span<const std::string> kernel,
                               std::span<const std::string> program) const;
  // Of a thread that had waited, was woken, and did not get a CPU yet.
  const WaitReason& of_woken() const;
  // Of a thread that was ready to run: preempted, unless a function says more.
  const WaitReason& of_ready(std::span<const std::string> functions) const;

 private:
  struct Table {
    std::vector<WaitReason> reasons;
    std::unordered_map<std::string, std::size_t> exact;
    std::vector<std::pair<std::string, std::size_t>> beginnings;
    const WaitReason* find(std::span<const std::string> functions) const;
  };
  Table waits_, callers_, ready_;
};

}  // namespace tacho
