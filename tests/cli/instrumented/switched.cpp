// Regions that are turned on and off.
//   switched ends          executions that begin or end while regions are off; writes the report
//   switched late          regions are turned on after 0.1 s, and the report is text
//   switched never         a report, and regions were never on
//   switched off_at_once   regions are off again when the first one begins to measure its cost
//   switched serve [NAME]  regions until standard input ends, and a line for each one that it reads
#include <unistd.h>

#include <tacho/tacho.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <tacho/caliper.hpp>
#include <tacho/report.hpp>
#include <thread>

namespace {

tacho::RegionSite site("explicit");
tacho::RegionSite outer("outer");

void executions(int times) {
  for (int i = 0; i < times; ++i) {
    TACHO_REGION("whole");
  }
}

void turned(bool on) {
  if (on)
    tacho::regions_on();
  else
    tacho::regions_off();
}

// Begins while regions are `before` and ends while they are `after`, in three ways.
void across(bool before, bool after) {
  turned(before);
  {
    TACHO_REGION("scope");
    turned(after);
  }
  turned(before);
  site.begin();
  turned(after);
  site.end();
  turned(before);
  const tacho_region in_c = tacho_region_named("C");
  tacho_region_begin(in_c);
  turned(after);
  tacho_region_end(in_c);
}

// An execution that was off in between, and a recursive one whose inner begin came while it was.
void across_a_pause() {
  tacho::regions_on();
  outer.begin();
  tacho::regions_off();
  outer.begin();
  tacho::regions_on();
  outer.end();
  outer.end();
}

void ends() {
  executions(5);
  for (int i = 0; i < 3; ++i) {
    across(false, true);
    across(true, false);
  }
  across_a_pause();
  tacho::regions_on();
  executions(7);
  across(true, true);
  tacho::regions_off();
  executions(9);
  tacho_write_regions("json", nullptr);
}

void late() {
  executions(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  tacho::regions_on();
  executions(7);
  tacho_write_regions("text", nullptr);
}

void never() {
  executions(5);
  std::fputs(tacho::to_text(tacho::region_report()).c_str(), stdout);
  tacho_write_regions("text", nullptr);
}

// Whatever the order, the cost that the next thread measures is right.
void off_at_once() {
  std::atomic<bool> done{false};
  std::thread switching([&] {
    while (!done) {
      tacho::regions_on();
      tacho::regions_off();
    }
  });
  for (int i = 0; i < 200; ++i) std::thread(executions, 3).join();
  done = true;
  switching.join();
  tacho::regions_on();
  executions(1000);
  tacho_write_regions("json", nullptr);
}

void serve(const char* name) {
  tacho::RegionSite served(name);
  std::atomic<bool> done{false};
  std::thread reading([&] {
    for (char c = 0; read(STDIN_FILENO, &c, 1) == 1;)
      std::puts(tacho::regions_are_on() ? "on" : "off");
    done = true;
  });
  {
    const tacho::Region region(served);
  }
  std::puts("ready");
  while (!done) {
    const tacho::Region region(served);
    usleep(100);
  }
  reading.join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (mode == "ends") ends();
  if (mode == "late") late();
  if (mode == "never") never();
  if (mode == "off_at_once") off_at_once();
  if (mode == "serve") serve(argc > 2 ? argv[2] : "served");
}
