// perf_calls CALL… [CPU:MILLISECONDS…]: makes calls of perf_event_open as the words say. Then it
// uses CPU time as on_cpus does, and reads the counters. A CALL is a list: type=0,config=0,group=1.
// It has
// - attributes: type, size, config, config1, config2, sample_type, branch, period, freq, precise;
//   flags is a number, see struct perf_event_attr;
// - pid (0: itself), cpu, and group: the place of an earlier call, from 0;
// - beyond=1: the bytes behind the attributes are set; unreadable=1: there are no attributes;
//   close=1: the descriptor is closed at once.
// Prints JSON: "calls" ("ok" or the errno), "used" (nanoseconds on each CPU), "readings" ([value,
// enabled, running] or null) and "sizes" (what the kernel left in the attributes' size).
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cpu_stretches.hpp"

namespace {

constexpr std::size_t kFlagsAt = 40;  // offset in struct perf_event_attr
constexpr std::uint64_t kPreciseShift = 15;
constexpr std::uint64_t kFreqShift = 10;

struct Opened {
  int fd = -1;
  int code = 0;
  std::uint32_t size = 0;
};

// The number behind a key, or `otherwise`.
std::int64_t value_of(const std::string& call, const std::string& key, std::int64_t otherwise) {
  const std::string text = "," + call;
  const auto at = text.find("," + key + "=");
  if (at == std::string::npos) return otherwise;
  return static_cast<std::int64_t>(std::strtoull(text.c_str() + at + key.size() + 2, nullptr, 0));
}

Opened open(const std::string& call, const std::vector<Opened>& before) {
  std::array<std::byte, 256> raw{};
  perf_event_attr attr{};
  const auto number = [&](const char* key, std::int64_t otherwise = 0) {
    return static_cast<std::uint64_t>(value_of(call, key, otherwise));
  };
  attr.type = static_cast<std::uint32_t>(number("type"));
  attr.size = static_cast<std::uint32_t>(number("size", PERF_ATTR_SIZE_VER7));
  attr.config = number("config");
  attr.config1 = number("config1");
  attr.config2 = number("config2");
  attr.sample_type = number("sample_type");
  attr.branch_sample_type = number("branch");
  const std::uint64_t freq = number("freq");
  attr.sample_period = freq != 0 ? freq : number("period");
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  std::memcpy(raw.data(), &attr, sizeof attr);
  const std::uint64_t flags =
      number("flags") | number("precise") << kPreciseShift | std::uint64_t{freq != 0} << kFreqShift;
  std::memcpy(raw.data() + kFlagsAt, &flags, sizeof flags);
  std::memset(raw.data() + sizeof attr, static_cast<int>(number("beyond")),
              raw.size() - sizeof attr);

  const std::int64_t leader = value_of(call, "group", -1);
  const int group = leader < 0 ? -1 : before.at(static_cast<std::size_t>(leader)).fd;
  void* attributes = number("unreadable") != 0 ? nullptr : raw.data();
  const long fd = ::syscall(SYS_perf_event_open, attributes, static_cast<int>(number("pid")),
                            static_cast<int>(number("cpu", -1)), group, PERF_FLAG_FD_CLOEXEC);
  Opened opened{.fd = static_cast<int>(fd), .code = fd < 0 ? errno : 0, .size = 0};
  std::memcpy(&attr, raw.data(), sizeof attr);
  opened.size = attr.size;
  if (fd >= 0 && number("close") != 0) ::close(opened.fd);
  return opened;
}

void print_reading(int fd) {
  std::array<unsigned long long, 3> reading{};
  if (fd < 0 || ::read(fd, reading.data(), sizeof reading) != sizeof reading)
    std::printf("null");
  else
    std::printf("[%llu, %llu, %llu]", reading[0], reading[1], reading[2]);
}

template <class Function>
void print_list(const char* name, const std::vector<Opened>& all, Function print) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) std::printf(", ");
    print(all[i]);
  }
  std::printf("]");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Opened> opened;
  std::vector<Stretch> wanted;
  for (int i = 1; i < argc; ++i) {
    if (const auto stretch = parse_stretch(argv[i]))
      wanted.push_back(*stretch);
    else
      opened.push_back(open(argv[i], opened));
  }
  CpuStretches stretches;
  for (const Stretch& stretch : wanted)
    if (!stretches.use(stretch, [] {})) return 2;
  std::printf("{");
  print_list("calls", opened, [](const Opened& each) {
    std::printf("\"%s\"", each.code == 0 ? "ok" : ::strerrorname_np(each.code));
  });
  std::printf(", \"used\": ");
  stretches.print();
  std::printf(", ");
  print_list("readings", opened, [](const Opened& each) { print_reading(each.fd); });
  std::printf(", ");
  print_list("sizes", opened, [](const Opened& each) { std::printf("%u", each.size); });
  std::printf("}\n");
  return 0;
}
