// Fuzzes reports of recordings. The bytes choose a valid recording, as a file or a stream, whose
// fields have hostile values: so the fuzzer gets behind the reader, into address spaces, call
// chains, threads and reports. Whatever the recording, tacho makes each report of it.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/reader.hpp"
#include "profile/call_tree.hpp"
#include "profile/profile.hpp"
#include "profile/recorded_profile.hpp"
#include "profile/report.hpp"
#include "profile/summary.hpp"
#include "wall/report/summarize_wall.hpp"
#include "wall/report/wall_report.hpp"
#include "wall/wall_reader.hpp"

namespace {

void demand(bool good) {
  if (!good) std::abort();
}

// The bytes of the input, one decision after the other; zeros behind its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool any() const { return !bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t taken = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return taken;
  }
  std::size_t below(std::size_t limit) { return byte() % limit; }
  // Mostly small numbers and addresses that mappings have; sometimes an extreme one, or any.
  std::uint64_t number() {
    constexpr std::array<std::uint64_t, 16> kHostile{
        0,           1,          0x7fff'ffff, 0x8000'0000,          0xffff'ffff, ~0ULL,
        ~0ULL << 1,  ~0ULL - 7,  1ULL << 63,  (1ULL << 63) - 1,     ~0ULL - 511, ~0ULL - 127,
        ~0ULL - 639, 1ULL << 61, 0x40'0000,   0xffff'ffff'8100'0000};
    const std::uint8_t kind = byte();
    if (kind < 128) return 0x40'0000 + kind % 8 * 0x1000U + kind / 8;
    if (kind < 192) return kind - 128U;
    if (kind < 240) return kHostile[kind % kHostile.size()];
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) number = number << 8 | byte();
    return number;
  }
  std::uint32_t pid() {
    return byte() < 240 ? 100 + byte() % 4U : static_cast<std::uint32_t>(number());
  }
  std::string name() {
    constexpr std::array<std::string_view, 10> kNames{"app",
                                                      "//anon",
                                                      "[kernel.kallsyms]_text",
                                                      "[vdso]",
                                                      "/no/such/file",
                                                      "",
                                                      "/no/such (deleted)",
                                                      "\x1b[31m\xe2\x80\xae",
                                                      "bpf_prog_1",
                                                      "/no/jit-100.dump"};
    return std::string(kNames[below(kNames.size())]) + std::string(byte() / 16, 'x');
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Appends numbers in this machine's byte order.
class Packed {
 public:
  template <class Number>
  Packed& add(Number number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Packed& u16(std::uint64_t number) { return add(static_cast<std::uint16_t>(number)); }
  Packed& u32(std::uint64_t number) { return add(static_cast<std::uint32_t>(number)); }
  Packed& u64(std::uint64_t number) { return add(number); }
  Packed& padded(std::string_view bytes) {
    text.append(bytes).append(8 - bytes.size() % 8, '\0');
    return *this;
  }
  std::string text;
};

std::string record(std::uint64_t type, std::uint64_t misc, const std::string& body) {
  return Packed().u32(type).u16(misc).u16(8 + body.size()).text + body;
}

// The fields that samples can have here, in the kernel's order: IP, TID, TIME, ID, CPU, PERIOD,
// CALLCHAIN, BRANCH_STACK.
constexpr std::array<unsigned, 8> kBits{0, 1, 2, 6, 7, 8, 5, 11};

std::string sample(Choices& choices, std::uint64_t fields) {
  Packed body;
  for (const unsigned bit : kBits) {
    if ((fields >> bit & 1) == 0) continue;
    if (bit == 1) body.u32(choices.pid()).u32(choices.pid());
    if (bit == 6) body.u64(choices.below(4));
    if (bit == 5 || bit == 11) {
      const std::size_t count = choices.below(12);
      body.u64(choices.byte() < 250 ? count : choices.number());
      for (std::size_t i = 0; i < count * (bit == 11 ? 3 : 1); ++i) body.u64(choices.number());
    }
    if (bit != 1 && bit != 6 && bit != 5 && bit != 11) body.u64(choices.number());
  }
  return record(9, choices.byte() < 200 ? 2 : choices.below(8), body.text);
}

std::string other_record(Choices& choices) {
  Packed body;
  switch (choices.below(10)) {
    case 0:
    case 1:
      body.u32(choices.pid()).u32(choices.pid());
      for (int i = 0; i < 3; ++i) body.u64(choices.number());
      return record(1, choices.below(3), body.padded(choices.name()).text);
    case 2:
      body.u32(choices.pid()).u32(choices.pid());
      for (int i = 0; i < 7; ++i) body.u64(choices.number());
      return record(10, choices.below(2) << 14 | 2, body.padded(choices.name()).text);
    case 3:
      body.u32(choices.pid()).u32(choices.pid());
      return record(3, choices.below(2) << 13, body.padded(choices.name()).text);
    case 4:
    case 5:
      for (int i = 0; i < 4; ++i) body.u32(choices.pid());
      return record(choices.below(4) == 0 ? 4 : 7, 0, body.u64(choices.number()).text);
    case 6:
      return record(68, 0, "");
    case 7:
      for (int i = 0; i < 3; ++i) body.u64(choices.number());
      return record(choices.below(30), choices.byte(), body.text);
    case 8:
      for (int i = 0; i < 2; ++i) body.u64(choices.number());
      return record(64 + choices.below(20), choices.byte(), body.padded(choices.name()).text);
    default:
      body.u64(choices.number()).u32(choices.number()).u16(1).u16(choices.below(2));
      return record(17, 0, body.padded(choices.name()).text);
  }
}

std::string attr(Choices& choices, std::uint64_t fields) {
  Packed made;
  made.u32(choices.byte() < 200 ? 1 : choices.below(6)).u32(64).u64(choices.below(4));
  made.u64(choices.byte() < 200 ? 1000 : choices.number()).u64(fields).u64(0);
  // inherit, freq, and sample_id_all with context_switch; or any flags
  constexpr std::uint64_t kTellsSwitches = 1U << 18 | 1U << 26;
  made.u64(choices.byte() < 200
               ? choices.below(2) << 1 | choices.below(2) << 10 | choices.below(2) * kTellsSwitches
               : choices.number());
  made.text.resize(64);
  return made.text;
}

std::string recording_of(Choices& choices) {
  std::uint64_t fields = 1;  // samples have an address
  const std::uint8_t chosen = choices.byte();
  for (std::size_t i = 1; i < kBits.size(); ++i)
    if ((chosen >> i & 1) != 0) fields |= std::uint64_t{1} << kBits[i];
  const bool stream = choices.below(2) == 0;
  const std::size_t events = 1 + choices.below(3);
  std::vector<std::string> attrs;
  for (std::size_t i = 0; i < events; ++i) attrs.push_back(attr(choices, fields));
  std::string data;
  while (choices.any())
    data += choices.byte() < 128 ? sample(choices, fields) : other_record(choices);
  if (stream) {
    std::string whole = "PERFILE2" + Packed().u64(16).text;
    for (std::size_t i = 0; i < events; ++i)
      whole += record(64, 0, attrs[i] + Packed().u64(i + 1).text);
    return whole + data;
  }
  Packed head;
  const std::size_t attrs_at = 104 + 8 * events;
  const std::size_t data_at = attrs_at + events * 80;
  head.text = "PERFILE2";
  head.u64(104).u64(80).u64(attrs_at).u64(events * 80).u64(data_at).u64(data.size());
  for (int i = 0; i < 6; ++i) head.u64(0);  // no event types and no features
  for (std::size_t i = 0; i < events; ++i) head.u64(i + 1);
  for (std::size_t i = 0; i < events; ++i) {
    head.text += attrs[i];
    head.u64(104 + 8 * i).u64(8);
  }
  return head.text + data;
}

std::size_t size_of(const tacho::TextWriter& write) {
  std::size_t size = 0;
  write([&](std::string_view piece) { size += piece.size(); });
  return size;
}

void report(tacho::perfdata::Reader& reader) {
  tacho::Profile profile;
  profile.keep_samples();
  profile.keep_owners();
  constexpr int kMostRecords = 100'000;
  for (int records = 0; records < kMostRecords; ++records) {
    const auto record = reader.next();
    if (!record || *record == nullptr) break;
    profile.add(**record, reader.description());
  }
  const tacho::perfdata::Description& described = reader.description();
  profile.finish(described);
  if (described.events.empty() || profile.events() == 0) return;
  tacho::SymbolSources none;  // reading this machine's kernel takes a thousand times as long
  none.kallsyms = none.perf_maps = "/no/such";
  tacho::Resolver resolver(profile.modules(), described, none);
  for (const auto sort :
       {tacho::SortBy::function, tacho::SortBy::instruction, tacho::SortBy::thread}) {
    const tacho::ProfileSummary summary =
        tacho::summarize(profile, described, resolver, sort, 0, {});
    const std::string text = tacho::profile_text(summary, 0, {});
    demand(!text.contains('\x1b') && !tacho::profile_json(summary, 0, "0").empty());
  }
  (void)tacho::call_tree(profile, resolver, 0, "event", {});
  const tacho::ProfileExport all{
      .profile = profile, .recording = described, .resolver = resolver, .version = "0"};
  demand(size_of(tacho::profile_firefox(all)) > 0 && !tacho::profile_speedscope(all).empty());
  (void)size_of(tacho::profile_folded(all));
  (void)tacho::profile_pprof(all);
}

// The report of times off the CPU, if the recording tells them.
void report_waits(const std::string& path) {
  static const tacho::WaitReasons reasons = tacho::WaitReasons::parse(
                                                "[[wait]]\nname='a'\nwords='b'\nfunctions=['c']\n"
                                                "[[ready]]\nname='d'\nwords='e'\nfunctions=['f']\n",
                                                "waits.toml")
                                                .value();
  tacho::RecordingInput input;
  input.file = path;
  input.view = tacho::WallView::apart;
  const auto recorded = tacho::read_profile(input, tacho::SampleDetails::times);
  if (!recorded) return;
  const tacho::perfdata::Description& described = recorded->description();
  tacho::SymbolSources none;
  none.kallsyms = none.perf_maps = "/no/such";
  tacho::Resolver resolver(recorded->profile.modules(), described, none);
  const tacho::WallSummary summary = tacho::summarize_wall(*recorded, resolver, reasons);
  const tacho::ThreadTimes& all = summary.all;
  demand(all.running_ns + all.ready_ns + all.waiting_ns + all.unknown_ns == all.life_ns());
  demand(!tacho::wall_text(summary, 0, {}).contains('\x1b'));
  demand(!tacho::wall_json(summary, "0").empty() && !tacho::wall_csv(summary).empty());
  input.choice.times = {{.from_ns = 100, .to_ns = 5'000}, {.from_ns = 2'000, .to_ns = 9'000}};
  if (const auto part = tacho::read_profile(input, tacho::SampleDetails::times)) {
    tacho::Resolver names(part->profile.modules(), part->description(), none);
    demand(tacho::summarize_wall(*part, names, reasons).all.life_ns() <= all.life_ns());
  }
  for (const auto view : {tacho::WallView::off_cpu, tacho::WallView::together})
    if (auto reader = tacho::perfdata::Reader::open(path))
      if (const auto wall = tacho::open_wall_reader(std::move(*reader), view)) report(**wall);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  Choices choices(data, size);
  const std::string whole = recording_of(choices);
  demand(::ftruncate(file, static_cast<off_t>(whole.size())) == 0);
  demand(::pwrite(file, whole.data(), whole.size(), 0) == static_cast<ssize_t>(whole.size()));
  const auto reader = tacho::perfdata::Reader::open(path);
  demand(reader.has_value());  // its header is valid
  report(**reader);
  report_waits(path);
  return 0;
}
