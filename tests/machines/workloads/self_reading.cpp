// self_reading EVENT[,EVENT…] CPU:MILLISECONDS…: a program that counts itself with tacho's library,
// and reads its counters all the time while it moves from CPU to CPU. Prints JSON:
// - "used": the CPU time in nanoseconds that it used on each CPU, as on_cpus;
// - "reads", "refused", "backward": readings; those refused; values below the one before;
// - "method": the ReadMethod as a number, "explain": its line;
// - "counts": for each event its status (CountStatus as a number), value, share and error.
#include <string>
#include <tacho/counters.hpp>
#include <vector>

#include "cpu_stretches.hpp"

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == ',')
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

struct Readings {
  unsigned long long reads = 0;
  unsigned long long refused = 0;
  unsigned long long backward = 0;
  std::vector<std::uint64_t> last;

  void take(tacho::Counters& counters) {
    std::vector<std::uint64_t> now = last;
    ++reads;
    if (!counters.read(now.data())) {
      ++refused;
      return;
    }
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] < last[i]) ++backward;
    last = now;
  }
};

void print_text(const std::string& text) {
  std::printf("\"");
  for (const char letter : text)
    std::printf(letter == '"' || letter == '\\' ? "\\%c" : "%c", letter);
  std::printf("\"");
}

void print_counts(tacho::Counters& counters) {
  const char* separator = "[";
  for (const tacho::Count& count : counters.counts()) {
    std::printf("%s{\"status\": %d, \"value\": %.0f, \"share\": %.6f, \"error\": ", separator,
                static_cast<int>(count.status), count.value, count.share);
    print_text(count.error.what);
    std::printf("}");
    separator = ", ";
  }
  std::printf("]");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  auto counters = tacho::Counters::open(split(argv[1]));
  Readings readings;
  readings.last.resize(counters.size());
  CpuStretches stretches;
  for (int i = 2; i < argc; ++i) {
    const auto stretch = parse_stretch(argv[i]);
    if (!stretch || !stretches.use(*stretch, [&] { readings.take(counters); })) return 2;
  }
  std::printf("{\"used\": ");
  stretches.print();
  std::printf(
      ", \"reads\": %llu, \"refused\": %llu, \"backward\": %llu, \"method\": %d, \"explain\": ",
      readings.reads, readings.refused, readings.backward,
      static_cast<int>(counters.read_method()));
  print_text(counters.explain());
  std::printf(", \"counts\": ");
  print_counts(counters);
  std::printf("}\n");
  return 0;
}
