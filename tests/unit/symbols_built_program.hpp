// A program that is compiled for a test, and what binutils report about it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "events_made_up_tree.hpp"

namespace tacho {

inline std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  std::string text;
  std::array<char, 4096> buffer;
  while (pipe && ::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr)
    text += buffer.data();
  return text;
}

inline bool has_compiler() {
  return !output_of("c++ --version 2>/dev/null").empty();
}

// Has inlining, overloads, an unnamed namespace, and work that the compiler can't compute.
inline constexpr const char* kProgram = R"(#include <cstdio>
#include <cstdlib>
namespace {
volatile int sink;
inline __attribute__((always_inline)) int innermost(int x) {
  sink = x;
  return sink * 3;
}
inline __attribute__((always_inline)) int between(int x) {
  return innermost(x) + 1;
}
__attribute__((noinline)) int work(int x) {
  int sum = 0;
  for (int i = 0; i < x; ++i) sum += between(i);
  return sum;
}
}  // namespace
namespace space {
__attribute__((noinline)) double work(double x) { return x * sink; }
template <class T> __attribute__((noinline)) T twice(T x) { return x + x + sink; }
}  // namespace space
int main(int argc, char** argv) {
  std::printf("%d %f %d\n", work(argc > 1 ? std::atoi(argv[1]) : 10), space::work(2.5), space::twice(3));
}
)";

class BuiltProgram {
 public:
  explicit BuiltProgram(const std::string& flags = "-O2 -g") {
    tree_.write("program.cpp", kProgram);
    const std::string command =
        "cd " + tree_.path() + " && c++ " + flags + " -Wl,--build-id program.cpp -o program 2>&1";
    const std::string messages = output_of(command);
    if (!messages.empty()) ADD_FAILURE() << messages;
  }
  std::string path() const { return tree_.path("program"); }
  const MadeUpTree& tree() const { return tree_; }

  // The functions that nm finds, by name (mangled): address and size.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> functions() const {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
    std::istringstream lines(output_of("nm -S --defined-only " + path()));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string address;
      std::string size;
      std::string type;
      std::string name;
      if (words >> address >> size >> type >> name && (type == "T" || type == "t"))
        found[name] = {std::stoull(address, nullptr, 16), std::stoull(size, nullptr, 16)};
    }
    return found;
  }

 private:
  MadeUpTree tree_;
};

}  // namespace tacho
