// What `tacho list` prints: events, and whether they open here.
#pragma once

#include <span>
#include <string>

namespace tacho {

struct ListedEvent {
  std::string name;
  std::string source;
  std::string description;
  bool opens = false;
  std::string reason;  // why it does not open
};

// A line an event; reasons are numbered and said once below the table.
std::string listing_text(std::span<const ListedEvent>);

// {"events": […]} of schema 1.
std::string listing_json(std::span<const ListedEvent>);

}  // namespace tacho
