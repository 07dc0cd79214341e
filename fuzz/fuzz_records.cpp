// Fuzzes the simulator's records, with the traces of slices. The first byte, plus 1, is the
// size of the pieces in which the records come. Whatever the bytes, the slices are the same as in
// one piece, and damage is reported with a reason.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/records.hpp"

namespace {

struct Decoded {
  std::vector<std::uint64_t> counts;
  std::string damage;
  bool operator==(const Decoded&) const = default;
};

void take(tacho::Records& records, Decoded& decoded) {
  for (;;) {
    const auto slice = records.next();
    if (!slice) decoded.damage = slice.error().what;
    if (!slice && decoded.damage.empty()) std::abort();
    if (!slice || !*slice) return;
    const auto& counts = (*slice)->counts;
    for (const tacho::TraceRecord& record : (*slice)->trace) {
      decoded.counts.push_back(record.what.index());
      decoded.counts.push_back(record.cycle);
    }
    if (counts.size() != records.columns().size() || counts.empty()) std::abort();
    decoded.counts.insert(decoded.counts.end(), counts.begin(), counts.end());
  }
}

Decoded decode(std::string_view bytes, std::size_t piece) {
  tacho::Records records;
  Decoded decoded;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    records.add(bytes.substr(at, piece));
    take(records, decoded);
  }
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (decode(bytes, data[0] + std::size_t{1}) != decode(bytes, bytes.size() + 1)) std::abort();
  return 0;
}
