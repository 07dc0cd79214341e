// Writes the "processed profile" that profiler.firefox.com loads, version 47. The format is
// described in docs-developer/processed-profile-format.md and src/types/profile.js of
// firefox-devtools/profiler. A table is an object of columns of equal length. Tables refer to each
// other by index.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash_seed.hpp"
#include "locate/numbered_values.hpp"
#include "profile/call_stacks.hpp"
#include "profile/report.hpp"
#include "profile/text_columns.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr int kGeckoVersion = 27;
constexpr int kProcessedVersion = 47;
constexpr int kLibrary = 1;  // type of a resource

// Sampling interval in ms, which the viewer shows as the width of a sample; 1 if it is not known.
// That of a clock is the mean of the periods, which the recorder draws around the wanted one.
double interval_of(const SampledEvent& event) {
  if (event.clock && event.count.samples > 0) return event.interval_ns() / 1e6;
  if (event.frequency > 0) return 1e3 / static_cast<double>(event.frequency);
  return 1;
}

// Samples have the colours of their categories. Those of threads over time say what the thread did.
struct Category {
  std::string_view name, colour;
};
constexpr auto kCategories = std::to_array<Category>(
    {{"Other", "grey"}, {"waiting", "blue"}, {"ready", "orange"}, {"running", "green"}});

// In kCategories.
std::uint32_t category_of(const SampledEvent& event) {
  const auto* const found = std::ranges::find(kCategories, event.name, &Category::name);
  return found == kCategories.end() ? 0 : static_cast<std::uint32_t>(found - kCategories.begin());
}

constexpr double kMillisecond = 1e6;  // ns

// Each thread has its own strings and tables, for its own samples.
class Thread {
 public:
  // `event`: that of its samples.
  Thread(const ProfileExport& in, const CallStacks& stacks, const SampledEvent& event)
      : in_(in), stacks_(stacks), clock_(event.clock), by_time_(event.lengths) {}

  // `sum`: what the samples stand for. That of a clock is CPU time. Waits differ in length, so
  // where there are any, each sample weighs as much as its time, and not 1.
  void add(std::uint32_t node, std::uint32_t category, double time_ms, std::uint64_t samples,
           std::uint64_t sum) {
    const Json weight = by_time_ ? Json(static_cast<double>(sum) / kMillisecond) : Json(samples);
    samples_.add(
        {this->node(node, category), time_ms, weight, clock_ && !by_time_ ? Json(sum) : Json()});
  }

  // Gives the thread away.
  void move_to(Pieces& pieces, const std::string& name, const std::string& process,
               const std::string& pid, const Json& tid, bool main) {
    std::string head = text_of({{"processType", "default"},
                                {"processName", process},
                                {"processStartupTime", 0},
                                {"processShutdownTime", nullptr},
                                {"registerTime", 0},
                                {"unregisterTime", nullptr},
                                {"pausedRanges", Json::array()},
                                {"name", name},
                                {"isMainThread", main},
                                {"pid", pid},
                                {"tid", tid}});
    head.pop_back();  // the brace
    pieces.add(std::move(head));
    const auto add = [&](std::string_view key, Table& table, std::string_view more = {}) {
      pieces.add(fmt::format(",\"{}\":", key));
      table.move_to(pieces, more);
    };
    Table markers{"data", "name", "startTime", "endTime", "phase", "category"};
    add("samples", samples_,
        by_time_ ? "\"weightType\":\"tracing-ms\"," : "\"weightType\":\"samples\",");
    add("markers", markers);
    add("stackTable", nodes_);
    add("frameTable", frames_);
    add("funcTable", functions_);
    add("resourceTable", resources_);
    add("nativeSymbols", symbols_);
    pieces.add(",\"stringArray\":[");
    texts_.move_to(pieces);
    pieces.add("]}");
  }

 private:
  using Rows = NumberedValues<std::uint64_t, NumberHash>;  // row by id in the profile

  // The row of this id. If there is none yet, `add` adds it to its table.
  template <class Add>
  static std::size_t row(Rows& rows, std::uint64_t id, const Add& add) {
    if (const auto found = rows.find(id)) return *found;
    add();
    return rows.number(id);
  }

  std::size_t node(std::uint32_t id, std::uint32_t category) {
    return row(node_rows_, id * kCategories.size() + category, [&] {
      const CallNode& node = in_.profile.nodes()[id];
      const Json prefix =
          node.parent == kNoParent ? Json() : Json(this->node(node.parent, category));
      nodes_.add({frame(node.cell, category), category, 0, prefix});
    });
  }

  // Newer versions of the viewer take the category of a sample from its innermost frame.
  std::size_t frame(std::uint32_t cell, std::uint32_t category) {
    return row(frame_rows_, cell * kCategories.size() + category, [&] {
      const CodePlace& place = in_.profile.cells()[cell];
      const symbols::Frame line = in_.resolver.line_of(place);
      const std::size_t function = this->function(stacks_.function(cell));
      // The symbol is that of the outermost function, into which the others were inlined.
      const std::uint32_t outermost =
          in_.profile.has_inlined() ? in_.resolver.levels_of(place) - 1 : 0;
      CodePlace outer = place;
      outer.level = outermost;
      const std::size_t symbol = this->function(in_.resolver.function_of(outer));
      const Json shown = category > 0 ? Json(category) : Json();
      frames_.add({in_.resolver.address_of(place), outermost - place.level, shown, nullptr,
                   function, symbol, nullptr, nullptr, line.line > 0 ? Json(line.line) : Json(),
                   nullptr});
    });
  }

