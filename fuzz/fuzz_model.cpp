// Fuzzes model files. A model that parses is within the simulator's bounds, can be written for the
// simulator, and has its events.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "simulation/model_file.hpp"
#include "simulation/simulated_events.hpp"
#include "simulation/simulator_input.hpp"

namespace {

void demand(bool good) {
  if (!good) std::abort();
}

void check(const tacho::CacheModel& cache, bool first_level) {
  demand(cache.size > 0 && cache.ways >= 1 && cache.ways <= 64);
  demand(std::has_single_bit(cache.line) && cache.line >= 16 && cache.line <= 256);
  const std::uint64_t set = std::uint64_t{cache.ways} * cache.line;
  demand(cache.size % set == 0);
  demand(!first_level || std::has_single_bit(cache.size / set));
}

void check(const tacho::TlbModel& tlb) {
  demand(tlb.entries > 0 && tlb.ways > 0 && tlb.entries % tlb.ways == 0);
  demand(std::has_single_bit(tlb.entries / tlb.ways));
  demand(tlb.ways <= 64 || (tlb.ways == tlb.entries && tlb.entries <= 4096));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = tacho::parse_model(text, "fuzz.toml");
  if (!model) {
    demand(!model.error().what.empty());
    return 0;
  }
  check(model->l1i, true);
  check(model->l1d, true);
  if (model->l2) check(*model->l2, false);
  if (model->l3) check(*model->l3, false);
  demand(model->l2 || !model->l3);
  check(model->itlb);
  check(model->dtlb);
  if (model->main_tlb) check(*model->main_tlb);
  demand(std::has_single_bit(model->page) && model->frequency_hz > 0);
  demand(tacho::to_simulator_input(*model, 1, 1'000'000).ends_with("\nend\n"));
  for (const tacho::SimulatedEvent& event : tacho::simulated_events(*model))
    demand(event.columns.empty() != event.reason.empty());
  return 0;
}
