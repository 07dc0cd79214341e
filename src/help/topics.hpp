// The texts of `tacho help TOPIC`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tacho {

struct HelpTopic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;  // before its lines are broken
};

std::span<const HelpTopic> help_topics();

// The list of all topics with their summaries, a line each.
std::string topic_list();

// The text of a topic in lines of at most `columns`; empty if there is no such topic.
std::string topic_text(std::string_view name, std::size_t columns);

}  // namespace tacho
