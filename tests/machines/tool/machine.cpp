#include "machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "call.hpp"
#include "events/toml_file.hpp"
#include "generic_event.hpp"

namespace made_up {
namespace {

using tacho::Result;
using tacho::TomlFile;

constexpr auto kMachineKeys =
    std::to_array<std::string_view>({"description", "cpus", "extended_type", "attribute_bytes",
                                     "flag_bits", "sample_types", "pmu", "refuse", "files"});
constexpr auto kPmuKeys =
    std::to_array<std::string_view>({"name", "type", "core", "cpus", "counters", "taken", "fixed",
                                     "events", "impossible", "free", "sysfs"});
constexpr auto kRuleKeys =
    std::to_array<std::string_view>({"errno", "pmu", "when", "leader", "because"});
constexpr auto kTests = std::to_array<std::pair<std::string_view, Condition::Test>>({
    {"not", Condition::Test::none_of},
    {"above", Condition::Test::above},
    {"below", Condition::Test::below},
    {"bits", Condition::Test::has_bits},
});
// Linux 6.3: struct perf_event_attr up to config3, flags up to sigtrap, sample types up to
// weight_struct.
constexpr unsigned kAttributeBytesOf63 = 136;
constexpr unsigned kFlagBitsOf63 = 38;
constexpr unsigned kSampleTypesOf63 = 25;

// The errors that perf_event_open gives in the tables.
constexpr auto kCodes = std::to_array<int>({EPERM, ENOENT, ESRCH, ENXIO, E2BIG, EACCES, EBUSY,
                                            ENODEV, EINVAL, EMFILE, ENOSPC, ENOSYS, EOPNOTSUPP});

Result<std::uint64_t> number(const TomlFile& file, const toml::node& node) {
  if (const auto* truth = node.as_boolean()) return truth->get() ? 1 : 0;
  const auto* value = node.as_integer();
  if (value == nullptr || value->get() < 0)
    return file.bad(node.source(), "a number from 0 on is needed", "write 4 or 0x3c");
  return static_cast<std::uint64_t>(value->get());
}

Result<std::uint64_t> number(const TomlFile& file, const toml::table& table, std::string_view key,
                             std::uint64_t otherwise) {
  const toml::node* node = table.get(key);
  return node == nullptr ? otherwise : number(file, *node);
}

// A number, or an array of numbers.
Result<std::vector<std::uint64_t>> numbers(const TomlFile& file, const toml::node& node) {
  std::vector<std::uint64_t> all;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& each : *array) all.push_back(TACHO_TRY(number(file, each)));
    return all;
  }
  all.push_back(TACHO_TRY(number(file, node)));
  return all;
}

// The texts of a key, which may be missing or one text.
Result<std::vector<std::string>> texts(const TomlFile& file, const toml::table& table,
                                       std::string_view key) {
  std::vector<std::string> all;
  const toml::node* node = table.get(key);
  if (node == nullptr) return all;
  const toml::array one{table.get_as<std::string>(key) != nullptr ? *node->as_string()
                                                                  : toml::value<std::string>("")};
  const toml::array* array = node->as_array();
  for (const toml::node& each : array != nullptr ? *array : one) {
    const auto* text = each.as_string();
    if (text == nullptr || text->get().empty())
      return file.bad(node->source(), fmt::format("'{}' is not a list of texts", key),
                      fmt::format("write {} = [\"…\"]", key));
    all.push_back(text->get());
  }
  return all;
}

Result<int> code_of(const TomlFile& file, const toml::table& table, std::string_view key) {
  const std::string name = TACHO_TRY(file.text(table, key, true));
  for (const int code : kCodes)
    if (name == ::strerrorname_np(code)) return code;
  return file.bad(table.source(), fmt::format("'{}' is no errno that is known here", name),
                  "write it as in errno.h, or add it to kCodes in machine.cpp");
}

Result<std::vector<Generic>> generics(const TomlFile& file, const toml::table& table,
                                      std::string_view key) {
  std::vector<Generic> all;
  for (const std::string& name : TACHO_TRY(texts(file, table, key))) {
    const auto event = generic_event(name);
    if (!event)
      return file.bad(table.source(), fmt::format("'{}' is not a generic event", name),
                      "use a name of generic_event.cpp");
    all.push_back(*event);
  }
  return all;
}

Result<std::vector<MadeUpFile>> files(const TomlFile& file, const toml::table& table,
                                      std::string_view key) {
  std::vector<MadeUpFile> all;
  const toml::node* node = table.get(key);
  if (node == nullptr) return all;
  const toml::table* entries = node->as_table();
  if (entries == nullptr)
    return file.bad(node->source(), fmt::format("'{}' is not a table", key),
                    "write \"path\" = \"text\"");
  for (const auto& [path, text] : *entries) {
    if (!text.is_string())
      return file.bad(text.source(), "the file's text is missing", "write \"path\" = \"text\"");
    all.push_back({std::string(path.str()), text.as_string()->get()});
  }
  return all;
}

