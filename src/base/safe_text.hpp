// The door for text that comes from data: names of functions, files, threads, events and regions,
// source lines, and messages that quote them. Such text may have been made to deceive: to control
// the terminal, to look like another line or another name, or to run in a spreadsheet.
//
// A character that can't be seen as itself (is_invisible()) is spelled: \xNN below U+0080, \uNNNN
// and \UNNNNNNNN above. A byte that is not UTF-8 is \xNN. SECURITY.md has the promise.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacho {

// The text as a part of one line, with such characters spelled. A text of more than `limit` columns
// is cut and ends in "…".
std::string printable(std::string_view text, std::size_t limit = 200);

// The same without a limit, and reversible: \ becomes \\.
std::string escaped(std::string_view bytes);

// JSON with such characters spelled as JSON does (\u202e). JSON leaves some of them as they are,
// such as the C1 controls. Line ends between its values stay.
std::string json_spelled(std::string json);

// The text as a cell of CSV, quoted where needed (RFC 4180). A spreadsheet takes a cell that begins
// with = + - or @ for a formula and runs it. So this first character is spelled, too, also behind a
// semicolon, which separates cells where the comma is the decimal sign.
std::string csv_cell(std::string_view text);

enum class Colours { removed, kept };

// Whole lines, as the last check before they are written. Line ends and tabs stay, and with `kept`
// the terminal's colours (ESC [ digits m).
std::string printable_lines(std::string_view text, Colours colours);

}  // namespace tacho
