#include "symbols/jit_lines.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "symbols/window.hpp"

namespace tacho::symbols {
namespace {

// From this distance to the start of its function on, code belongs to a line.
struct LineStart {
  std::uint64_t distance = 0;
  unsigned line = 0;
  std::uint32_t file = 0;  // index of its name
};

// V8 adds the size of an ELF header to the addresses of lines, because `perf inject` puts the code
// behind one (kElfHeaderSize in V8's src/diagnostics/perf-jit.cc).
constexpr std::uint64_t kElfHeader = 64;         // bytes
constexpr std::string_view kSameFile = "\xff";   // stands for the name of the entry before
constexpr std::string_view kScheme = "file://";  // of a JavaScript module's name

class JitLines final : public SourceLines {
 public:
  JitLines(std::span<const JitFunction> functions, ReadAt file, std::uint64_t size, bool swapped)
      : functions_(functions), file_(std::move(file)), size_(size), swapped_(swapped) {}

  std::optional<Frame> line_at(std::uint64_t offset) override {
    const JitFunction* function = function_at(functions_, offset);
    if (function == nullptr || function->lines_at == 0) return std::nullopt;
    const std::vector<LineStart>& starts = starts_of(*function);
    const auto after =
        std::ranges::upper_bound(starts, offset - function->offset, {}, &LineStart::distance);
    if (after == starts.begin()) return std::nullopt;
    const LineStart& found = *std::prev(after);
    return Frame{function->name, {}, names_[found.file], found.line};
  }

  std::vector<Frame> frames_at(std::uint64_t offset, Places /*places*/) override {
    auto frame = line_at(offset);
    return frame ? std::vector<Frame>{std::move(*frame)} : std::vector<Frame>();
  }

  std::string what_is_missing() const override { return {}; }

 private:
  const std::vector<LineStart>& starts_of(const JitFunction& function) {
    const auto [found, fresh] = starts_.try_emplace(function.offset);
    if (fresh) {
      found->second = read(function);
      if (has_elf_header()) shift(found->second);
      std::ranges::stable_sort(found->second, {}, &LineStart::distance);
    }
    return found->second;
  }

  // The fields after the header of the record: address of the code, number of entries; each entry
  // has an address, a line, a column and a file. Returns nothing if an entry cannot be right: Node
  // 20 writes freed memory in the place of names.
  std::vector<LineStart> read(const JitFunction& function) {
    std::vector<LineStart> starts;
    Window window(file_, size_, function.lines_at, swapped_);
    window.skip(4);
    const std::uint64_t end = function.lines_at + window.u32();
    window.skip(16);
    const std::uint64_t count = window.u64();
    std::uint32_t file = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t distance = window.u64() - function.address;
      const std::uint32_t line = window.u32();
      window.skip(4);
      auto name = window.text(end);
      if (!name || distance > function.size + kElfHeader || !is_file_name(*name)) return {};
      if (*name != kSameFile) file = number_of(std::move(*name));
      starts.push_back({distance, line, file});
    }
    constexpr std::uint64_t kMostPadding = 7;  // bytes
    return window.ok() && end - window.at() <= kMostPadding ? starts : std::vector<LineStart>();
  }

  static bool is_file_name(std::string_view name) {
    return !name.empty() &&
           std::ranges::none_of(name, [](unsigned char c) { return c < ' ' || c == 0x7f; });
  }

  std::uint32_t number_of(std::string name) {
    if (name.starts_with(kScheme)) name.erase(0, kScheme.size());
    const auto [found, fresh] =
        numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(std::move(name));
    return found->second;
  }

  // Whether the addresses of all lines are behind an ELF header: none is before the end of one, and
  // one is right at its end or after the end of the function.
  bool has_elf_header() {
    if (shifted_) return *shifted_;
    bool behind = false;
    shifted_ = true;
    constexpr std::size_t kEnough = 256;  // functions with lines
    std::size_t looked_at = 0;
    for (const JitFunction& function : functions_) {
      if (function.lines_at == 0) continue;
      for (const LineStart& each : read(function)) {
        if (each.distance < kElfHeader) *shifted_ = false;
        if (each.distance == kElfHeader || each.distance >= function.size) behind = true;
      }
      if (!*shifted_ || ++looked_at == kEnough) break;
    }
    *shifted_ = *shifted_ && behind;
    return *shifted_;
  }

  static void shift(std::vector<LineStart>& starts) {
    for (LineStart& each : starts) each.distance -= kElfHeader;
  }

  std::span<const JitFunction> functions_;
  ReadAt file_;
  std::uint64_t size_;
  bool swapped_;
  std::optional<bool> shifted_;
  std::unordered_map<std::uint64_t, std::vector<LineStart>, NumberHash>
      starts_;                                              // by offset of the code
  std::vector<std::string> names_{""};                      // the first one is not known
  std::unordered_map<std::string, std::uint32_t> numbers_;  // index in names_
};

}  // namespace

std::unique_ptr<SourceLines> jit_lines(std::span<const JitFunction> functions, ReadAt file,
                                       std::uint64_t size, bool swapped) {
  return std::make_unique<JitLines>(functions, std::move(file), size, swapped);
}

}  // namespace tacho::symbols
