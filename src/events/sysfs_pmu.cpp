#include "events/sysfs_pmu.hpp"

#include <dirent.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <memory>
#include <set>

#include "base/file.hpp"
#include "events/abi.hpp"
#include "events/cache_names.hpp"
#include "events/format_term.hpp"
#include "events/general_terms.hpp"
#include "events/generic_names.hpp"
#include "events/spelling.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostTerms = 64;  // of one event; no PMU's format has as many
// Suffixes of the files that describe an event further, beside the event's own file.
constexpr std::array<std::string_view, 4> kAliasFacts = {".unit", ".scale", ".per-pkg",
                                                         ".snapshot"};

bool is_file_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

bool is_alias_name(std::string_view name) {
  return is_file_name(name) && std::ranges::none_of(kAliasFacts, [name](std::string_view fact) {
           return name.ends_with(fact);
         });
}

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

bool is_software(std::string_view pmu) {
  constexpr std::array<std::string_view, 5> kOfTheKernel = {"software", "tracepoint", "breakpoint",
                                                            "kprobe", "uprobe"};
  return std::ranges::find(kOfTheKernel, pmu) != kOfTheKernel.end();
}

// Encodes one event of one PMU from its terms.
class Encoder {
 public:
  Encoder(const std::string& root, std::string pmu, std::string_view spec)
      : root_(root), pmu_(std::move(pmu)), directory_(root + "/" + pmu_), spec_(spec) {}

  Result<Event> encode(std::string_view terms) {
    const std::string type_text = first_line(directory_ + "/type");
    const auto type = parse_number(type_text);
    if (!type || *type > UINT32_MAX)
      return bad(fmt::format("cannot read the PMU's type from '{}/type'", directory_),
                 "check that sysfs is mounted at /sys");
    event_.name = spec_;
    event_.type = static_cast<std::uint32_t>(*type);
    event_.domain = domain();
    if (event_.domain == Domain::other) event_.cpus = first_line(directory_ + "/cpumask");
    if (event_.domain == Domain::core) choose_core(event_);
    TACHO_TRY(add_terms(terms, false));
    for (const std::string& parameter : parameters_)
      if (!given_.contains(parameter))
        return bad(fmt::format("it needs a value for '{}'", parameter),
                   fmt::format("add {}=NUMBER between the slashes", parameter));
    describe_software(event_);
    return std::move(event_);
  }

 private:
  Domain domain() const {
    if (is_core_pmu(directory_)) return Domain::core;
    return is_software(pmu_) ? Domain::software : Domain::other;
  }

  // On a machine with unequal cores, the event belongs to one kind of core.
  void choose_core(Event& event) const {
    const std::vector<CorePmu> cores = SysfsPmus(root_).cores();
    if (cores.size() < 2) return;
    const auto own = std::ranges::find(cores, pmu_, &CorePmu::name);
    if (own == cores.end()) return;  // all its CPUs are offline
    event.core_pmu = pmu_;
    event.cpus = own->cpus;
  }

  std::unexpected<Error> bad(std::string_view reason, std::string remedy) const {
    return failure(fmt::format("event '{}': {}", spec_, reason), std::move(remedy));
  }

  // Adds the user's terms, or those of one of the kernel's named events.
  Result<void> add_terms(std::string_view terms, bool of_alias) {
    while (!terms.empty()) {
      const std::size_t comma = terms.find(',');
      const std::string_view term = terms.substr(0, comma);
      terms.remove_prefix(comma == std::string_view::npos ? terms.size() : comma + 1);
      if (term.empty())
        return bad("a term is missing beside a comma", "name one, or drop the comma");
      if (++terms_ > kMostTerms) return bad("too many terms", "no PMU has that many");
      const std::size_t equals = term.find('=');
      const std::string_view key = term.substr(0, equals);
      Result<void> added = equals == std::string_view::npos
                               ? add_word(key, of_alias)
                               : add_value(key, term.substr(equals + 1), of_alias);
      if (!added) return added;
    }
    return {};
  }

  Result<void> add_value(std::string_view key, std::string_view value, bool of_alias) {
    if (!of_alias && TACHO_TRY(apply_general_term(key, value, spec_, event_))) return {};
    if (of_alias && value == "?") {
      parameters_.emplace(key);
      return {};
    }
    given_.emplace(key);
    const auto number = parse_number(value);
    if (!number) return bad(fmt::format("{}: {}", key, number.error().what), "correct the value");
    for (unsigned word = 0; word < kConfigWords.size(); ++word) {
      if (key != kConfigWords[word]) continue;
      config_word(event_, word) |= *number;
      return {};
    }
    const auto format = TACHO_TRY(read_format(key));
    if (!format) return unknown(key);
    if (*number > format->greatest())
      return bad(fmt::format("{}={} does not fit its {} bits", key, value, format->width()),
                 fmt::format("the greatest value is {:#x}", format->greatest()));
    format->set(*number, event_);
    return {};
  }

