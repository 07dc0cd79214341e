// Writes pprof's profile.proto, with the field numbers of its description. The encoding is the wire
// format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding): a key of field
// number and wire type, then a varint, or a length and that many bytes.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <ranges>
#include <tuple>
#include <unordered_map>

#include "base/text_layout.hpp"
#include "profile/call_stacks.hpp"
#include "profile/report.hpp"

namespace tacho {
namespace {

class Message {
 public:
  void number(unsigned field, std::uint64_t value) {
    if (value == 0) return;  // the default value is left out
    varint(std::uint64_t{field} << 3);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void numbers(unsigned field, const std::vector<std::uint64_t>& values) {
    Message packed;
    for (const std::uint64_t value : values) packed.varint(value);
    bytes(field, packed.bytes_);
  }
  const std::string& text() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

// All texts, each once; the first is "". They are made valid UTF-8, because readers refuse anything
// else and a path may be different.
class Texts {
 public:
  std::uint64_t of(const std::string& raw) {
    const std::string text = printable(raw, raw.npos);
    const auto [found, fresh] = index_.try_emplace(text, all_.size());
    if (fresh) all_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_{""};
  std::map<std::string, std::uint64_t> index_{{"", 0}};
};

std::string unit_of(const SampledEvent& event) {
  return event.clock ? "nanoseconds" : "count";
}

class Pprof {
 public:
  explicit Pprof(const ProfileExport& in) : in_(in), stacks_(in) {}

  std::string encoded() {
    const auto [events, chosen, of_waits, left_out] = pprof_events(in_);
    for (const SampledEvent& event : events) {
      profile_.bytes(1, value_type(event.name + " samples", "count"));
      profile_.bytes(1, value_type(event.name, unit_of(event)));
    }
    add_samples(events);
    for (std::uint32_t cell = 0; cell < in_.profile.cells().size(); ++cell) add_location(cell);
    for (const std::size_t module : program_first()) add_mapping(module);
    if (in_.profile.first_ns())
      profile_.number(10, *in_.profile.last_ns() - *in_.profile.first_ns());
    if (chosen < events.size()) {
      profile_.bytes(11, value_type(events[chosen].name, unit_of(events[chosen])));
      profile_.number(12, events[chosen].period);
      profile_.number(14, texts_.of(events[chosen].name));
    }
    for (const SampledEvent& event : events)
      if (const std::uint64_t cut = in_.profile.cut(event.number).samples; cut > 0)
        profile_.number(13, texts_.of(fmt::format("{} of {} call chains of {} were cut", cut,
                                                  event.count.samples, event.name)));
    if (!in_.chosen.empty())
      profile_.number(13, texts_.of("samples of " + in_.chosen));  // a comment
    for (const std::string& text : texts_.all()) profile_.bytes(6, text);
    return profile_.text();
  }

 private:
  std::string value_type(const std::string& type, const std::string& unit) {
    Message message;
    message.number(1, texts_.of(type));
    message.number(2, texts_.of(unit));
    return message.text();
  }

  void add_samples(const std::vector<SampledEvent>& events) {
    std::unordered_map<std::size_t, std::size_t> index;  // by number in the profile
    for (const SampledEvent& each : events) index.emplace(each.number, index.size());
    const SampleCounts& counts = in_.profile.node_counts();
    const std::vector<std::uint32_t> order = counts.by_place();
    for (std::size_t from = 0; from < order.size();) {
      const std::size_t node = counts.entries()[order[from]].place;
      std::vector<std::uint64_t> values(2 * events.size());
      bool any = false;
      for (; from < order.size() && counts.entries()[order[from]].place == node; ++from) {
        const SampleCounts::Entry& each = counts.entries()[order[from]];
        const auto event = index.find(each.event);
        if (event == index.end()) continue;
        values[2 * event->second] = each.count.samples;
        values[2 * event->second + 1] = each.count.sum;
        any = true;
      }
      if (any) add_sample(node, values);
    }
  }

  void add_sample(std::size_t node, const std::vector<std::uint64_t>& values) {
    std::vector<std::uint64_t> locations;  // innermost first; ids count from 1
    for (const std::uint32_t cell : stacks_.path(node) | std::views::reverse)
      locations.push_back(cell + 1);
    Message sample;
    sample.numbers(1, locations);
    sample.numbers(2, values);
    profile_.bytes(2, sample.text());
  }

  // Includes inlined functions: innermost first, the function itself last.
  void add_location(std::uint32_t cell) {
    const CodePlace& place = in_.profile.cells()[cell];
    const FunctionInfo& own = in_.resolver.function(stacks_.function(cell));
    Message location;
    location.number(1, cell + 1);
    location.number(2, place.module + 1);
    location.number(3, in_.resolver.address_of(place));
    std::vector<symbols::Frame> frames;
    if (in_.inlined)
      frames = in_.resolver.frames_of(place);
    else
      frames.push_back(in_.resolver.line_of(place));
    if (frames.empty()) frames.emplace_back();
    frames.back().function = stacks_.name(cell);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::string system = i + 1 == frames.size() ? own.name : frames[i].function;
      Message line;
      line.number(1, function_id(frames[i], system));
      line.number(2, frames[i].line);
      location.bytes(4, line.text());
    }
    profile_.bytes(4, location.text());
  }

  std::uint64_t function_id(const symbols::Frame& frame, const std::string& system) {
    const auto key = std::pair(system.empty() ? frame.function : system, frame.file);
    const auto [found, fresh] = functions_.try_emplace(key, functions_.size() + 1);
    if (fresh) {
      Message function;
      function.number(1, found->second);
      function.number(2, texts_.of(frame.function));
      function.number(3, texts_.of(key.first));
      function.number(4, texts_.of(frame.file));
      profile_.bytes(5, function.text());
    }
    return found->second;
  }

  // The modules, but first the one that looks like the program: pprof takes the first mapping for
  // it. The program is a file and no library; if several are left, the one with most samples.
  std::vector<std::size_t> program_first() const {
    const std::vector<Module>& modules = in_.profile.modules();
    std::vector<std::uint64_t> samples(modules.size());
    for (const SampleCounts::Entry& each : in_.profile.counts().entries())
      samples[in_.profile.cells()[each.place].module] += each.count.samples;
    const auto rank = [&](std::size_t i) {
      const std::string& path = modules[i].path;
      const bool file = path.starts_with('/') && !path.starts_with(perfdata::kAnonymous);
      return std::tuple(file, file && !path.contains(".so"), samples[i]);
    };
    std::vector<std::size_t> order(modules.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto program = std::ranges::max_element(order, {}, rank);
    if (program != order.end()) std::rotate(order.begin(), program, std::next(program));
    return order;
  }

  void add_mapping(std::size_t index) {
    const Module& module = in_.profile.modules()[index];
    Message mapping;
    mapping.number(1, index + 1);
    // From 0 to the end of the address space: pprof takes this for addresses as the file has them.
    // With a limit of 0 its -disasm finds no code, and go's -weblist repeats instructions.
    mapping.number(3, ~std::uint64_t{0});
    mapping.number(5, texts_.of(module.path));
    mapping.number(6, texts_.of(module.build_id));
    mapping.number(7, 1);  // has_functions: pprof need not look up names
    profile_.bytes(3, mapping.text());
  }

  const ProfileExport& in_;
  CallStacks stacks_;
  Message profile_;
  Texts texts_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> functions_;
};

}  // namespace

ReportedEvents pprof_events(const ProfileExport& in) {
  constexpr std::size_t kNumbersOfACount = 16;  // that take no more memory than a count in a report
  const SampleCounts& counts = in.profile.node_counts();
  return reported_events(in.profile, in.recording, in.event,
                         counts.entries().size() / kNumbersOfACount);
}

std::string profile_pprof(const ProfileExport& in) {
  return Pprof(in).encoded();
}

}  // namespace tacho
