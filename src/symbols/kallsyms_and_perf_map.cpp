#include "symbols/kallsyms_and_perf_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/parse_number.hpp"
#include "base/regular_file.hpp"

namespace tacho::symbols {
namespace {

constexpr std::size_t kLongestText = 256 << 20;  // bytes of a file

// A symbol of /proc/kallsyms, and the module in brackets after it (empty for the kernel itself).
struct KernelSymbol {
  Symbol symbol;
  std::string_view module;
};

// /proc/kallsyms has no sizes, so a function ends where the next one begins. The last function of a
// module gets a size here: code between two modules, for instance of unloaded BPF programs, belongs
// to neither.
void end_modules(std::vector<KernelSymbol>& symbols) {
  std::ranges::stable_sort(symbols, {},
                           [](const KernelSymbol& each) { return each.symbol.address; });
  const KernelSymbol* next = nullptr;  // at a later address
  for (std::size_t i = symbols.size(); i-- > 0;) {
    auto& [symbol, module] = symbols[i];
    if (i + 1 < symbols.size() && symbols[i + 1].symbol.address > symbol.address)
      next = &symbols[i + 1];
    if (next != nullptr && next->module != module)
      symbol.size = std::min(page_end(symbol), next->symbol.address) - symbol.address;
  }
}

// Removes the next word from the line and returns it.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

bool to_number(std::string_view hex, std::uint64_t& number) {
  if (hex.starts_with("0x")) hex.remove_prefix(2);
  const auto parsed = parse_number<std::uint64_t>(hex, 16);
  number = parsed.value_or(0);
  return parsed.has_value();
}

template <class Take>
void for_lines(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    take(line);
  }
}

}  // namespace

Result<KernelFunctions> read_kernel_functions(const std::string& path) {
  auto text = TACHO_TRY(read_file(path, kLongestText));
  return parse_kernel_functions(std::move(text), path);
}

Result<KernelFunctions> parse_kernel_functions(std::string text, const std::string& path) {
  KernelFunctions kernel;
  kernel.text = std::make_unique<const std::string>(std::move(text));
  std::vector<KernelSymbol> listed;
  bool has_addresses = false;
  for_lines(*kernel.text, [&](std::string_view line) {
    Symbol symbol;
    if (!to_number(take_word(line), symbol.address)) return;
    const std::string_view type = take_word(line);
    symbol.name = take_word(line);
    has_addresses = has_addresses || symbol.address != 0;
    if (symbol.name == "_text") kernel.text_start = symbol.address;
    if (symbol.name == "_stext") kernel.stext = symbol.address;
    if (type.size() != 1 || std::string_view("tTwW").find(type[0]) == type.npos) return;
    symbol.weak = type[0] == 'w' || type[0] == 'W';
    symbol.global = type[0] == 'T';
    listed.push_back({symbol, take_word(line)});
  });
  if (!has_addresses)
    return failure(fmt::format("'{}' has no addresses for this user", path),
                   "run as root, or 'sudo sysctl kernel.kptr_restrict=0'");
  end_modules(listed);
  std::vector<Symbol> symbols;
  for (const KernelSymbol& each : listed) symbols.push_back(each.symbol);
  kernel.functions = FunctionTable(std::move(symbols));
  return kernel;
}

OwnedTable parse_perf_map(std::string text) {
  OwnedTable table;
  table.text = std::make_unique<const std::string>(std::move(text));
  std::vector<Symbol> symbols;
  for_lines(*table.text, [&](std::string_view line) {
    Symbol symbol;
    if (!to_number(take_word(line), symbol.address) || !to_number(take_word(line), symbol.size))
      return;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    symbol.name = line;
    symbol.global = true;
    if (!line.empty()) symbols.push_back(symbol);
  });
  table.functions = FunctionTable::of_latest(symbols);
  return table;
}

Result<OwnedTable> read_perf_map(const std::string& path, const std::string& root) {
  const RegularFile file = TACHO_TRY(open_regular_file(path, root));
  TACHO_TRY(check_owner(file, path));
  if (file.size > kLongestText)
    return failure(fmt::format("'{}' has more than {} MB", path, kLongestText >> 20));
  std::string text(static_cast<std::size_t>(file.size), '\0');
  text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
  return parse_perf_map(std::move(text));
}

}  // namespace tacho::symbols
