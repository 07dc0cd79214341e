// The report of `tacho blocks` as JSON, schema 1.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "blocks/explanation_text.hpp"
#include "blocks/report.hpp"
#include "blocks/run_intervals.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

std::string hex(std::uint64_t address) {
  return fmt::format("0x{:x}", address);
}

std::uint64_t sum_of(const Histogram& histogram) {
  std::uint64_t sum = 0;
  for (const auto& [value, count] : histogram.bins()) sum += value * count;
  return sum;
}

// null if no entry has cycles, because a 0 would be a measurement. `sum` is over the entries that
// have them.
Json json_cycles(const Histogram& cycles) {
  const bool has_cycles = !cycles.empty();
  return {{"count", cycles.total()},
          {"sum", sum_of(cycles)},
          {"min", has_cycles ? Json(cycles.bins().front().value) : Json()},
          {"median", has_cycles ? Json(cycles.quantile(0.5)) : Json()}};
}

Json json_run_cycles(const CodeRun& run) {
  Json json = json_cycles(run.cycles);
  const bool has_cycles = !run.cycles.empty();
  for (const auto& [name, q] :
       {std::pair<std::string, double>{"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}}) {
    json[name] = has_cycles ? Json(run.cycles.quantile(q)) : Json();
    const QuantileInterval at = has_cycles ? run_quantile95(run, q) : QuantileInterval();
    json[name + "_ci95"] = at.sure ? Json{at.low, at.high} : Json();
  }
  const Estimated mean = has_cycles ? mean95(run) : Estimated();
  json["mean"] = has_cycles ? json_number(mean.value) : Json();
  json["mean_ci95"] = has_cycles ? json_estimated(mean)["ci95"] : Json();
  json["modes"] = Json::array();
  for (const Mode& mode : modes_of(run)) json["modes"].push_back(json_mode(mode));
  json["histogram"] = Json::array();
  for (const auto& [value, count] : run.cycles.bins())
    json["histogram"].push_back(Json::array({value, count}));
  json["saturated"] = run.saturated();
  return json;
}

Json json_mispredicted(std::uint64_t mispredicted, std::uint64_t with_prediction) {
  return with_prediction > 0 ? Json(mispredicted) : Json();
}

Json json_ratio(const std::optional<BranchRatio>& ratio) {
  return ratio ? Json{json_number(ratio->ci95.low), json_number(ratio->ci95.high)} : Json();
}

Json json_edge(const BranchEdge& edge) {
  return {{"from", hex(edge.from)},
          {"to", hex(edge.to)},
          {"count", edge.count},
          {"mispredicted", json_mispredicted(edge.mispredicted, edge.with_prediction)},
          {"cycles", json_cycles(edge.cycles)}};
}

Json json_run(const CodeRun& run, const Blocks& blocks) {
  const auto ipc = ipc95(run);
  Json starts = Json::array();
  for (const std::uint64_t start : run.basic_blocks) starts.push_back(hex(start));
  return {{"start", hex(run.start)},
          {"end", hex(run.end)},
          {"function", json_text(run.function)},
          {"offset", run.function.empty() ? Json() : Json(run.function_offset)},
          {"module", blocks.modules[run.module].name},
          {"recorded", {hex(run.recorded_start), hex(run.recorded_end)}},
          {"count", run.count},
          {"mispredicted", json_mispredicted(run.mispredicted, run.with_prediction)},
          {"mispredicted_ci95", json_ratio(mispredict_ratio(run))},
          {"instructions", run.instructions ? Json(*run.instructions) : Json()},
          {"blocks", std::move(starts)},
          {"ipc", json_number(run.ipc())},
          {"ipc_ci95", ipc ? json_estimated(*ipc)["ci95"] : Json()},
          {"cycles", json_run_cycles(run)}};
}

Json json_chain(const RunChain& chain, const Blocks& blocks) {
  Json runs = Json::array();
  for (const std::size_t each : chain.runs)
    runs.push_back({{"start", hex(blocks.runs[each].start)}, {"end", hex(blocks.runs[each].end)}});
  return {{"runs", std::move(runs)}, {"count", chain.count}, {"cycles", json_cycles(chain.cycles)}};
}

Json json_loop(const RunLoop& loop, const Blocks& blocks) {
  Json json = json_chain(loop.round, blocks);
  json["iterations"] = loop.iterations;
  json["entered"] = loop.entered;
  json["trips"] = json_number(loop.trips);
  json["trips_ci95"] = {json_number(loop.trips_low), json_number(loop.trips_high)};
  return json;
}

Json json_listing(const RunListing& listing, const CodeRun& run) {
  Json instructions = Json::array();
  for (const RunInstruction& each : listing.instructions)
    instructions.push_back({{"address", hex(each.address)},
                            {"text", each.text},
                            {"target", json_text(each.target)},
                            {"block", each.block_start},
                            {"file", json_text(each.file)},
                            {"line", each.line > 0 ? Json(each.line) : Json()},
                            {"inlined", json_text(each.inlined)}});
  return {{"start", hex(run.start)}, {"end", hex(run.end)}, {"instructions", instructions}};
}

// Writes one object member by member, each row on a line of its own. A large program has very many
// rows: the whole object in memory would take several times as much as its text.
class Members {
 public:
  explicit Members(const TextSink& sink) : sink_(sink) {}

  void add(std::string_view name, const Json& value) { begin(name) += line(value); }

  template <class Rows, class ToJson>
  void add_rows(std::string_view name, const Rows& rows, std::size_t limit, const ToJson& to_json) {
    std::string& text = begin(name);
    std::size_t count = 0;
    for (const auto& row : rows) {
      if (limit != 0 && count == limit) break;
      text += (count++ == 0 ? "[\n    " : ",\n    ") + line(to_json(row));
      if (text.size() > kPiece) pass_on();
    }
    text += count == 0 ? "[]" : "\n  ]";
  }

  void end() {
    text_ += "\n}\n";
    pass_on();
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{64} << 10;  // bytes

  void pass_on() {
    sink_(text_);
    text_.clear();
  }
  std::string& begin(std::string_view name) {
    text_ += std::exchange(empty_, false) ? "{\n  " : ",\n  ";
    return text_ += fmt::format("\"{}\": ", name);
  }
  static std::string line(const Json& value) {
    std::string text = written(value);
    text.pop_back();  // its newline
    return text;
  }

  const TextSink& sink_;
  std::string text_;
  bool empty_ = true;
};

}  // namespace

void blocks_json(const BlocksReport& report, std::size_t limit, std::string_view version,
                 const TextSink& sink) {
  const Blocks& blocks = report.blocks;
  const SkippedEntries& skipped = blocks.skipped;
  Members json(sink);
  json.add("tacho", {{"version", version}, {"schema", 1}});
  json.add("command", json_list(blocks.command));
  json.add("machine", {{"host", json_text(blocks.host)}, {"cpu", json_text(blocks.cpu)}});
  json.add("event", json_text(blocks.event));
  json.add("samples", blocks.samples);
  json.add("entries", blocks.entries);
  json.add("skipped", {{"doubled", skipped.doubled},
                       {"empty", skipped.empty},
                       {"no_cycles", skipped.no_cycles},
                       {"impossible", skipped.impossible},
                       {"wrong_path", skipped.wrong_path}});
  json.add("has_cycles", blocks.has_cycles);
  std::uint64_t cycles = 0;
  for (const CodeRun& run : blocks.runs) cycles += sum_of(run.cycles);
  json.add("cycles_sum", cycles);
  json.add_rows("branches", report.branches, report.all ? limit : 0, json_edge);
  json.add_rows("runs", report.chosen.runs, limit,
                [&](std::size_t run) { return json_run(blocks.runs[run], blocks); });
  json.add("stacks_followed", blocks.stacks_kept);
  json.add_rows("loops", blocks.loops, limit,
                [&](const RunLoop& loop) { return json_loop(loop, blocks); });
  json.add_rows("chains", blocks.chains, limit,
                [&](const RunChain& chain) { return json_chain(chain, blocks); });
  json.add_rows("listings", report.listings, 0, [&](const RunListing& listing) {
    return json_listing(listing, blocks.runs[listing.run]);
  });
  json.add_rows("explanations", report.explanations, 0, [&](const RunExplanation& why) {
    const CodeRun& run = blocks.runs[why.run];
    Json each{{"start", hex(run.start)}, {"end", hex(run.end)}};
    each.update(json_explanation(why));
    return each;
  });
  Json warnings = json_list(blocks.warnings);
  for (const std::string& warning : report.chosen.warnings) warnings.push_back(warning);
  json.add("warnings", warnings);
  json.end();
}

}  // namespace tacho
