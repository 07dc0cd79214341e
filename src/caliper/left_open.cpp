// Frames whose execution was left open, and the name of the code that began it.
#include "caliper/left_open.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "caliper/add_note.hpp"
#include "caliper/region_gate.hpp"

namespace tacho::caliper {
namespace {

// A begin in a function of its own (a wrapper, or Region's constructor without optimisation) has a
// lower stack pointer than the function that it works for: by less than this many bytes.
constexpr std::uintptr_t kFrameOfWrapper = 256;

// The highest stack pointer of a begin after that of the frame. Of the executions that have ended,
// the last one at each depth is known.
std::uintptr_t highest_since(const Thread& thread, std::size_t at, BeginPlace place) {
  const Frame& frame = thread.frames[at];
  std::uintptr_t highest = place.stack;
  for (std::size_t i = at + 1; i < thread.frames.size(); ++i) {
    const Frame& later = thread.frames[i];
    if (static_cast<std::int64_t>(later.ticks - frame.ticks) > 0)
      highest = std::max(highest, later.place.stack);
  }
  return highest;
}

bool is_left_open(const Thread& thread, std::size_t at, BeginPlace place) {
  const BeginPlace& begun = thread.frames[at].place;
  if (begun.stack == place.stack && begun.code == place.code) return true;
  const std::uintptr_t highest = highest_since(thread, at, place);
  if (highest <= begun.stack) return false;
  return place.stack >= begun.stack || highest - begun.stack > kFrameOfWrapper;
}

}  // namespace

void drop_frame(Thread& thread, std::size_t at) noexcept {
  const Frame gone = thread.frames[at];
  if (gone.record != nullptr) {
    --gone.record->running;
    if (gone.measured) drop_notes(*gone.record);
    if (gone.measured && gone.record->is_gate) leave_gate();
    if (gone.measured && gone.record->left_open_by.get() == nullptr)
      gone.record->left_open_by.set(gone.place.code);
  }
  if (at > 0) {
    thread.frames[at - 1].inner.add(gone.inner);
    ++thread.frames[at - 1].inner.unmeasured;
  }
  for (std::size_t i = at + 1; i < thread.depth; ++i) {
    thread.frames[i - 1] = thread.frames[i];
    if (thread.starts != nullptr) thread.starts[i - 1] = thread.starts[i];
  }
  --thread.depth;
}

void drop_left_open(Thread& thread, std::uint32_t region, BeginPlace place) noexcept {
  for (std::size_t at = thread.depth; at-- > 0;) {
    if (thread.frames[at].region != region) continue;
    if (!is_left_open(thread, at, place)) return;
    drop_frame(thread, at);
  }
}

bool make_room(Thread& thread, BeginPlace place) noexcept {
  // What is nested deeper than the last frame has returned with it.
  if (place.stack > thread.frames.back().place.stack) thread.depth = Thread::kMaxDepth;
  if (thread.depth > Thread::kMaxDepth) return false;
  for (std::size_t at = thread.depth; at-- > 0;)
    if (highest_since(thread, at, place) > thread.frames[at].place.stack) drop_frame(thread, at);
  return thread.depth < Thread::kMaxDepth;
}

std::string name_of_code(const void* return_address) {
  // The call can be the last instruction of a function.
  const void* const call = static_cast<const char*>(return_address) - 1;
  const auto address = reinterpret_cast<std::uintptr_t>(call);
  Dl_info module{};
  if (::dladdr(call, &module) == 0 || module.dli_fname == nullptr)
    return fmt::format("{:#x}", address);
  const auto base = reinterpret_cast<std::uintptr_t>(module.dli_fbase);
  // Both formats have e_type at the same place.
  const bool fixed = static_cast<const Elf64_Ehdr*>(module.dli_fbase)->e_type == ET_EXEC;
  std::string_view file = module.dli_fname;
  file.remove_prefix(file.rfind('/') + 1);
  std::string name = fmt::format("{}+{:#x}", file, fixed ? address : address - base);
  if (module.dli_sname == nullptr) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(module.dli_sname, nullptr, nullptr, &status), &std::free);
  return fmt::format("{} ({})", name, plain != nullptr ? plain.get() : module.dli_sname);
}

}  // namespace tacho::caliper
