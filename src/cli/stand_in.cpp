// STAND-IN until branch model is merged.
#include "cli/data_files.hpp"

namespace tacho {

Result<CpuModel> find_model(std::string_view name) {
  CpuModel model;
  model.name = name;
  model.frequency_hz = 700'000'000;
  model.l1i = {.size = 16384, .ways = 4, .line = 32, .replacement = Replacement::round_robin, .write_allocate = true, .latency = 1};
  model.l1d = {.size = 16384, .ways = 4, .line = 32, .replacement = Replacement::round_robin, .write_allocate = false, .latency = 3};
  model.latencies = {.integer = 1, .multiply = 2, .divide = 20, .float_add = 8, .float_multiply = 8, .float_divide = 19};
  model.memory_latency = 56;
  model.itlb = {.entries = 10, .ways = 10, .victims = 0, .replacement = Replacement::lru, .latency = 0};
  model.dtlb = model.itlb;
  model.main_tlb = TlbModel{.entries = 64, .ways = 2, .victims = 8, .replacement = Replacement::lru, .latency = 2};
  model.walk_latency = 60;
  model.branch = {.direction = Direction::bimodal, .entries = 128, .history = 0, .targets = 128, .returns = 3, .mispredict = 6};
  return model;
}

}  // namespace tacho
