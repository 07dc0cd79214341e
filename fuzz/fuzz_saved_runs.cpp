// Fuzzes the files of `tacho compare --save`: what is read is judged and reported.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compare/report.hpp"
#include "compare/saved_runs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto runs = tacho::parse_saved_runs(text, "fuzz.json");
  if (!runs) return 0;
  const auto both = tacho::put_beside(*runs, tacho::first_command(*runs));
  const auto report = tacho::report_of({}, both, "0");
  if (tacho::to_text(report, {}).empty() || tacho::to_json(report).empty()) std::abort();
  return 0;
}
