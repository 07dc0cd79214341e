#include "page/page.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <string_view>

#include "base/cpuinfo.hpp"
#include "base/own_program.hpp"
#include "base/parse_number.hpp"
#include "base/safe_text.hpp"
#include "page/base64.hpp"
#include "page/web_files.hpp"
#include "report/gzip.hpp"
#include "report/schema.hpp"
#include "tacho/version.h"

namespace tacho {
namespace {

constexpr int kSchema = 1;
constexpr int kLevel = 4;  // of gzip: 6 takes three times as long and saves 7 %

// What a name becomes in HTML's text and attributes.
std::string in_html(std::string_view text) {
  std::string html;
  for (const char c : text) switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  return html;
}

std::string bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
    bytes += static_cast<char>(parse_number<unsigned>(hexadecimal.substr(i, 2), 16).value_or(0));
  return bytes;
}

// Only the script of this page runs, and nothing is loaded from anywhere.
std::string policy(const WebFiles& files) {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'unsafe-inline'; img-src data:; "
      "base-uri 'none'; form-action 'none'",
      base64(bytes_of(files.sha256)));
}

std::string written_by() {
  std::vector<std::string> words = own_command_line();
  if (!words.empty()) words.front().erase(0, words.front().rfind('/') + 1);
  return written(json_list(words));
}

std::string data_of(const Page& page) {
  Json facts = Json::array();
  for (const auto& [name, value] : page.facts)
    if (!value.empty()) facts.push_back({name, value});
  const Json head{{"schema", kSchema},
                  {"kind", page.kind},
                  {"tacho", TACHO_VERSION_STRING},
                  {"title", page.title},
                  {"how", page.how},
                  {"facts", std::move(facts)},
                  {"warnings", json_list(page.warnings)}};
  std::string text = written(head);
  text.resize(text.rfind('}'));
  return fmt::format("{},\"written_by\":{},\"document\":{}{}}}", text, written_by(), page.document,
                     page.more);
}

}  // namespace

PageFacts facts_of_this_machine() {
  utsname names{};
  const bool known = ::uname(&names) == 0;
  return {{"host", known ? names.nodename : ""},
          {"CPU", processor_name()},
          {"kernel", known ? names.release : ""}};
}

std::string html_page(const Page& page) {
  const WebFiles& files = *web_files();
  const std::array<std::pair<std::string_view, std::string>, 5> texts{
      {{"POLICY", policy(files)},
       {"TITLE", in_html(printable(page.title))},
       {"STYLE", std::string(files.style)},
       {"DATA", base64(gzipped(data_of(page), kLevel))},
       {"SCRIPT", std::string(files.script)}}};
  std::string html;
  std::string_view rest = files.page;
  for (const auto& [name, text] : texts) {  // in the template's order
    const std::string mark = fmt::format("@{}@", name);
    const std::size_t at = rest.find(mark);
    html.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  }
  return html.append(rest);
}

}  // namespace tacho
