#include "blocks/core_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <vector>

namespace tacho {
namespace {

// Widths are from Intel's Optimization Reference Manual 248966, chapter 2 (allocation and
// retirement of each microarchitecture). The table has only cores whose branch stacks have cycles:
// Intel's from Skylake on. AMD's have none. arm64 cores with BRBE are missing, for no recording of
// one was available.
constexpr CoreFacts kSkylake{"Skylake", "skylake", "x86_64", 4};
constexpr CoreFacts kSkylakeServer{"Skylake server", "skylake-avx512", "x86_64", 4};
constexpr CoreFacts kIceLake{"Ice Lake", "icelake-client", "x86_64", 5};
constexpr CoreFacts kIceLakeServer{"Ice Lake server", "icelake-server", "x86_64", 5};
constexpr CoreFacts kGoldenCove{"Golden Cove", "alderlake", "x86_64", 6};
constexpr CoreFacts kSapphireRapids{"Sapphire Rapids", "sapphirerapids", "x86_64", 6};

struct IntelModel {
  int model;
  const CoreFacts& core;
};
constexpr std::array kIntel = {
    // models of family 6
    IntelModel{0x4e, kSkylake},        IntelModel{0x5e, kSkylake},
    IntelModel{0x8e, kSkylake},        IntelModel{0x9e, kSkylake},  // Kaby and Coffee Lake
    IntelModel{0xa5, kSkylake},        IntelModel{0xa6, kSkylake},  // Comet Lake
    IntelModel{0x55, kSkylakeServer},                               // also Cascade Lake
    IntelModel{0x7d, kIceLake},        IntelModel{0x7e, kIceLake},
    IntelModel{0x8c, kIceLake},        IntelModel{0x8d, kIceLake},  // Tiger Lake
    IntelModel{0x6a, kIceLakeServer},  IntelModel{0x6c, kIceLakeServer},
    IntelModel{0x97, kGoldenCove},     IntelModel{0x9a, kGoldenCove},
    IntelModel{0xb7, kGoldenCove},     IntelModel{0xba, kGoldenCove},
    IntelModel{0xbf, kGoldenCove},     IntelModel{0x8f, kSapphireRapids},
    IntelModel{0xcf, kSapphireRapids},
};

std::vector<std::string_view> words_of(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

const CoreFacts* intel_core(std::string_view cpu_id) {
  const auto words = words_of(cpu_id, ',');
  int model = 0;
  if (words.size() < 3 || words[0] != "GenuineIntel" || words[1] != "6" ||
      std::from_chars(words[2].data(), words[2].data() + words[2].size(), model).ec != std::errc{})
    return nullptr;
  const auto* found = std::ranges::find(kIntel, model, &IntelModel::model);
  return found == kIntel.end() ? nullptr : &found->core;
}

}  // namespace

std::optional<CoreFacts> core_facts(std::string_view cpu_id, std::string_view cpu,
                                    std::string_view architecture, std::string_view event) {
  const bool simulated = cpu.starts_with("simulated ");
  const CoreFacts* core = intel_core(cpu_id);
  if (simulated) core = cpu.starts_with("simulated skylake ") ? &kSkylake : nullptr;
  if (core == nullptr || core->triple != architecture) return std::nullopt;
  if (event.starts_with("cpu_atom/"))
    return std::nullopt;  // an efficiency core; the table has the performance cores
  CoreFacts facts = *core;
  facts.simulated = simulated;
  return facts;
}

}  // namespace tacho
