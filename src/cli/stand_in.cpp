// STAND-IN until branch model is merged.
#include "cli/data_files.hpp"

namespace tacho {

Result<CpuModel> find_model(std::string_view name) {
  CpuModel model;
  model.name = name;
  model.frequency_hz = 1'000'000'000;
  return model;
}

}  // namespace tacho
