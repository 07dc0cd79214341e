// to_csv: a report as CSV (RFC 4180), one line for each region and quantity.
#include <fmt/format.h>

#include "base/safe_text.hpp"
#include "caliper/report_file.hpp"
#include "tacho/report.hpp"

namespace tacho::inline v0 {
namespace {

// Reversible, so a backslash is two. Always quoted.
std::string field(std::string_view bytes) {
  const std::string cell = csv_cell(escaped(bytes));
  return cell.starts_with('"') ? cell : '"' + cell + '"';
}

std::string number(bool known, double value) {
  return known ? fmt::format("{:.15g}", value) : "";
}

std::string line(const RegionReport& report, const RegionFigures& region, const Quantity& q,
                 bool noted) {
  const bool counted = q.status != CountStatus::unavailable;
  const bool single = counted && q.executions > 0;
  const bool mean = single || q.status == CountStatus::estimated;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     report.pid, field(region.name), region.executions, region.recursions,
                     region.threads, region.unfinished, region.too_short, field(q.name),
                     field(q.unit), caliper::kStatusNames.at(static_cast<std::size_t>(q.status)),
                     number(counted, q.total), number(counted && q.has_interval, q.half_width95),
                     number(counted, q.share), number(single, q.minimum), number(mean, q.mean),
                     number(single, q.median), number(single, q.p99), number(single, q.maximum),
                     number(single, q.cost), q.error.what.empty() ? "" : field(q.error.what),
                     report.no_memory, noted);
}

}  // namespace

std::string to_csv(const RegionReport& report) {
  std::string text =
      "pid,region,executions,recursions,threads,unfinished,too_short,quantity,unit,status,total,"
      "ci95,share,min,mean,median,p99,max,cost,reason,no_memory,noted\n";
  for (const RegionFigures& region : report.regions)
    for (std::size_t i = 0; i < region.quantities.size(); ++i)
      text += line(report, region, region.quantities[i], caliper::is_note(i));
  return text;
}

}  // namespace tacho::inline v0
