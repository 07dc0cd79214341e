// read_cost EVENTS…: measures what a read of counters costs, with these counters themselves. Each
// list of events is read again and again. The growth of its first event (instructions:u or
// instructions) between two reads is the cost of one read. Prints a line
// "EVENTS METHOD COST EXPLANATION" for each list. COST is the least of many.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tacho/counters.hpp"

namespace {

constexpr int kReadings = 1000;
constexpr std::array kWays = {"none", "user_page", "registers", "system_call"};

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    tacho::Counters counters = tacho::Counters::open(names_in(argv[i]));
    for (std::size_t event = 0; event < counters.size(); ++event) {
      if (const tacho::Error* error = counters.error(event)) {
        std::fprintf(stderr, "%s: %s\n", counters.name(event).c_str(), error->what.c_str());
        return 1;
      }
    }
    std::array<std::uint64_t, tacho::Counters::kMaxEvents> before{};
    std::array<std::uint64_t, tacho::Counters::kMaxEvents> after{};
    std::uint64_t least = ~std::uint64_t{0};
    for (int reading = 0; reading < kReadings; ++reading) {
      if (!counters.read(before.data()) || !counters.read(after.data())) return 1;
      least = std::min(least, after[0] - before[0]);
    }
    std::printf("%s %s %llu %s\n", argv[i],
                kWays.at(static_cast<std::size_t>(counters.read_method())),
                static_cast<unsigned long long>(least), counters.explain().c_str());
  }
  return 0;
}
