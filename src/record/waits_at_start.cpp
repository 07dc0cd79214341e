#include "record/waits_at_start.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/process_tree.hpp"
#include "perfdata/encode_records.hpp"
#include "perfdata/record.hpp"

namespace tacho {
namespace {

constexpr auto kKernelMark = static_cast<std::uint64_t>(-128);  // PERF_CONTEXT_KERNEL

// The numbers of the stack pointer and of the instruction pointer (asm/perf_regs.h).
#if defined(__x86_64__)
constexpr unsigned kStackPointer = 7, kInstructionPointer = 8;
#elif defined(__aarch64__)
constexpr unsigned kStackPointer = 31, kInstructionPointer = 32;
#else
constexpr unsigned kStackPointer = 13, kInstructionPointer = 15;
#endif

struct WaitingThread {
  // Functions of the kernel, the innermost first: a name, and the bytes from its beginning.
  std::vector<std::pair<std::string, std::uint64_t>> kernel = {};
  std::uint64_t stack_pointer = 0, instruction_pointer = 0;  // 0: not known
  std::vector<std::byte> stack = {};
};

// The lines of /proc/TID/stack: "[<0>] do_nanosleep+0x5e/0xe0 [module]". Only root may read it.
// /proc/TID/wchan has the name of the innermost function alone.
std::vector<std::pair<std::string, std::uint64_t>> kernel_functions(const std::string& folder) {
  std::vector<std::pair<std::string, std::uint64_t>> functions;
  std::istringstream text(read_file(folder + "/stack").value_or(""));
  for (std::string line; std::getline(text, line);) {
    std::array<char, 256> name{};
    unsigned long long offset = 0;
    if (std::sscanf(line.c_str(), "[<%*[^>]>] %255[^+]+%llx", name.data(), &offset) == 2)
      functions.emplace_back(name.data(), offset);
  }
  if (!functions.empty()) {
    // /proc leaves out functions that only sleep, such as mutex_lock. The innermost is schedule.
    functions.emplace(functions.begin(), "schedule", 1);
    return functions;
  }
  std::string innermost = first_line(folder + "/wchan");
  if (!innermost.empty() && innermost != "0") functions.emplace_back(std::move(innermost), 1);
  return functions;
}

// The last two numbers of /proc/TID/syscall. Its text is "running" if the thread does not wait.
void read_pointers(const std::string& folder, WaitingThread& thread) {
  std::istringstream text(first_line(folder + "/syscall"));
  for (std::string word; text >> word;)
    thread.stack_pointer =
        std::exchange(thread.instruction_pointer, std::strtoull(word.c_str(), nullptr, 16));
}

std::vector<std::byte> read_memory(const std::string& folder, std::uint64_t address,
                                   std::size_t most) {
  const Fd memory(::open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<std::byte> bytes(most);
  const ssize_t read =
      ::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(address));
  bytes.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return bytes;
}

// Nothing is known of one that does not wait.
WaitingThread look_at(const PresentThread& of, std::uint32_t stack_bytes) {
  const std::string folder = fmt::format("/proc/{}", of.tid);
  WaitingThread thread;
  if (!is_waiting(thread_state(of.tid))) return thread;
  thread.kernel = kernel_functions(folder);
  read_pointers(folder, thread);
  if (thread.stack_pointer != 0)
    thread.stack = read_memory(folder, thread.stack_pointer, stack_bytes);
  return thread;
}

// Whether the program has addresses of 64 bits: by its stack, or else by its file.
bool is_64bit(pid_t tid, std::uint64_t stack_pointer) {
  constexpr std::uint64_t kHighest32 = 0xffffffff;
  if (sizeof(void*) < sizeof(std::uint64_t)) return false;
  if (stack_pointer > kHighest32) return true;
  std::array<unsigned char, EI_NIDENT> head{};
  const Fd program(::open(fmt::format("/proc/{}/exe", tid).c_str(), O_RDONLY | O_CLOEXEC));
  return ::pread(program.get(), head.data(), head.size(), 0) != std::ssize(head) ||
         head[EI_CLASS] != ELFCLASS32;
}

// In the kernel's form. Empty if nothing is known.
std::vector<std::uint64_t> chain_of(const WaitingThread& thread, const KernelAddresses& addresses) {
  std::vector<std::uint64_t> chain;
  for (const auto& [name, offset] : thread.kernel) {
    const auto address = addresses.find(name);
    if (address == addresses.end()) continue;
    if (chain.empty()) chain.push_back(kKernelMark);
    chain.push_back(address->second + offset);
  }
  if (thread.instruction_pointer != 0) {
    chain.push_back(perfdata::kUserMark);
    chain.push_back(thread.instruction_pointer);
  }
  return chain;
}

std::vector<std::byte> sample_of(const PresentThread& of, const WaitingThread& thread,
                                 std::uint64_t time_ns, std::span<const std::uint64_t> chain,
                                 const perfdata::WrittenEvent& event) {
  const std::array registers{thread.stack_pointer, thread.instruction_pointer};
  perfdata::Sample sample;
  sample.mode =
      !chain.empty() && chain[0] == kKernelMark ? perfdata::Mode::kernel : perfdata::Mode::user;
  sample.ip = chain.empty() ? 0 : chain[1];
  sample.time_ns = time_ns;
  sample.pid = of.pid;
  sample.tid = of.tid;
  sample.chain = chain;
  sample.user_abi = thread.stack.empty() ? 0 : is_64bit(of.tid, thread.stack_pointer) ? 2 : 1;
  sample.user_mask =
      (std::uint64_t{1} << kStackPointer) | (std::uint64_t{1} << kInstructionPointer);
  sample.user_registers = registers;
  sample.user_stack = thread.stack;
  return perfdata::encode(sample, event);
}

}  // namespace

KernelAddresses kernel_addresses() {
  KernelAddresses addresses;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> symbols(
      std::fopen("/proc/kallsyms", "re"), [](std::FILE* file) { return std::fclose(file); });
  std::array<char, 512> line{};
  while (symbols && std::fgets(line.data(), line.size(), symbols.get()) != nullptr) {
    unsigned long long address = 0;
    std::array<char, 256> name{};
    if (std::sscanf(line.data(), "%llx %*c %255s", &address, name.data()) == 2 && address != 0)
      addresses.try_emplace(name.data(), address);
  }
  return addresses;
}

std::vector<std::byte> samples_of_threads(std::span<const PresentThread> threads,
                                          std::uint32_t stack_bytes,
                                          const perfdata::WrittenEvent& event,
                                          const KernelAddresses& addresses,
                                          const std::function<std::uint64_t()>& now) {
  std::vector<std::byte> records;
  for (const PresentThread& each : threads) {
    const WaitingThread thread = look_at(each, stack_bytes);
    const std::vector<std::uint64_t> chain = chain_of(thread, addresses);
    if (chain.empty() && thread_state(each.tid) != 'R') continue;
    const std::vector<std::byte> record = sample_of(each, thread, now(), chain, event);
    records.insert(records.end(), record.begin(), record.end());
  }
  return records;
}

std::vector<std::byte> samples_of_runnable(std::span<const PresentThread> threads,
                                           std::uint64_t time_ns,
                                           const perfdata::WrittenEvent& event) {
  std::vector<std::byte> records;
  for (const PresentThread& each : threads) {
    const std::vector<std::byte> record = sample_of(each, {}, time_ns, {}, event);
    records.insert(records.end(), record.begin(), record.end());
  }
  return records;
}

}  // namespace tacho
