// Fuzzes the files that `tacho merge` reads: what is read is merged and reported.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "merge/report.hpp"
#include "merge/stat_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = tacho::parse_stat_file(text, "fuzz.json");
  if (!file) return 0;
  const auto merged = tacho::merge_reports({*file, *file, *file, *file}, {});
  if (!merged) return 0;
  if (tacho::to_text(*merged, {}).empty() || tacho::to_json(*merged).empty() ||
      tacho::to_csv(*merged).empty())
    std::abort();
  return 0;
}