  // Adds a function to two tables, at the same index.
  std::size_t function(FunctionId id) {
    return row(function_rows_, id, [&] {
      const FunctionInfo& info = in_.resolver.function(id);
      const std::size_t name = text(stacks_.names()[id]);
      symbols_.add(
          {info.module, info.start, name, info.end > 0 ? Json(info.end - info.start) : Json()});
      functions_.add({name, false, false, resource(info.module), nullptr, nullptr, nullptr});
    });
  }

  std::size_t resource(std::uint32_t module) {
    return row(resource_rows_, module, [&] {
      resources_.add({module, text(in_.profile.modules()[module].path), nullptr, kLibrary});
    });
  }

  // The text must outlive the thread.
  std::size_t text(const std::string& text) {
    const auto [found, fresh] = index_.try_emplace(text, index_.size());
    if (fresh) texts_.add(text);
    return found->second;
  }

  const ProfileExport& in_;
  const CallStacks& stacks_;
  bool clock_, by_time_;
  Rows node_rows_, frame_rows_, function_rows_, resource_rows_;
  TextList texts_;
  std::map<std::string_view, std::size_t> index_;  // names can be long: without copies
  Table samples_{"stack", "time", "weight", "threadCPUDelta"};
  Table nodes_{"frame", "category", "subcategory", "prefix"};
  Table frames_{"address",      "inlineDepth",   "category",       "subcategory", "func",
                "nativeSymbol", "innerWindowID", "implementation", "line",        "column"};
  Table functions_{"name",     "isJS",       "relevantForJS", "resource",
                   "fileName", "lineNumber", "columnNumber"};
  Table resources_{"lib", "name", "host", "type"};
  Table symbols_{"libIndex", "address", "name", "functionSize"};
};

// Most threads that are shown one by one. Each takes 2 KB without its samples, and the viewer can't
// show as many.
constexpr std::size_t kMostThreads = 10'000;

// A thread of the recording becomes one thread for each event that was sampled in it.
class ThreadsOverTime {
 public:
  ThreadsOverTime(const ProfileExport& in, const CallStacks& stacks,
                  std::span<const SampledEvent> events)
      : in_(in), stacks_(stacks), events_(events), samples_(in.profile.samples()) {
    for (std::uint32_t i = 0; i < samples_.size(); ++i)
      samples_of_[key_of(samples_[i])].push_back(i);
    for (const auto& [key, numbers] : samples_of_) sampled_.insert(std::get<2>(key));
  }

  void add_to(Pieces& pieces) {
    const std::size_t left_out = choose();
    bool first = true;
    for (const auto& [key, numbers] : samples_of_) {
      const auto& [pid, tid, event] = key;
      if (!std::exchange(first, false)) pieces.add(",");
      thread_of(numbers, event)
          .move_to(pieces, name_of(tid, event), in_.profile.name_of(pid), std::to_string(pid), tid,
                   pid == tid && event == in_.event);
    }
    if (left_out > 0) {
      std::ranges::sort(rest_);
      pieces.add(",");
      thread_of(rest_, in_.event)
          .move_to(pieces, fmt::format("{} threads with fewer samples", left_out), "", "-1", -1,
                   false);
    }
  }

 private:
  using Key = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;  // pid, tid, event
  using Numbers = std::vector<std::uint32_t>;                         // of samples

  Key key_of(const TimedSample& sample) const {
    const std::vector<std::size_t>& parts = events_[in_.event].parts;  // shown as their sum
    const bool is_part = std::ranges::count(parts, sample.event) > 0;
    return {sample.pid, sample.tid, is_part ? static_cast<std::uint32_t>(in_.event) : sample.event};
  }

  // Leaves those with most samples, if there are too many. Returns how many become one.
  std::size_t choose() {
    if (samples_of_.size() <= kMostThreads) return 0;
    std::vector<std::pair<std::size_t, Key>> order;
    for (const auto& [key, numbers] : samples_of_) order.emplace_back(numbers.size(), key);
    std::ranges::sort(order, std::ranges::greater());
    for (const auto& [size, key] : order | std::views::drop(kMostThreads)) {
      const auto found = samples_of_.find(key);
      rest_.insert(rest_.end(), found->second.begin(), found->second.end());
      samples_of_.erase(found);
    }
    return order.size() - kMostThreads;
  }

