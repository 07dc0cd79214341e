// Fuzzes the perf maps of JIT compilers. Whatever the text, names lie within it, and the function
// found at an address contains the address.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "symbols/kallsyms_and_perf_map.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = tacho::symbols::parse_perf_map({reinterpret_cast<const char*>(data), size});
  const char* const begin = table.text->data();
  const char* const end = begin + table.text->size();
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < size; ++i) {
    address = address << 8 | data[i];
    const auto* const found = table.functions.at(address);
    if (found == nullptr) continue;
    const bool within = std::greater_equal<>()(found->name.data(), begin) &&
                        std::less_equal<>()(found->name.data() + found->name.size(), end);
    if (!within || found->name.empty() || address < found->start || address >= found->end)
      std::abort();
  }
  return 0;
}
