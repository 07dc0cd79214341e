// compiled_code KIND MILLISECONDS FILE: runs code that it writes into memory, as a JIT compiler
// does, and describes it in FILE.
//   map   a perf map in which later lines replace earlier ones: the code that runs is same_place,
//         within_larger and over_smaller
//   dump  a jitdump: first_at_place runs, then second_at_place at the same address
// FILE may have %d for the process's number. Exits with 77 on processors that it has no code for.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

// A function with an int: it counts it down to 0.
#if defined(__x86_64__)
constexpr std::uint32_t kMachine = 62;  // EM_X86_64
constexpr unsigned char kSpin[] = {0x89, 0xf9, 0xff, 0xc9, 0x75, 0xfc, 0xc3, 0x90};
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = 183;  // EM_AARCH64
constexpr unsigned char kSpin[] = {0x00, 0x04, 0x00, 0x71, 0xe1, 0xff,
                                   0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#else
constexpr std::uint32_t kMachine = 0;
constexpr unsigned char kSpin[] = {0};
#endif
constexpr std::uint64_t kSecond = 1'000'000'000;  // ns

std::uint64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * kSecond +
         static_cast<std::uint64_t>(time.tv_nsec);
}

void spin(unsigned char* code, double milliseconds) {
  const auto until = now(CLOCK_THREAD_CPUTIME_ID) + static_cast<std::uint64_t>(milliseconds * 1e6);
  while (now(CLOCK_THREAD_CPUTIME_ID) < until) reinterpret_cast<void (*)(int)>(code)(100'000);
}

void put(unsigned char* code) {
  std::memcpy(code, kSpin, sizeof kSpin);
  __builtin___clear_cache(reinterpret_cast<char*>(code),
                          reinterpret_cast<char*>(code + sizeof kSpin));
}

int run_map(unsigned char* code, double milliseconds, const std::string& path) {
  std::FILE* map = std::fopen(path.c_str(), "w");
  if (map == nullptr) return 1;
  struct Line {
    unsigned offset, size;
    const char* name;
  };
  for (const Line& each : {Line{0, 0x40, "gone_and_longer_name"}, Line{0, 0x40, "same_place"},
                           Line{0x100, 0x100, "gone_larger"}, Line{0x140, 0x40, "within_larger"},
                           Line{0x240, 0x20, "gone_smaller"}, Line{0x200, 0x100, "over_smaller"}})
    std::fprintf(map, "%lx %x %s\n", reinterpret_cast<unsigned long>(code + each.offset), each.size,
                 each.name);
  std::fclose(map);
  for (const unsigned offset : {0U, 0x140U, 0x240U}) {
    put(code + offset);
    spin(code + offset, milliseconds / 3);
  }
  return 0;
}

void write_load(std::FILE* dump, unsigned char* code, const std::string& name,
                std::uint64_t number) {
  const auto pid = static_cast<std::uint32_t>(getpid());
  const auto address = reinterpret_cast<std::uint64_t>(code);
  const std::string file = "made_up.js";
  // The lines: the loop begins at the second instruction.
  const std::uint32_t second = kMachine == 62 ? 2 : 4;
  const auto lines_size = static_cast<std::uint32_t>(16 + 16 + 2 * (16 + file.size() + 1));
  struct {
    std::uint32_t type, size;
    std::uint64_t time, address, count;
  } lines{2, lines_size, now(CLOCK_MONOTONIC), address, 2};
  std::fwrite(&lines, sizeof lines, 1, dump);
  for (std::uint32_t i = 0; i < 2; ++i) {
    struct {
      std::uint64_t address;
      std::uint32_t line, column;
    } entry{address + i * second, static_cast<std::uint32_t>(10 * number + i), 0};
    std::fwrite(&entry, sizeof entry, 1, dump);
    std::fwrite(file.c_str(), file.size() + 1, 1, dump);
  }
  struct {
    std::uint32_t type, size;
    std::uint64_t time;
    std::uint32_t pid, tid;
    std::uint64_t address, code_address, code_size, number;
  } load{0,
         static_cast<std::uint32_t>(56 + name.size() + 1 + sizeof kSpin),
         now(CLOCK_MONOTONIC),
         pid,
         pid,
         address,
         address,
         sizeof kSpin,
         number};
  std::fwrite(&load, sizeof load, 1, dump);
  std::fwrite(name.c_str(), name.size() + 1, 1, dump);
  std::fwrite(kSpin, sizeof kSpin, 1, dump);
}

int run_dump(unsigned char* code, double milliseconds, const std::string& path) {
  std::FILE* dump = std::fopen(path.c_str(), "w+");
  if (dump == nullptr) return 1;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // The recorder sees this mapping, and so learns of the file.
  if (mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
    return 1;
  struct {
    std::uint32_t magic, version, size, machine, padding, pid;
    std::uint64_t time, flags;
  } header{0x4A695444,           1, 40, kMachine, 0, static_cast<std::uint32_t>(getpid()),
           now(CLOCK_MONOTONIC), 0};
  std::fwrite(&header, sizeof header, 1, dump);
  put(code);
  write_load(dump, code, "first_at_place", 1);
  spin(code, milliseconds / 2);
  write_load(dump, code, "second_at_place", 2);
  spin(code, milliseconds / 2);
  std::fclose(dump);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  if (kMachine == 0) return 77;
  std::string path = argv[3];
  if (const std::size_t at = path.find("%d"); at != path.npos)
    path.replace(at, 2, std::to_string(getpid()));
  void* memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  auto* code = static_cast<unsigned char*>(memory);
  const double milliseconds = std::atof(argv[2]);
  return std::strcmp(argv[1], "map") == 0 ? run_map(code, milliseconds, path)
                                          : run_dump(code, milliseconds, path);
}
