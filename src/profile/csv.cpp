// The reports of `tacho report` as CSV. Four columns per event and two per metric, and at the
// end the signature, follow the columns that are always there.
#include <fmt/format.h>

#include "profile/report.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

// Empty fields are not known, or not of this kind of row.
std::string owner_fields(const ProfileRow& row) {
  std::string fields = ',' + csv_field(row.command);
  for (const auto& number : {row.pid, row.tid, row.cpu})
    fields += number ? fmt::format(",{}", *number) : ",";
  return fields;
}

}  // namespace

std::string profile_csv(const ProfileSummary& summary, std::size_t limit) {
  std::string csv =
      "module,path,function,file,line,address,samples,count,share,low,high,total,"
      "total low,total high";
  for (const SampledEvent& event : summary.events)
    for (const char* column : {" samples", "", " low", " high"})
      csv += ',' + csv_field(event.name + column);
  if (!summary.rows.empty())
    for (const RowMetric& metric : summary.rows.front().metrics)
      csv += fmt::format(",{},{}", csv_field(metric.name), csv_field(metric.name + " ci95"));
  csv += ",signature";
  if (is_by_owner(summary.sort)) csv += ",command,pid,tid,cpu";
  csv += '\n';
  for (std::size_t i = 0; i < summary.rows.size() && (limit == 0 || i < limit); ++i) {
    const ProfileRow& row = summary.rows[i];
    const SampleCount& count = row.counts[summary.event];
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", csv_field(row.module),
                       csv_field(row.path), csv_field(row.function), csv_field(row.file),
                       row.line > 0 ? fmt::format("{}", row.line) : "",
                       row.address ? fmt::format("0x{:x}", *row.address) : "", count.samples,
                       summary.events[summary.event].occurred(count), csv_number(row.share),
                       csv_number(row.ci95.low), csv_number(row.ci95.high), csv_number(row.total),
                       csv_number(row.total ? std::optional(row.total_ci95.low) : std::nullopt),
                       csv_number(row.total ? std::optional(row.total_ci95.high) : std::nullopt));
    for (std::size_t event = 0; event < summary.events.size(); ++event) {
      const SampleCount& each = row.counts[event];
      const auto& [low, high] = row.counts95[event];
      const bool known = summary.events[event].count.samples > 0;
      csv += fmt::format(",{},{},{},{}", each.samples, summary.events[event].occurred(each),
                         csv_number(known ? std::optional(low) : std::nullopt),
                         csv_number(known ? std::optional(high) : std::nullopt));
    }
    for (const RowMetric& metric : row.metrics)
      csv += fmt::format(",{},{}", csv_number(metric.value),
                         csv_number(metric.value ? std::optional(metric.ci95) : std::nullopt));
    csv += fmt::format(",{}", csv_field(row.signature));
    if (is_by_owner(summary.sort)) csv += owner_fields(row);
    csv += '\n';
  }
  return csv;
}

std::string call_view_csv(const CallView& view) {
  std::string csv = "module,function,samples,count,share,low,high\n";
  for (const CallShare& row : view.rows)
    csv += fmt::format("{},{},{},{},{},{},{}\n", csv_field(row.module), csv_field(row.function),
                       row.count.samples, row.count.sum, csv_number(row.share),
                       csv_number(row.ci95.low), csv_number(row.ci95.high));
  return csv;
}

}  // namespace tacho