  // Adds a term without a value: a named event, a generic name, rHEX, or one bit of the format.
  Result<void> add_word(std::string_view word, bool of_alias) {
    if (!of_alias) {
      if (const auto alias = read_alias(word)) return add_terms(*alias, true);
      if (event_.domain == Domain::core && add_generic(word)) return {};
    }
    const auto format = TACHO_TRY(read_format(word));
    if (format) {
      format->set(1, event_);
      return {};
    }
    if (!of_alias && word.size() > 1 && word[0] == 'r') {
      std::string_view digits = word.substr(1);
      if (digits.starts_with("0x")) digits.remove_prefix(2);
      if (const auto number = parse_number(fmt::format("0x{}", digits))) {
        event_.config |= *number;
        return {};
      }
    }
    if (TACHO_TRY(apply_general_term(word, {}, spec_, event_))) return {};
    return unknown(word);
  }

  // The terms of a named event. Sets the event's unit and scale from the files beside it.
  std::optional<std::string> read_alias(std::string_view name) {
    if (!is_alias_name(name)) return std::nullopt;
    const std::string path = fmt::format("{}/events/{}", directory_, name);
    auto text = read_file(path);
    if (!text) return std::nullopt;
    while (text->ends_with('\n')) text->pop_back();
    if (std::string unit = first_line(path + ".unit"); !unit.empty()) event_.unit = std::move(unit);
    const std::string scale = first_line(path + ".scale");
    double factor = 0;
    if (std::from_chars(scale.data(), scale.data() + scale.size(), factor).ec == std::errc())
      event_.scale = factor;
    return std::move(*text);
  }

  // The format of a term; nothing if the PMU's format does not have the term.
  Result<std::optional<FormatTerm>> read_format(std::string_view name) const {
    if (!is_file_name(name)) return std::nullopt;
    const auto text = read_file(fmt::format("{}/format/{}", directory_, name));
    if (!text) return std::nullopt;
    auto term = parse_format(*text);
    if (!term)
      return bad(fmt::format("term '{}' can't be used: {}", name, term.error().what),
                 "give the bits as config=NUMBER");
    return std::move(*term);
  }

  bool add_generic(std::string_view word) {
    auto generic = generic_event(word);
    if (!generic || generic->type != abi::kHardware) generic = cache_event(word);
    if (!generic) return false;
    // With one core PMU the generic type is enough. With several, the upper half of config selects.
    const std::uint64_t pmu_type = event_.core_pmu.empty() ? 0 : event_.type;
    event_.type = generic->type;
    event_.config |= generic->config | pmu_type << abi::kPmuTypeShift;
    return true;
  }

  Result<void> unknown(std::string_view term) const {
    std::vector<std::string> known;
    for (const std::string& name : directory_names(directory_ + "/events"))
      if (is_alias_name(name)) known.push_back(name);
    std::ranges::copy(directory_names(directory_ + "/format"), std::back_inserter(known));
    std::string remedy = did_you_mean(term, known);
    if (remedy.empty() && !known.empty()) {
      constexpr std::size_t kShown = 12;
      const bool more = known.size() > kShown;
      known.resize(std::min(known.size(), kShown));
      remedy = fmt::format("it has {}{}", fmt::join(known, ", "), more ? " and more" : "");
    }
    return bad(fmt::format("PMU '{}' has no term or event '{}'", pmu_, term), std::move(remedy));
  }

  std::string root_;
  std::string pmu_;
  std::string directory_;
  std::string spec_;
  Event event_;
  std::size_t terms_ = 0;
  std::set<std::string, std::less<>> parameters_;  // terms whose value the user has to give
  std::set<std::string, std::less<>> given_;       // terms with a value
};

