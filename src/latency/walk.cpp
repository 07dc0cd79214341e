#include "latency/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "latency/chase/memory.hpp"
#include "latency/chase/memory_allowance.hpp"

namespace tacho {
namespace {

// What the kernel says about memory reads differently each time, and a simulated walk has to be the
// same in every run. So the kernel is not asked about lists that any machine has room for.
Result<void> check_list(std::size_t bytes) {
  constexpr std::size_t kAnyMachineHas = std::size_t{16} << 20U;
  if (bytes <= kAnyMachineHas) return {};
  return chase::check_room(TACHO_TRY(chase::memory_allowance()), bytes);
}

}  // namespace

Result<void> walk_list(const Walk& walk) {
  const std::size_t lines = std::max<std::size_t>(walk.bytes / walk.line_bytes, 1);
  const chase::Shape shape{walk.layout, walk.line_bytes, chase::small_page_bytes()};
  const std::size_t bytes =
      lines > SIZE_MAX / shape.stride() ? SIZE_MAX : lines * shape.stride();  // may be spread
  TACHO_TRY(check_list(bytes));
  const chase::Memory memory = TACHO_TRY(
      chase::Memory::obtain(bytes, walk.huge_pages ? chase::Pages::huge : chase::Pages::small));
  chase::List list(memory.bytes(), shape);
  list.resize(lines);
  chase::kernel(walk.access, chase::Timer::ticks).walk(list.begin(), walk.steps);
  return {};
}

std::vector<std::string> arguments_of(const Walk& walk) {
  std::vector<std::string> arguments{
      "--walk", fmt::format("{},{},{}{}", walk.bytes, walk.steps, walk.line_bytes,
                            walk.layout == Layout::spread ? ",spread" : "")};
  if (walk.access == chase::Access::write) arguments.emplace_back("--write");
  if (walk.access == chase::Access::atomic) arguments.emplace_back("--atomic");
  if (walk.huge_pages) arguments.insert(arguments.end(), {"--pages", "huge"});
  return arguments;
}

}  // namespace tacho
