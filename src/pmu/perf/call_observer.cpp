#include "pmu/perf/call_observer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pmu/perf/attribute_bits.hpp"

namespace tacho {
namespace {

PerfObserver* observing = nullptr;

static_assert(kAttributeBitsAt == offsetof(perf_event_attr, read_format) + sizeof(__u64));

std::string answer_of(int code) {
  return fmt::format(R"({{"errno":"{}"}})", errno_name(code));
}

std::string flags_of(std::uint64_t bits) {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < kAttributeBits.size(); ++i)
    if ((bits >> i & 1U) != 0 && !kAttributeBits[i].empty())
      set.push_back(fmt::format("\"{}\"", kAttributeBits[i]));
  return fmt::format("[{}]", fmt::join(set, ","));
}

// perf_event_attr of this header, with zeros for what the caller's size does not reach, and the
// word behind it that newer kernels have.
struct KnownAttributes {
  perf_event_attr attr{};
  std::uint64_t flags = 0;
  std::uint64_t config3 = 0;

  explicit KnownAttributes(std::span<const std::byte> bytes) {
    constexpr std::size_t kConfig3At = 128;  // PERF_ATTR_SIZE_VER8 of Linux 6.3
    std::memcpy(&attr, bytes.data(), std::min(bytes.size(), sizeof attr));
    std::memcpy(&flags, reinterpret_cast<const char*>(&attr) + kAttributeBitsAt, sizeof flags);
    if (bytes.size() >= kConfig3At + sizeof config3)
      std::memcpy(&config3, bytes.data() + kConfig3At, sizeof config3);
  }
};

}  // namespace

void observe_perf_calls(PerfObserver* observer) {
  observing = observer;
}

PerfObserver* perf_observer() {
  return observing;
}

std::string trace_line(const PerfOpening& call) {
  const KnownAttributes known(call.attributes);
  const perf_event_attr& attr = known.attr;
  std::string sample;
  if (attr.sample_period != 0)
    sample = fmt::format(R"("sample":{{"{}":{},"type":{},"branch":{}}},)",
                         attr.freq != 0 ? "freq" : "period", std::uint64_t{attr.sample_period},
                         std::uint64_t{attr.sample_type}, std::uint64_t{attr.branch_sample_type});
  return fmt::format(
      R"({{"call":"perf_event_open","type":{},"config":{},"config1":{},"config2":{},"config3":{},)"
      R"("size":{},"read_format":{},"flags":{},"precise":{},{}"pid":{},"cpu":{},"group":{},)"
      R"("open_flags":{},"answer":{}}})"
      "\n",
      attr.type, std::uint64_t{attr.config}, std::uint64_t{attr.config1},
      std::uint64_t{attr.config2}, known.config3, attr.size, std::uint64_t{attr.read_format},
      flags_of(known.flags), static_cast<unsigned>(attr.precise_ip), sample, call.pid, call.cpu,
      call.group, call.flags,
      call.fd >= 0 ? fmt::format(R"({{"fd":{}}})", call.fd) : answer_of(call.code));
}

std::string trace_line(const PerfReading& call) {
  const std::string head = fmt::format(R"({{"call":"read","fd":{},)", call.fd);
  if (call.code != 0) return fmt::format("{}\"answer\":{}}}\n", head, answer_of(call.code));
  return fmt::format("{}\"values\":[{}]}}\n", head, fmt::join(call.words, ","));
}

}  // namespace tacho
