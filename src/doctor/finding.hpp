// One line of an examination of this machine.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace tacho {

enum class Verdict { ok, warning, problem };
std::string_view to_string(Verdict);  // the schema's word

struct Finding {
  std::string name;  // "hardware PMU", "perf_event_paranoid", …
  Verdict verdict = Verdict::ok;
  std::string detail;  // what was found
  std::string remedy;  // empty when there is nothing to mend
};

inline Finding finding(std::string name, Verdict verdict, std::string detail,
                       std::string remedy = {}) {
  return {std::move(name), verdict, std::move(detail), std::move(remedy)};
}

}  // namespace tacho