// `imc` selects uncore_imc, uncore_imc_0 and so on; `*imc*` is a pattern.
bool selects(std::string_view wanted, std::string_view pmu) {
  if (wanted.find_first_of("*?") != std::string_view::npos)
    return ::fnmatch(std::string(wanted).c_str(), std::string(pmu).c_str(), 0) == 0;
  constexpr std::string_view kUncore = "uncore_";
  for (std::string_view name : {pmu, pmu.starts_with(kUncore) ? pmu.substr(kUncore.size()) : pmu}) {
    if (!name.starts_with(wanted)) continue;
    std::string_view rest = name.substr(wanted.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    if (rest.find_first_not_of("0123456789") == std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

// Core PMUs are known by name (armv7_cortex_a7, armv8_pmuv3_0) or by the file `cpus`, which only
// they have. A look for that file takes 10 µs at each launch, so it is left out for the kernel's
// own PMUs, which never have it.
bool is_core_pmu(const std::string& directory) {
  constexpr auto kOfTheKernel = std::to_array<std::string_view>(
      {"breakpoint", "kprobe", "msr", "software", "tracepoint", "uprobe"});
  const std::string_view pmu = std::string_view(directory).substr(directory.rfind('/') + 1);
  if (pmu == "cpu" || pmu == "cpu_core" || pmu == "cpu_atom") return true;
  if (pmu.starts_with("armv") && pmu.size() > 4 &&
      std::isdigit(static_cast<unsigned char>(pmu[4])) != 0)
    return true;
  return std::ranges::find(kOfTheKernel, pmu) == kOfTheKernel.end() && exists(directory + "/cpus");
}

std::vector<std::string> directory_names(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) return names;
  while (const dirent* entry = ::readdir(directory.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> SysfsPmus::names() const {
  return directory_names(root_);
}

Result<Event> SysfsPmus::event(std::string_view pmu, std::string_view terms,
                               std::string_view spec) const {
  if (is_file_name(pmu) && exists(fmt::format("{}/{}/type", root_, pmu)))
    return Encoder(root_, std::string(pmu), spec).encode(terms);
  std::vector<std::string> meant;
  const std::vector<std::string> known = names();
  if (!pmu.empty())
    std::ranges::copy_if(known, std::back_inserter(meant),
                         [pmu](const std::string& name) { return selects(pmu, name); });
  if (meant.size() == 1) return Encoder(root_, meant[0], spec).encode(terms);
  if (meant.size() > 1)
    return failure(fmt::format("event '{}': '{}' selects {} PMUs", spec, pmu, meant.size()),
                   fmt::format("name them one by one: {}", fmt::join(meant, ", ")));
  return failure(fmt::format("event '{}': this machine has no PMU '{}'", spec, pmu),
                 known.empty()
                     ? fmt::format("'{}' names no PMU at all; check that sysfs is mounted", root_)
                     : fmt::format("its PMUs are {}; tacho doctor shows what can count here",
                                   fmt::join(known, ", ")));
}

Result<std::optional<Event>> SysfsPmus::bare_event(std::string_view name,
                                                   std::string_view spec) const {
  if (!is_alias_name(name)) return std::nullopt;
  std::vector<std::string> owners;
  for (const std::string& pmu : names())
    if (exists(fmt::format("{}/{}/events/{}", root_, pmu, name))) owners.push_back(pmu);
  if (owners.empty()) return std::nullopt;
  std::ranges::stable_partition(owners, [](const std::string& pmu) { return pmu == "cpu_core"; });
  if (owners.size() > 1)
    return failure(fmt::format("event '{}' is ambiguous: {} PMUs have it", spec, owners.size()),
                   fmt::format("name the PMU, as in {}/{}/; they are {}", owners[0], name,
                               fmt::join(owners, ", ")));
  return TACHO_TRY(Encoder(root_, owners[0], spec).encode(name));
}

std::vector<SysfsPmus::Alias> SysfsPmus::aliases() const {
  std::vector<Alias> found;
  for (const std::string& pmu : names()) {
    const std::string events = fmt::format("{}/{}/events", root_, pmu);
    for (const std::string& name : directory_names(events))
      if (is_alias_name(name))
        found.push_back({pmu, name, first_line(events + "/" + name),
                         first_line(events + "/" + name + ".unit")});
  }
  return found;
}

std::string SysfsPmus::cpus_of_type(std::uint32_t type) const {
  for (const std::string& pmu : names())
    if (first_line(fmt::format("{}/{}/type", root_, pmu)) == std::to_string(type))
      return first_line(fmt::format("{}/{}/cpumask", root_, pmu));
  return {};
}

std::vector<CorePmu> SysfsPmus::cores() const {
  std::vector<CorePmu> found;
  for (const std::string& pmu : names()) {
    const std::string directory = root_ + "/" + pmu;
    if (!is_core_pmu(directory)) continue;
    const auto type = parse_number(first_line(directory + "/type"));
    const std::string cpus = first_line(directory + "/cpus");
    const bool all_offline = cpus.empty() && exists(directory + "/cpus");
    if (type && *type <= UINT32_MAX && !all_offline)
      found.push_back({pmu, static_cast<std::uint32_t>(*type), cpus});
  }
  std::ranges::stable_partition(found, [](const CorePmu& core) { return core.name == "cpu_core"; });
  return found;
}

}  // namespace tacho
