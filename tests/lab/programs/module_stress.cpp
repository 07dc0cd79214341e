// module_stress MODULE.ko TIMES CPUS: loads and unloads the module TIMES times. Meanwhile threads
// read the cycle counter on every CPU and the module's status, perf counts now and then, and the
// last CPU goes offline and comes back. Prints how often each of these happened. Fails if a load or
// an unload fails, or if a status is wrong.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cycle_counter.hpp"

namespace {

std::atomic<bool> over = false;
std::atomic<long> loads = 0;
std::atomic<long> reads = 0;
std::atomic<long> refusals = 0;
std::atomic<long> statuses = 0;
std::atomic<long> sessions = 0;
std::atomic<long> switches = 0;
std::atomic<long> nonsense = 0;

// The other threads wait for a number of loads between their actions. A load takes 5 to 200 ms.
void wait_for_loads(long count) {
  const long until = loads + count;
  for (long now = loads; now < until && !over; now = loads) loads.wait(now);
}

void read_counter(int cpu) {
  while (!over) {
    cycle_counter::pin(cpu);  // again: a CPU that goes offline moves its threads away for ever
    for (int i = 0; i < 10; ++i) ++(cycle_counter::read() ? reads : refusals);
    ::usleep(10'000);
  }
}

void read_status(int cpus) {
  while (!over) {
    std::ifstream file("/proc/tacho_pmu");
    int seen = 0;
    std::string line;
    while (std::getline(file, line)) seen += line.starts_with("cpu ");
    if (seen == 0) {  // not loaded now
      ::usleep(1000);
      continue;
    }
    ++statuses;
    nonsense += seen != cpus;
    ::usleep(10'000);
  }
}

void use_perf() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  while (!over) {
    const auto event = static_cast<int>(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
    for (int i = 0; i < 100'000; ++i) asm volatile("");
    std::uint64_t count = 0;
    sessions += ::read(event, &count, sizeof count) == sizeof count && count > 0;
    ::close(event);
    wait_for_loads(3);
  }
}

void switch_cpu(int cpu) {
  const std::string file = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online";
  for (bool online = false; !over || online; online = !online) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    switches += ::write(descriptor, online ? "1" : "0", 1) == 1;
    ::close(descriptor);
    wait_for_loads(7);
  }
}

bool load_and_unload(int module) {
  if (::syscall(SYS_finit_module, module, "", 0) != 0) {
    std::fprintf(stderr, "load: %s\n", std::strerror(errno));
    return false;
  }
  ::usleep(2000);
  while (::syscall(SYS_delete_module, "tacho_pmu", O_NONBLOCK) != 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) continue;
    std::fprintf(stderr, "unload: %s\n", std::strerror(errno));
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int module = ::open(argv[1], O_RDONLY | O_CLOEXEC);
  const int cpus = std::atoi(argv[3]);
  cycle_counter::catch_refusals();
  std::vector<std::thread> threads;
  for (int cpu = 0; cpu < cpus; ++cpu) threads.emplace_back(read_counter, cpu);
  threads.emplace_back(read_status, cpus);
  threads.emplace_back(use_perf);
  if (cpus > 1) threads.emplace_back(switch_cpu, cpus - 1);
  const long times = std::atol(argv[2]);
  while (loads < times && load_and_unload(module)) {
    ++loads;
    loads.notify_all();
    if (loads % 25 == 0) ::usleep(15'000);  // so that every reader also finds it unloaded
  }
  const long done = loads;
  over = true;
  ++loads;
  loads.notify_all();
  for (std::thread& thread : threads) thread.join();
  std::printf(
      "loads %ld\nreads %ld\nrefusals %ld\nstatuses %ld\nnonsense %ld\nsessions %ld\nswitches "
      "%ld\n",
      done, reads.load(), refusals.load(), statuses.load(), nonsense.load(), sessions.load(),
      switches.load());
  return done == times && nonsense == 0 ? 0 : 1;
}
