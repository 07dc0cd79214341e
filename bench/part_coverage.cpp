// Prints how often the 95 % intervals of `tacho blocks`, `tacho latency` and the library's regions
// hold a known truth, and how wide they are: the tables in docs/explanation/accuracy.md.
//
//   part_coverage [DRAWS] [blocks|latency|regions]... [cells]
//                                      (default: 1000 draws a cell, all parts; cells: prints each
//                                      one)
//
// A cell is one kind of data of one size. A row puts cells together. Its columns:
//   held       intervals that hold the truth, in % of all, with the 95 % interval of this share
//   cells      cells of which fewer than 93 % hold (their own interval excludes it), and cells that
//              are more than 1.3 times as wide as would hold 95 %, of all cells
//   width      median half-width, in % of the truth
//   too wide   median cell's width over the width that would hold 95 %
//   worst      the cell with the smallest share, and that share
//   without    estimates that have no interval
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks_interval_scores.hpp"
#include "caliper_drawn_regions.hpp"
#include "latency_interval_scores.hpp"

namespace {

using namespace tacho;

constexpr double kLeastHeld = 0.93;
constexpr double kMostWide = 1.3;
constexpr std::size_t kFewestOfCell = 100;  // intervals

struct Cell {
  std::string name;
  IntervalScore score;
};

void print_head(std::string_view what) {
  fmt::print(
      "\n| {} | held | cells below 93 % | cells too wide | width | too wide | worst cell | without "
      "|\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      what);
}

void print_row(std::string_view name, const std::vector<Cell>& cells, bool each_cell) {
  if (each_cell)
    for (const Cell& cell : cells)
      fmt::print("{}, {}: {:.1f} % of {}, width {:.2f} %, too wide {:.2f}, without {}\n", name,
                 cell.name, 100 * cell.score.held(), cell.score.intervals(),
                 100 * cell.score.width(), cell.score.too_wide(), cell.score.without());
  IntervalScore all;
  std::vector<double> wide;
  std::size_t low = 0;
  std::size_t large = 0;
  const Cell* worst = nullptr;
  for (const Cell& cell : cells) {
    all.add(cell.score);
    if (cell.score.intervals() < kFewestOfCell) continue;
    ++large;
    wide.push_back(cell.score.too_wide());
    if (cell.score.held95().high < kLeastHeld) ++low;
    if (worst == nullptr || cell.score.held() < worst->score.held()) worst = &cell;
  }
  if (worst == nullptr) return;
  std::ranges::sort(wide);
  const ShareInterval held = all.held95();
  fmt::print(
      "| {} | {:.1f} % ({:.1f} to {:.1f}) of {} | {} of {} | {} of {} | {:.2f} % | {:.2f} | "
      "{}: {:.1f} % | {} |\n",
      name, 100 * all.held(), 100 * held.low, 100 * held.high, all.intervals(), low, large,
      std::ranges::count_if(wide, [](double each) { return each > kMostWide; }), large,
      100 * all.width(), wide[wide.size() / 2], worst->name, 100 * worst->score.held(),
      all.without());
}

void print_blocks(std::size_t draws, bool each_cell) {
  constexpr std::string_view kFigures[] = {
      "mean", "IPC", "median", "p90", "p99", "mispredicted", "place of a mode", "share of a mode"};
  std::map<std::pair<drawn::Order, std::string>, std::vector<Cell>> rows;
  for (const auto& [order, order_name] : drawn::kOrders)
    for (const auto& [cycles, cycles_name] : drawn::kCycles)
      for (const std::size_t stacks : {12U, 30U, 120U, 600U})
        for (auto& [figure, score] : drawn::score_runs(cycles, order, stacks, draws, 1000 + stacks))
          rows[{order, figure}].push_back(
              {fmt::format("{}, {} stacks", cycles_name, stacks), std::move(score)});
  print_head("blocks");
  for (const auto& [order, order_name] : drawn::kOrders)
    for (const std::string_view figure : kFigures)
      print_row(fmt::format("{}: {}", order_name, figure), rows[{order, std::string(figure)}],
                each_cell);
  std::vector<Cell> trips;
  for (const auto& [kind, name] : drawn::kTrips)
    for (const std::size_t stacks : {30U, 120U})
      trips.push_back({fmt::format("{}, {} stacks", name, stacks),
                       drawn::score_trips(kind, stacks, draws / 2, 3)});
  print_row("iterations of a loop", trips, each_cell);
}

void print_latency(std::size_t draws, bool each_cell) {
  const std::pair<std::string_view, synthetic::ChangeMachine> kinds[] = {
      {"a fine clock", [](synthetic::Machine&, std::mt19937_64&) {}},
      {"a clock that steps by 20 to 38 ticks", synthetic::make_coarse},
      {"a second TLB level with few ways", synthetic::make_repeating}};
  std::map<std::string, std::vector<Cell>> rows;
  for (const auto& [kind, change] : kinds)
    for (auto& [figure, score] : synthetic::score_machines(change, static_cast<int>(draws), 17))
      rows[figure].push_back({std::string(kind), std::move(score)});
  print_head("latency");
  for (const auto& [figure, cells] : rows) print_row(figure, cells, each_cell);
}

void print_regions(std::size_t draws, bool each_cell) {
  struct Size {
    std::size_t calls;
    double ns;
  };
  // From few calls of 20 ms to many of 50 µs.
  constexpr Size kSizes[] = {{5, 2e7}, {12, 2e7}, {30, 2e7}, {100, 1e6}, {1000, 2e5}, {10000, 5e4}};
  print_head("regions");
  for (const auto& [calls, name] : drawn::kCalls) {
    std::vector<Cell> total, median;
    for (const Size& size : kSizes)
      for (const std::size_t sets : {2U, 4U}) {
        drawn::RegionScores scores =
            drawn::score_regions(calls, size.calls, size.ns, sets, draws, 5);
        const std::string cell = fmt::format("{} calls, {} sets", size.calls, sets);
        total.push_back({cell, std::move(scores.total)});
        median.push_back({cell, std::move(scores.median)});
      }
    print_row(fmt::format("{}: total and mean of an event", name), total, each_cell);
    print_row(fmt::format("{}: median of the ticks, ± 1/128", name), median, each_cell);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t draws = 1000;
  bool each_cell = false;
  std::vector<std::string_view> parts;
  for (int i = 1; i < argc; ++i) {
    if (const auto number = std::strtoul(argv[i], nullptr, 10); number > 0)
      draws = number;
    else if (std::string_view(argv[i]) == "cells")
      each_cell = true;
    else
      parts.emplace_back(argv[i]);
  }
  const auto wanted = [&](std::string_view part) {
    return parts.empty() || std::ranges::find(parts, part) != parts.end();
  };
  if (wanted("blocks")) print_blocks(draws, each_cell);
  if (wanted("latency")) print_latency(draws, each_cell);
  if (wanted("regions")) print_regions(draws / 2, each_cell);
  return 0;
}
