#include "symbols/function_table.hpp"

#include <algorithm>
#include <cerrno>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/latest_ranges.hpp"
#include "symbols/demangle.hpp"

namespace tacho::symbols {
namespace {

constexpr std::uint64_t kPage = 4096;  // bytes: a last function without a size ends with its page

// The symbol with the largest rank names its address.
auto rank(const Symbol& symbol) {
  constexpr std::size_t kEnough = 8;  // more underscores make no difference
  const std::string_view begin = symbol.name.substr(0, kEnough);
  const auto underscores = std::min(begin.find_first_not_of('_'), begin.size());
  return std::tuple(!symbol.label, symbol.size > 0, !symbol.weak, symbol.global,
                    -static_cast<std::ptrdiff_t>(underscores), symbol.name.size());
}

}  // namespace

std::uint64_t page_end(const Symbol& symbol) {
  return (symbol.address | (kPage - 1)) + 1;
}

FunctionTable::FunctionTable(std::vector<Symbol> symbols) {
  std::ranges::sort(symbols, [](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    return rank(a) > rank(b);
  });
  const auto same = std::ranges::unique(symbols, {}, &Symbol::address);
  symbols.erase(same.begin(), same.end());
  // A label within a function, for instance of a loop, is not a function.
  std::uint64_t end_of_sized = 0;
  std::erase_if(symbols, [&](const Symbol& symbol) {
    if (symbol.label) return symbol.address < end_of_sized;
    end_of_sized = std::max(end_of_sized, symbol.address + symbol.size);
    return false;
  });
  functions_.reserve(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    const std::uint64_t next = i + 1 < symbols.size() ? symbols[i + 1].address : page_end(symbol);
    const std::uint64_t end = symbol.address + symbol.size;
    functions_.push_back({symbol.address, symbol.size == 0 || end < symbol.address ? next : end,
                          symbol.name, symbol.thumb});
  }
  nested_ = NestedRanges(functions_, &Function::start, &Function::end);
}

FunctionTable FunctionTable::of_latest(std::span<const Symbol> symbols) {
  LatestRanges<std::size_t> latest;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    latest.put(symbols[i].address, symbols[i].address + symbols[i].size, i);
  FunctionTable table;
  std::vector<NestedRanges::Piece> pieces;
  std::unordered_map<std::size_t, std::size_t> number;  // by symbol: index in functions_
  latest.for_each([&](const LatestRanges<std::size_t>::Piece& piece) {
    const auto [of, fresh] = number.try_emplace(piece.value, table.functions_.size());
    if (fresh)
      table.functions_.push_back(
          {piece.start, piece.end, symbols[piece.value].name, symbols[piece.value].thumb});
    table.functions_[of->second].end = piece.end;
    pieces.push_back({piece.start, piece.end, of->second});
  });
  table.nested_ = NestedRanges(std::move(pieces));
  return table;
}

const Function* FunctionTable::at(std::uint64_t address) const {
  const std::size_t found = nested_.at(address);
  return found == NestedRanges::kNone ? nullptr : &functions_[found];
}

std::vector<const Function*> FunctionTable::named(std::string_view name) const {
  std::vector<const Function*> found;
  for (const Function& function : functions_)
    if (function.name == name || is_meant(demangled(function.name), name))
      found.push_back(&function);
  return found;
}

}  // namespace tacho::symbols
