#include "events/core_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "events/data_file.hpp"
#include "events/spelling.hpp"
#include "events/toml_file.hpp"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 6> kKeys = {"name",         "implementer", "part",
                                                   "architecture", "source",      "events"};
constexpr std::array<std::string_view, 5> kEventKeys = {"name", "number", "means", "also",
                                                        "caveat"};
constexpr std::array<std::string_view, 3> kArchitectures = {"armv6", "armv7", "aarch64"};

// Reads one file. Keeps the first error and continues; the values read after it are not used.
class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path) {}

  Result<CoreEvents> read(std::string_view text) {
    auto root = TACHO_TRY(file_.parse(text));
    take(file_.check_keys(root, kKeys));
    CoreEvents core;
    core.name = this->text(root, "name", true);
    core.implementer = number(root, "implementer", 0xff);
    core.part = number(root, "part", 0xfff);
    core.architecture = this->text(root, "architecture", true);
    core.source = this->text(root, "source", true);
    if (std::ranges::find(kArchitectures, core.architecture) == kArchitectures.end())
      refuse(root, "'architecture' is none of armv6, armv7 and aarch64", "write one of them");
    const toml::array* events = root.get_as<toml::array>("events");
    if (events == nullptr || events->empty())
      refuse(root, "there are no events", "list them: [[events]]");
    else
      for (const toml::node& node : *events) add(core, node);
    if (error_) return std::unexpected(*error_);
    return core;
  }

 private:
  void add(CoreEvents& core, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr)
      return refuse(node, "an event is not a table", "write {name = \"…\", number = 0x…}");
    take(file_.check_keys(*table, kEventKeys));
    CoreEvent event;
    event.name = text(*table, "name", true);
    event.number = static_cast<std::uint16_t>(number(*table, "number", 0xffff));
    event.means = text(*table, "means", true);
    event.caveat = text(*table, "caveat", false);
    if (const toml::array* also = table->get_as<toml::array>("also"))
      for (const toml::node& name : *also) event.also.push_back(name.value_or(std::string()));
    if (!is_new_name(event.name) || !numbers_.insert(event.number).second)
      refuse(*table, fmt::format("the event '{}' or its number is given twice", event.name),
             "remove one of them");
    for (const std::string& name : event.also)
      if (name.empty() || !is_new_name(name))
        refuse(*table, fmt::format("the name '{}' is given twice, or is not a name", name),
               "remove it");
    core.events.push_back(std::move(event));
  }

  bool is_new_name(std::string name) {
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return names_.insert(std::move(name)).second;
  }

  std::string text(const toml::table& table, std::string_view key, bool needed) {
    auto value = file_.text(table, key, needed);
    if (value) return *value;
    take(std::unexpected(value.error()));
    return {};
  }

  std::uint32_t number(const toml::table& table, std::string_view key, std::int64_t most) {
    const auto value = table[key].value<std::int64_t>();
    if (value && *value >= 0 && *value <= most) return static_cast<std::uint32_t>(*value);
    refuse(table, fmt::format("'{}' is missing, or is not a number from 0 to {:#x}", key, most),
           fmt::format("write {} = 0x…", key));
    return 0;
  }

  void refuse(const toml::node& where, std::string_view reason, std::string_view remedy) {
    take(file_.bad(where.source(), reason, remedy));
  }

  void take(Result<void> done) {
    if (!done && !error_) error_ = done.error();
  }

  TomlFile file_;
  std::set<std::string> names_;  // in lower case
  std::set<std::uint16_t> numbers_;
  std::optional<Error> error_;
};

}  // namespace

const CoreEvent* CoreEvents::find(std::string_view wanted) const {
  const auto found = std::ranges::find_if(events, [wanted](const CoreEvent& event) {
    return same_letters(event.name, wanted) ||
           std::ranges::any_of(event.also, [wanted](const std::string& other) {
             return same_letters(other, wanted);
           });
  });
  return found == events.end() ? nullptr : &*found;
}

const CoreEvent* CoreEvents::find(std::uint16_t number) const {
  const auto found = std::ranges::find(events, number, &CoreEvent::number);
  return found == events.end() ? nullptr : &*found;
}

Result<CoreEvents> parse_core_events(std::string_view text, const std::string& path) {
  return Reader(path).read(text);
}

Result<CoreEvents> load_core_events(const std::string& path) {
  const auto text = TACHO_TRY(read_data_file(path));
  return parse_core_events(text, path);
}

}  // namespace tacho
