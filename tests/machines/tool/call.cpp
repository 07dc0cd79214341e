#include "call.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/result.hpp"
#include "pmu/perf/attribute_bits.hpp"

namespace made_up {
namespace {

using tacho::kAttributeBits;

constexpr std::size_t kConfig3At = 128;  // offset in bytes

std::uint64_t number_at(const Call& call, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, call.raw.data() + offset, sizeof value);
  return value;
}

struct Field {
  std::string_view name;
  std::function<std::uint64_t(const Call&)> value;
};

const std::vector<Field>& fields() {
  static const std::vector<Field> all{
      {"type", [](const Call& call) { return call.attr.type; }},
      {"size", [](const Call& call) { return call.attr.size; }},
      {"config", [](const Call& call) { return call.attr.config; }},
      {"config1", [](const Call& call) { return call.attr.config1; }},
      {"config2", [](const Call& call) { return call.attr.config2; }},
      {"config3", [](const Call& call) { return number_at(call, kConfig3At); }},
      {"sample_type", [](const Call& call) { return call.attr.sample_type; }},
      {"read_format", [](const Call& call) { return call.attr.read_format; }},
      {"branch", [](const Call& call) { return call.attr.branch_sample_type; }},
      {"precise", [](const Call& call) { return std::uint64_t{call.attr.precise_ip}; }},
      // 0 unless the event samples in this way
      {"sample_freq",
       [](const Call& call) { return call.attr.freq != 0 ? call.attr.sample_freq : 0; }},
      {"sample_period",
       [](const Call& call) { return call.attr.freq != 0 ? 0 : call.attr.sample_period; }},
      // how many of exclude_user, _kernel, _hv, _idle, _host and _guest are set
      {"exclusions",
       [](const Call& call) {
         return std::uint64_t{call.attr.exclude_user} + call.attr.exclude_kernel +
                call.attr.exclude_hv + call.attr.exclude_idle + call.attr.exclude_host +
                call.attr.exclude_guest;
       }},
      // 1 if the event is of a task, 0 if it is of a CPU
      {"of_task", [](const Call& call) { return std::uint64_t{call.pid != -1}; }},
  };
  return all;
}

nlohmann::ordered_json sample_of(const Call& call) {
  nlohmann::ordered_json sample;
  sample[call.attr.freq != 0 ? "freq" : "period"] = call.attr.sample_period;
  sample["type"] = call.attr.sample_type;
  sample["branch"] = call.attr.branch_sample_type;
  return sample;
}

std::vector<std::string> set_flags(const Call& call) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const bool is_named = bit < kAttributeBits.size();
    if ((flag_bits(call) >> bit & 1U) == 0 || (is_named && kAttributeBits[bit].empty())) continue;
    names.push_back(is_named ? std::string(kAttributeBits[bit]) : "bit_" + std::to_string(bit));
  }
  return names;
}

}  // namespace

Call make_call(std::vector<std::byte> raw) {
  Call call;
  call.raw = std::move(raw);
  call.raw.resize(std::max(call.raw.size(), kAttributeBytes));
  std::memcpy(&call.attr, call.raw.data(), std::min(sizeof call.attr, call.raw.size()));
  return call;
}

std::uint64_t flag_bits(const Call& call) {
  return number_at(call, tacho::kAttributeBitsAt);
}

std::optional<std::uint64_t> field(const Call& call, std::string_view name) {
  const auto known = std::ranges::find(fields(), name, &Field::name);
  if (known != fields().end()) return known->value(call);
  const auto* const flag = std::ranges::find(kAttributeBits, name);
  if (flag == kAttributeBits.end() || name.empty()) return std::nullopt;
  return flag_bits(call) >> static_cast<unsigned>(flag - kAttributeBits.begin()) & 1U;
}

bool is_field(std::string_view name) {
  return field(make_call({}), name).has_value();
}

std::string log_line(const Call& call, const Answer& answer, int descriptor) {
  nlohmann::ordered_json line{{"call", "perf_event_open"}};
  for (const char* name :
       {"type", "config", "config1", "config2", "config3", "size", "read_format"})
    line[name] = field(call, name).value_or(0);
  line["flags"] = set_flags(call);
  line["precise"] = std::uint64_t{call.attr.precise_ip};
  line["sample"] = sample_of(call);
  line["pid"] = call.pid;
  line["cpu"] = call.cpu;
  line["group"] = call.group;
  line["open_flags"] = call.open_flags;
  if (answer.code == 0)
    line["answer"] = {{"fd", descriptor}};
  else
    line["answer"] = {{"errno", tacho::errno_name(answer.code)}};
  if (!answer.pmu.empty()) line["pmu"] = answer.pmu;
  if (!answer.because.empty()) line["because"] = answer.because;
  line["thread"] = call.thread;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string log_line(int descriptor, std::uint64_t period, int code) {
  nlohmann::ordered_json line{{"call", "ioctl"}, {"request", "PERF_EVENT_IOC_PERIOD"}};
  line["fd"] = descriptor;
  line["value"] = period;
  line["answer"] = nlohmann::ordered_json::object();
  if (code != 0) line["answer"]["errno"] = tacho::errno_name(code);
  return line.dump();
}

}  // namespace made_up
