// The output of `tacho list`: events, and whether they open on this machine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

struct ListedEvent {
  std::string name;
  std::string source;
  std::string description;
  bool opens = false;
  std::string reason;  // why it does not open
};

// A model of a processor that can be simulated.
struct ListedModel {
  std::string name;
  std::string description;
  std::vector<std::string> sources;  // of its figures; empty: not shown
};

// A line for each event. Reasons are numbered and printed once, below the table. Then the models.
std::string listing_text(std::span<const ListedEvent>, std::span<const ListedModel> = {},
                         std::size_t width = 0);

// {"events": […]} of schema 1; with models also "models".
std::string listing_json(std::span<const ListedEvent>, std::span<const ListedModel>,
                         std::string_view version);

}  // namespace tacho
