// The "processed profile" that profiler.firefox.com loads, of version 47: docs-developer/
// processed-profile-format.md and src/types/profile.js of firefox-devtools/profiler. Tables are
// objects of columns of one length, which refer to each other by index.
#include <map>

#include "report/call_stacks.hpp"
#include "report/profile_report.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

constexpr int kGeckoVersion = 27;
constexpr int kProcessedVersion = 47;
constexpr int kLibrary = 1;  // a resource's type

// A table's columns, all of which get a value a row.
class Table {
 public:
  Table(std::initializer_list<const char*> columns) {
    for (const char* column : columns) columns_[column] = Json::array();
  }
  std::size_t add(std::initializer_list<Json> row) {
    auto column = columns_.begin();
    for (const Json& value : row) (column++).value().push_back(value);
    return length_++;
  }
  Json json() const {
    Json made = columns_;
    made["length"] = length_;
    return made;
  }

 private:
  Json columns_ = Json::object();
  std::size_t length_ = 0;
};

// One event is shown as one thread: each has strings and tables of its own.
class Thread {
 public:
  Thread(const ProfileExport& in, const CallStacks& stacks) : in_(in), stacks_(stacks) {}

  Json json(std::size_t event, const std::string& name, double interval) {
    for (std::size_t i = 0; i < in_.profile.modules().size(); ++i)
      resources_.add({i, text(in_.profile.modules()[i].path), nullptr, kLibrary});
    for (FunctionId id = 0; id < stacks_.names().size(); ++id) {
      const FunctionInfo& info = in_.resolver.function(id);
      functions_.add(
          {text(stacks_.names()[id]), false, false, info.module, nullptr, nullptr, nullptr});
      symbols_.add({info.module, info.start, text(stacks_.names()[id]),
                    info.known() ? Json(info.end - info.start) : Json()});
    }
    for (std::uint32_t cell = 0; cell < in_.profile.cells().size(); ++cell) add_frame(cell);
    for (const CallNode& node : in_.profile.nodes())
      nodes_.add({node.cell, 0, 0, node.parent == kNoParent ? Json() : Json(node.parent)});
    double time = 0;  // samples of one chain are one entry, as long as they took together
    for (const std::size_t node : stacks_.leaves(event)) {
      const std::uint64_t samples = in_.profile.count_at_node(event, node).samples;
      samples_.add({node, time, samples});
      time += interval * static_cast<double>(samples);
    }
    Json samples = samples_.json();
    samples["weightType"] = "samples";
    return {
        {"processType", "default"},
        {"processStartupTime", 0},
        {"processShutdownTime", nullptr},
        {"registerTime", 0},
        {"unregisterTime", nullptr},
        {"pausedRanges", Json::array()},
        {"name", name},
        {"isMainThread", event == in_.event},
        {"pid", "0"},
        {"tid", event},
        {"samples", std::move(samples)},
        {"markers", Table({"data", "name", "startTime", "endTime", "phase", "category"}).json()},
        {"stackTable", nodes_.json()},
        {"frameTable", frames_.json()},
        {"funcTable", functions_.json()},
        {"resourceTable", resources_.json()},
        {"nativeSymbols", symbols_.json()},
        {"stringArray", texts_}};
  }

 private:
  void add_frame(std::uint32_t cell) {
    const CodePlace& place = in_.profile.cells()[cell];
    const symbols::Frame frame = in_.resolver.line_of(place);
    const FunctionId function = stacks_.function(cell);
    frames_.add({in_.resolver.address_of(place), 0, nullptr, nullptr, function, function, nullptr,
                 nullptr, frame.line > 0 ? Json(frame.line) : Json(), nullptr});
  }

  std::size_t text(const std::string& text) {
    const auto [found, fresh] = index_.try_emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return found->second;
  }

  const ProfileExport& in_;
  const CallStacks& stacks_;
  Json texts_ = Json::array();
  std::map<std::string, std::size_t> index_;
  Table samples_{"stack", "time", "weight"};
  Table nodes_{"frame", "category", "subcategory", "prefix"};
  Table frames_{"address",      "inlineDepth",   "category",       "subcategory", "func",
                "nativeSymbol", "innerWindowID", "implementation", "line",        "column"};
  Table functions_{"name",     "isJS",       "relevantForJS", "resource",
                   "fileName", "lineNumber", "columnNumber"};
  Table resources_{"lib", "name", "host", "type"};
  Table symbols_{"libIndex", "address", "name", "functionSize"};
};

// In ms, as far as the recording tells it: what the display makes of a sample's width.
double interval_of(const SampledEvent& event) {
  if (event.frequency > 0) return 1e3 / static_cast<double>(event.frequency);
  if (event.period > 0 && unit_of(event.name) == "nanoseconds")
    return static_cast<double>(event.period) / 1e6;
  return 1;
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

}  // namespace

std::string profile_firefox(const ProfileExport& in) {
  const CallStacks stacks(in);
  const std::vector<SampledEvent> events = sampled_events(in.profile, in.recording);
  Json threads = Json::array();
  for (std::size_t i = 0; i < events.size(); ++i)
    threads.push_back(Thread(in, stacks).json(i, events[i].name, interval_of(events[i])));
  const Json category{{"name", "Other"}, {"color", "grey"}, {"subcategories", {"Other"}}};
  std::string product;
  for (const std::string& word : in.recording.command)
    product += (product.empty() ? "" : " ") + word;
  return written({{"meta",
                   {{"interval", events.empty() ? 1 : interval_of(events[in.event])},
                    {"startTime", 0},
                    {"processType", 0},
                    {"product", product.empty() ? "recording" : product},
                    {"stackwalk", in.profile.has_chains() ? 1 : 0},
                    {"debug", false},
                    {"version", kGeckoVersion},
                    {"preprocessedProfileVersion", kProcessedVersion},
                    {"symbolicated", true},
                    {"categories", Json::array({category})},
                    {"markerSchema", Json::array()},
                    {"importedFrom", "tacho " + std::string(in.version)}}},
                  {"libs", libraries(in.profile)},
                  {"threads", std::move(threads)}});
}

}  // namespace tacho
