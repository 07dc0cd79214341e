// One line of the report of `tacho doctor`.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace tacho {

enum class Verdict { ok, warning, problem };
std::string_view to_string(Verdict);  // the word in schema 1

struct Finding {
  std::string name;  // "hardware PMU", "perf_event_paranoid", …
  Verdict verdict = Verdict::ok;
  std::string detail;  // the result
  std::string remedy;  // empty if nothing needs to be changed
};

inline Finding finding(std::string name, Verdict verdict, std::string detail,
                       std::string remedy = {}) {
  return {std::move(name), verdict, std::move(detail), std::move(remedy)};
}

// A file that would tell can't be read.
inline Finding unreadable(std::string name, std::string_view file,
                          std::string remedy = "mount -t proc proc /proc") {
  return finding(std::move(name), Verdict::warning,
                 "unknown: " + std::string(file) + " can't be read", std::move(remedy));
}

}  // namespace tacho
