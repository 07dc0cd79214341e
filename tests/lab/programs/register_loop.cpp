// register_loop EVENT ITERATIONS…: counts an event with the core's registers while this thread
// executes a loop of known work. Prints a line "ITERATIONS COUNT" for each loop.
#include <cstdio>
#include <cstdlib>

#include "events/find_data.hpp"
#include "pmu/registers/arm_registers.hpp"
#include "pmu/trust/known_loop.hpp"

namespace {

int fail(const tacho::Error& error) {
  std::fprintf(stderr, "%s\n", error.what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const auto cores = tacho::known_cores();
  if (!cores) return fail(cores.error());
  auto core = tacho::arm::open_core(*cores);
  if (!core) return fail(core.error());
  const tacho::Catalogue catalogue;
  tacho::arm::ArmRegistersPmu pmu(catalogue, std::move(*core));
  const auto event = pmu.resolve(argv[1]);
  if (!event) return fail(event.error());
  auto group = pmu.open({&*event, 1}, tacho::Self{}, tacho::Start::stopped);
  if (!group) return fail(group.error());
  tacho::Reading before;
  tacho::Reading after;
  for (int i = 2; i < argc; ++i) {
    const auto iterations = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
    before = after;
    if (auto on = (*group)->enable(); !on) return fail(on.error());
    tacho::run_known_loop(iterations);
    if (auto off = (*group)->disable(); !off) return fail(off.error());
    if (auto read = (*group)->read({&after, 1}); !read) return fail(read.error());
    if (after.running_ns < after.enabled_ns)
      return fail({.what = "it was disturbed", .remedy = ""});
    std::printf("%s %llu\n", argv[i], static_cast<unsigned long long>(after.value - before.value));
  }
  return 0;
}
