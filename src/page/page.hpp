// Pages for browsers: one file with the picture, its data and all that draws it. A page loads
// nothing, so it can be mailed or kept. docs/reference/pages.md describes its data.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tacho {

// Names and values in the heading of a page. Empty values are left out.
using PageFacts = std::vector<std::pair<std::string, std::string>>;

// Of the machine that this program runs on: host, CPU and kernel.
PageFacts facts_of_this_machine();

// Page::how of a simulation.
inline constexpr const char* kSimulatedPage =
    "Simulated: these are figures of a model of a processor, not of this machine.";

// What a page shows, and what its heading says.
struct Page {
  std::string kind;   // which picture: see web/main.js
  std::string title;  // what was measured
  std::string how;    // a sentence: counted, estimated, sampled or simulated
  PageFacts facts;
  std::vector<std::string> warnings;
  std::string document;  // what --json prints
  std::string more;      // the text of further members, such as ",\"profile\":{}"; or empty
};

// The program must have its web_files().
std::string html_page(const Page&);

}  // namespace tacho
