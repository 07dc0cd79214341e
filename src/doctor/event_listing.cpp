#include "doctor/event_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text_layout.hpp"
#include "report/schema.hpp"

namespace tacho {
namespace {

std::string models_text(std::span<const ListedModel> models) {
  std::string text = "Models: --pmu simulated:MODEL\n";
  for (const ListedModel& model : models) {
    text += paragraph(fmt::format("  {:<12} ", model.name), printable(model.description));
    if (!model.sources.empty()) text += "\nWhere its figures come from\n";
    for (const std::string& source : model.sources)
      text += paragraph("  ", printable(source, 2'000));
  }
  return text;
}

Json models_json(std::span<const ListedModel> models) {
  Json list = Json::array();
  for (const ListedModel& model : models) {
    Json entry;
    entry["name"] = model.name;
    entry["description"] = model.description;
    entry["sources"] = json_list(model.sources);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string listing_text(std::span<const ListedEvent> events, std::span<const ListedModel> models,
                         std::size_t width) {
  std::vector<Cells> rows;
  std::vector<std::string> reasons;
  for (const ListedEvent& event : events) {
    std::string opens = "yes";
    if (!event.opens) {
      auto known = std::ranges::find(reasons, event.reason);
      if (known == reasons.end()) known = reasons.insert(known, event.reason);
      opens = fmt::format("no [{}]", known - reasons.begin() + 1);
    }
    rows.push_back({event.name, event.source, opens, event.description});
  }
  std::string text = aligned(rows, "<<<w", "", width);
  if (!reasons.empty()) text += "\nDoes not open here because\n";
  for (std::size_t i = 0; i < reasons.size(); ++i)
    text += paragraph(fmt::format("  [{}] ", i + 1), reasons[i]);
  if (!models.empty()) text += (text.empty() ? "" : "\n") + models_text(models);
  return text;
}

std::string listing_json(std::span<const ListedEvent> events, std::span<const ListedModel> models,
                         std::string_view version) {
  Json list = Json::array();
  for (const ListedEvent& event : events) {
    Json entry;
    entry["name"] = event.name;
    entry["source"] = event.source;
    entry["description"] = event.description;
    entry["opens"] = event.opens;
    entry["reason"] = event.opens ? Json() : Json(event.reason);
    list.push_back(std::move(entry));
  }
  Json json;
  json["tacho"] = {{"version", version}, {"schema", 1}};
  json["events"] = std::move(list);
  if (!models.empty()) json["models"] = models_json(models);
  return written(json, 2);
}

}  // namespace tacho
