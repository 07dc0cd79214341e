// Passes the text of a report on piece by piece, so that a long one need not be in memory.
#pragma once

#include <functional>
#include <string_view>

namespace tacho {

// Takes the next piece. No piece ends within a character.
using TextSink = std::function<void(std::string_view)>;

// Writes a report into a sink.
using TextWriter = std::function<void(const TextSink&)>;

}  // namespace tacho
