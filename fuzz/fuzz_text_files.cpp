// Fuzzes small text files. The first byte chooses the kind: a JIT compiler's perf map,
// /proc/kallsyms (also of another machine), a list of a core's events, or the status of the kernel
// module.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "events/core_events.hpp"
#include "pmu/registers/module_status.hpp"
#include "symbols/kallsyms_and_perf_map.hpp"

namespace {

void demand(bool good) {
  if (!good) std::abort();
}

// The function found at an address contains the address, and its name lies within the text.
void check(const tacho::symbols::FunctionTable& functions, const std::string& text,
           std::uint64_t address) {
  const auto* const found = functions.at(address);
  if (found == nullptr) return;
  const char* const end = text.data() + text.size();
  demand(std::greater_equal<>()(found->name.data(), text.data()));
  demand(std::less_equal<>()(found->name.data() + found->name.size(), end));
  demand(address >= found->start && address < found->end);
}

// Looks up addresses that are made of the text's own bytes and of its numbers.
void check_all(const tacho::symbols::FunctionTable& functions, const std::string& text) {
  std::uint64_t bytes = 0;
  std::uint64_t digits = 0;
  for (const char each : text) {
    bytes = bytes << 8 | static_cast<unsigned char>(each);
    const std::size_t digit = std::string_view("0123456789abcdef").find(each);
    digits = digit == std::string_view::npos ? 0 : digits << 4 | digit;
    check(functions, text, bytes);
    check(functions, text, digits);
    check(functions, text, digits - 1);
  }
}

void read_perf_map(std::string_view text) {
  const auto table = tacho::symbols::parse_perf_map(std::string(text));
  for (const auto* each : table.functions.named("main")) demand(!each->name.empty());
  check_all(table.functions, *table.text);
}

void read_kallsyms(std::string_view text) {
  const auto kernel = tacho::symbols::parse_kernel_functions(std::string(text), "fuzz");
  if (!kernel) return demand(!kernel.error().what.empty() && !kernel.error().remedy.empty());
  check_all(kernel->functions, *kernel->text);
}

void read_core_events(std::string_view text) {
  const auto core = tacho::parse_core_events(text, "fuzz.toml");
  if (!core) return demand(!core.error().what.empty());
  demand(core->implementer <= 0xff && core->part <= 0xfff && !core->events.empty());
  for (const tacho::CoreEvent& event : core->events) {
    demand(core->find(event.name) == &event && core->find(event.number) == &event);
    for (const std::string& also : event.also) demand(core->find(also) == &event);
  }
}

void read_status(std::string_view text) {
  const auto status = tacho::arm::parse_status(text);
  if (!status) return demand(!status.error().what.empty() && !status.error().remedy.empty());
  for (const tacho::arm::CpuStatus& cpu : status->cpus) {
    demand(cpu.counters >= 0 && cpu.counters <= 31);
    const auto objection = tacho::arm::objection(*status, cpu.cpu);
    demand(!objection || !objection->what.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'p') read_perf_map(text);
  if (data[0] == 'k') read_kallsyms(text);
  if (data[0] == 'e') read_core_events(text);
  if (data[0] == 's') read_status(text);
  return 0;
}
