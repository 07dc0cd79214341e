// Executions that are begun and not ended, each kind by its name; and others that only look so.
#include <csetjmp>
#include <cstring>
#include <string>
#include <tacho/caliper.hpp>
#include <thread>
#include <utility>

namespace {

constexpr int kTimes = 1000;

void work() {
  for (volatile int k = 0; k < 100; k = k + 1) {
  }
}

void other() {
  TACHO_REGION("other");
  work();
}

tacho::RegionSite parse("parse");

// One early return without an end.
[[gnu::noinline]] void parse_with_return(int i) {
  parse.begin();
  work();
  if (i == 100) return;
  parse.end();
}
void missed_end() {
  for (int i = 0; i < kTimes; ++i) {
    parse_with_return(i);
    other();
  }
}
void missed_end_alone() {
  for (int i = 0; i < kTimes; ++i) parse_with_return(i);
}

// As an interpreter that leaves functions at an error.
jmp_buf back;
[[gnu::noinline]] void parse_with_jump(int i) {
  parse.begin();
  work();
  if (i % 10 == 0) longjmp(back, 1);
  parse.end();
}
void jumps() {
  for (volatile int i = 0; i < kTimes; i = i + 1) {
    if (setjmp(back) == 0) parse_with_jump(i);
    other();
  }
}

// As a coroutine that is resumed by another thread.
[[gnu::noinline]] void begin_here() {
  parse.begin();
}
void ends_elsewhere() {
  for (int i = 0; i < 200; ++i) {
    begin_here();
    std::thread([] { parse.end(); }).join();
    other();
  }
}

// Different code each time, so more than 64 regions stay open.
template <int kNumber>
[[gnu::noinline]] void leave_open() {
  static const std::string name = std::to_string(kNumber);
  static tacho::RegionSite site(name);
  char frame[static_cast<std::size_t>(64 + 16 * (kNumber % 10))];
  asm volatile("" ::"r"(frame) : "memory");
  site.begin();
}
template <int... kNumbers>
void leave_all_open(std::integer_sequence<int, kNumbers...>) {
  (leave_open<kNumbers>(), ...);
}
void many() {
  leave_all_open(std::make_integer_sequence<int, 100>());
  other();
}

// Begins and ends in functions of their own, as a program's own macros and classes have them. The
// functions that begin have returned long before the end.
[[gnu::noinline]] void start(tacho::RegionSite& site) {
  char frame[100];
  asm volatile("" ::"r"(frame) : "memory");
  site.begin();
}
[[gnu::noinline]] void stop(tacho::RegionSite& site) {
  site.end();
}
[[gnu::noinline]] void recursive(int depth) {
  start(parse);
  other();
  if (depth > 0) recursive(depth - 1);
  stop(parse);
}
void wrapped() {
  for (int i = 0; i < kTimes; ++i) recursive(i % 3);
}

// A region from one callback of an event loop to another one.
void callbacks() {
  for (int i = 0; i < kTimes; ++i) {
    start(parse);
    other();
    stop(parse);
  }
}

struct Kind {
  const char* name;
  void (*run)();
};
constexpr Kind kKinds[] = {{"missed_end", missed_end},
                           {"missed_end_alone", missed_end_alone},
                           {"jumps", jumps},
                           {"ends_elsewhere", ends_elsewhere},
                           {"many", many},
                           {"wrapped", wrapped},
                           {"callbacks", callbacks}};

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const Kind& kind : kKinds)
      if (std::strcmp(argv[i], kind.name) == 0) kind.run();
}