Result<MadeUpPmu> read_pmu(const TomlFile& file, const toml::table& table, int machine_cpus) {
  TACHO_TRY(file.check_keys(table, kPmuKeys));
  MadeUpPmu pmu;
  pmu.name = TACHO_TRY(file.text(table, "name", true));
  pmu.type = static_cast<std::uint32_t>(TACHO_TRY(number(file, table, "type", 0)));
  pmu.core = TACHO_TRY(number(file, table, "core", 0)) != 0;
  pmu.counters = static_cast<unsigned>(TACHO_TRY(number(file, table, "counters", 64)));
  pmu.taken = static_cast<unsigned>(TACHO_TRY(number(file, table, "taken", 0)));
  pmu.fixed = TACHO_TRY(generics(file, table, "fixed"));
  pmu.events = TACHO_TRY(generics(file, table, "events"));
  if (const toml::node* node = table.get("free")) pmu.free = TACHO_TRY(numbers(file, *node));
  pmu.impossible = TACHO_TRY(generics(file, table, "impossible"));
  pmu.sysfs = TACHO_TRY(files(file, table, "sysfs"));
  if (const toml::node* node = table.get("cpus"))
    for (const std::uint64_t cpu : TACHO_TRY(numbers(file, *node)))
      pmu.cpus.push_back(static_cast<int>(cpu));
  const auto count = static_cast<int>(pmu.cpus.size());
  // A task's event is bound to one CPU, or to none.
  if (pmu.core && count != 1 && count != machine_cpus)
    return file.bad(table.source(), fmt::format("'{}' has {} CPUs", pmu.name, count),
                    "a core PMU has one CPU or all CPUs of the machine");
  return pmu;
}

Result<Condition> read_condition(const TomlFile& file, std::string_view name,
                                 const toml::node& node) {
  if (!is_field(name))
    return file.bad(node.source(), fmt::format("'{}' is not a field of a call", name),
                    "call.cpp has the fields");
  Condition condition{.field = std::string(name), .test = Condition::Test::one_of, .numbers = {}};
  const toml::table* test = node.as_table();
  if (test == nullptr) {
    condition.numbers = TACHO_TRY(numbers(file, node));
    return condition;
  }
  for (const auto& [word, which] : kTests) {
    const toml::node* value = test->get(word);
    if (value == nullptr) continue;
    condition.test = which;
    condition.numbers = TACHO_TRY(numbers(file, *value));
  }
  if (test->size() != 1 || condition.numbers.empty())
    return file.bad(node.source(), "this is not one condition",
                    "write a number, { not = N }, { above = N }, { below = N } or { bits = N }");
  return condition;
}

Result<std::vector<Condition>> conditions(const TomlFile& file, const toml::table& table,
                                          std::string_view key) {
  std::vector<Condition> all;
  const toml::table* entries = table.get_as<toml::table>(key);
  if (entries == nullptr) return all;
  for (const auto& [name, node] : *entries)
    all.push_back(TACHO_TRY(read_condition(file, name.str(), node)));
  return all;
}

Result<Rule> read_rule(const TomlFile& file, const toml::table& table) {
  TACHO_TRY(file.check_keys(table, kRuleKeys));
  Rule rule;
  rule.pmus = TACHO_TRY(texts(file, table, "pmu"));
  rule.when = TACHO_TRY(conditions(file, table, "when"));
  rule.leader = TACHO_TRY(conditions(file, table, "leader"));
  rule.code = TACHO_TRY(code_of(file, table, "errno"));
  rule.because = TACHO_TRY(file.text(table, "because", true));
  return rule;
}

// The tables of a key, as [[pmu]].
Result<std::vector<const toml::table*>> tables(const TomlFile& file, const toml::table& table,
                                               std::string_view key) {
  std::vector<const toml::table*> all;
  const toml::node* node = table.get(key);
  if (node == nullptr) return all;
  const toml::array* array = node->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table))
    return file.bad(node->source(), fmt::format("'{}' is not a list of tables", key),
                    fmt::format("write [[{}]]", key));
  for (const toml::node& each : *array) all.push_back(each.as_table());
  return all;
}

}  // namespace

Result<Machine> read_machine(const std::string& path) {
  const TomlFile file(path);
  const std::string text = TACHO_TRY(tacho::read_file(path));
  const toml::table table = TACHO_TRY(file.parse(text));
  TACHO_TRY(file.check_keys(table, kMachineKeys));
  const auto small = [&](std::string_view key, unsigned otherwise) -> Result<unsigned> {
    return static_cast<unsigned>(TACHO_TRY(number(file, table, key, otherwise)));
  };
  Machine machine;
  machine.cpus = static_cast<int>(TACHO_TRY(small("cpus", 1)));
  machine.extended_type = TACHO_TRY(small("extended_type", 0)) != 0;
  machine.attribute_bytes = TACHO_TRY(small("attribute_bytes", kAttributeBytesOf63));
  machine.flag_bits = TACHO_TRY(small("flag_bits", kFlagBitsOf63));
  machine.sample_types = TACHO_TRY(small("sample_types", kSampleTypesOf63));
  machine.files = TACHO_TRY(files(file, table, "files"));
  for (const MadeUpFile& each : machine.files)
    if (each.path.ends_with("/perf_event_max_sample_rate"))
      machine.max_sample_rate = std::strtoull(each.text.c_str(), nullptr, 10);
  for (const toml::table* pmu : TACHO_TRY(tables(file, table, "pmu")))
    machine.pmus.push_back(TACHO_TRY(read_pmu(file, *pmu, machine.cpus)));
  for (const toml::table* rule : TACHO_TRY(tables(file, table, "refuse")))
    machine.rules.push_back(TACHO_TRY(read_rule(file, *rule)));
  return machine;
}

}  // namespace made_up