  Thread thread_of(const Numbers& numbers, std::size_t event) const {
    Thread thread(in_, stacks_, events_[event]);
    for (const std::uint32_t number : numbers) {
      const TimedSample& sample = samples_[number];
      const std::uint32_t category = category_of(events_[sample.event]);
      const auto since = static_cast<double>(sample.time_ns - samples_.front().time_ns);
      thread.add(sample.node, category, since / kMillisecond, 1, sample.period);
      // The viewer colours the time up to the middle between two samples. So a time that is known
      // to last has a second one at its end, without weight.
      if (events_[sample.event].lengths && in_.profile.is_exact(sample.event))
        thread.add(sample.node, category,
                   (since + static_cast<double>(sample.period)) / kMillisecond, 0, 0);
    }
    return thread;
  }

  std::string name_of(std::int32_t tid, std::uint32_t event) const {
    std::string name = in_.profile.name_of(tid);
    if (name.empty()) return events_[event].name;
    if (sampled_.size() > 1) name += " (" + events_[event].name + ')';
    return name;
  }

  const ProfileExport& in_;
  const CallStacks& stacks_;
  std::span<const SampledEvent> events_;
  const std::vector<TimedSample>& samples_;
  std::map<Key, Numbers> samples_of_;
  std::set<std::uint32_t> sampled_;  // events
  Numbers rest_;
};

// If samples have no times, each event is a thread. Samples of one chain are next to each other,
// and their width is the time that they stand for.
void add_threads_by_chain(const ProfileExport& in, const CallStacks& stacks,
                          std::span<const SampledEvent> events, Pieces& pieces) {
  bool first = true;
  for (std::size_t event = 0; event < events.size(); ++event) {
    if (std::ranges::count(events[in.event].parts, event) > 0) continue;  // shown as their sum
    Thread thread(in, stacks, events[event]);
    double time = 0;
    for (const std::size_t node : stacks.leaves(event)) {
      const std::uint64_t samples = in.profile.count_at_node(event, node).samples;
      const std::uint64_t sum = in.profile.count_at_node(event, node).sum;
      thread.add(static_cast<std::uint32_t>(node), category_of(events[event]), time, samples, sum);
      time += interval_of(events[event]) * static_cast<double>(samples);
    }
    if (!std::exchange(first, false)) pieces.add(",");
    thread.move_to(pieces, events[event].name, "", "0", event, event == in.event);
  }
}

Json libraries(const Profile& profile) {
  Json list = Json::array();
  for (const Module& module : profile.modules()) {
    const std::string name = module.path.substr(module.path.rfind('/') + 1);
    list.push_back({{"arch", ""},
                    {"name", name},
                    {"path", module.path},
                    {"debugName", name},
                    {"debugPath", module.path},
                    {"breakpadId", ""},
                    {"codeId", json_text(module.build_id)}});
  }
  return list;
}

// Adds the machine of the recording, in Gecko's words: "Linux", "Linux x86_64".
void add_machine(Json& meta, const perfdata::Description& recording) {
  meta["platform"] = "Linux";
  if (!recording.architecture.empty()) meta["oscpu"] = "Linux " + recording.architecture;
  if (!recording.cpu.empty()) meta["CPUName"] = recording.cpu;
  if (recording.cpus_online) meta["logicalCPUs"] = *recording.cpus_online;
}

}  // namespace

TextWriter profile_firefox(const ProfileExport& in) {
  const CallStacks stacks(in);
  const std::vector<SampledEvent> events = sampled_events(in.profile, in.recording);
  const bool has_states =
      std::ranges::any_of(events, [](const SampledEvent& event) { return event.lengths; });
  Json categories = Json::array();
  for (const Category& each : std::span(kCategories).first(has_states ? kCategories.size() : 1))
    categories.push_back(
        {{"name", each.name}, {"color", each.colour}, {"subcategories", {"Other"}}});
  std::string product;
  for (const std::string& word : in.recording.command)
    product += (product.empty() ? "" : " ") + word;
  if (!in.chosen.empty()) product += " (" + in.chosen + ')';
  Json meta{{"interval", events.empty() ? 1 : interval_of(events[in.event])},
            {"startTime", 0},
            {"processType", 0},
            {"product", product.empty() ? "recording" : product},
            {"stackwalk", in.profile.has_chains() ? 1 : 0},
            {"debug", false},
            {"version", kGeckoVersion},
            {"preprocessedProfileVersion", kProcessedVersion},
            {"symbolicated", true},
            {"categories", std::move(categories)},
            {"markerSchema", Json::array()},
            {"sampleUnits", {{"time", "ms"}, {"eventDelay", "ms"}, {"threadCPUDelta", "ns"}}},
            {"importedFrom", "tacho " + std::string(in.version)}};
  add_machine(meta, in.recording);
  std::string head = text_of({{"meta", std::move(meta)}, {"libs", libraries(in.profile)}});
  head.pop_back();  // the brace
  const auto pieces = std::make_shared<Pieces>();
  pieces->add(std::move(head));
  pieces->add(",\"threads\":[");
  if (in.profile.samples().empty())
    add_threads_by_chain(in, stacks, events, *pieces);
  else
    ThreadsOverTime(in, stacks, events).add_to(*pieces);
  pieces->add("]}\n");
  return [pieces](const TextSink& sink) { pieces->write(sink); };
}

}  // namespace tacho
