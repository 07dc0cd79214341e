// Prints what a recording holds: read_recording FILE. A line for each record in the order in which
// it is read: "sample TIME PID TID IP PERIOD CHAIN BRANCHES EVENT" (lengths of the call chain and
// the branch stack, "-" for what is not told) or its kind; then "error WHAT" if there was one.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <variant>

#include "perfdata/reader.hpp"

namespace {

using namespace tacho::perfdata;

template <class T>
void print(const std::optional<T>& told) {
  if (told)
    std::printf(" %lld", static_cast<long long>(*told));
  else
    std::printf(" -");
}

void print_sample(const Sample& sample, const Description& description) {
  std::printf("sample");
  print(sample.time_ns);
  print(sample.pid);
  print(sample.tid);
  std::printf(" %" PRIx64, sample.ip.value_or(0));
  print(sample.period);
  std::printf(" %zu %zu %s\n", sample.chain.size(), sample.branches.size(),
              description.events[sample.event].name.c_str());
}

struct Kind {
  const char* operator()(const Sample&) const { return "sample"; }
  const char* operator()(const Mapping&) const { return "mapping"; }
  const char* operator()(const Command&) const { return "command"; }
  const char* operator()(const Fork&) const { return "fork"; }
  const char* operator()(const Exit&) const { return "exit"; }
  const char* operator()(const Lost&) const { return "lost"; }
  const char* operator()(const Throttle&) const { return "throttle"; }
  const char* operator()(const Switch&) const { return "switch"; }
};

int fail(const tacho::Error& error) {
  std::printf("error %s; %s\n", error.what.c_str(), error.remedy.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto reader = Reader::open(argv[1]);
  if (!reader) return fail(reader.error());
  for (;;) {
    const auto record = (*reader)->next();
    if (!record) return fail(record.error());
    if (*record == nullptr) return 0;
    if (const auto* sample = std::get_if<Sample>(&(*record)->what))
      print_sample(*sample, (*reader)->description());
    else
      std::printf("%s\n", std::visit(Kind(), (*record)->what));
  }
}
