// Writes a model in the lines that the simulator reads (docs/explanation/simulator.md).
#pragma once

#include <cstdint>
#include <string>

#include "simulation/cpu_model.hpp"

namespace tacho {

// A slice lasts 1/512 of the simulated time so far, within the two bounds.
std::string to_simulator_input(const CpuModel&, std::uint64_t shortest_slice_ns,
                               std::uint64_t longest_slice_ns);

}  // namespace tacho
