// The order of look-up is perf's where perf has one: names that the kernel numbers, raw codes,
// sysfs's bare names, tracepoints (category:name), and libpfm4's names last. Common names therefore
// need neither a file nor the library.
#include "events/catalogue.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "events/abi.hpp"
#include "events/breakpoint.hpp"
#include "events/cache_names.hpp"
#include "events/format_term.hpp"
#include "events/general_terms.hpp"
#include "events/generic_names.hpp"
#include "events/modifiers.hpp"
#include "events/pfm.hpp"
#include "events/spelling.hpp"
#include "events/sysfs_pmu.hpp"
#include "events/tracepoint.hpp"

namespace tacho {
namespace {

constexpr std::size_t kMostNameCharacters = 4096;

// `r01c2`: the PMU's own code.
std::optional<Event> raw_event(std::string_view name) {
  constexpr std::size_t kMostDigits = 16;
  if (!name.starts_with('r')) return std::nullopt;
  name.remove_prefix(1);
  if (name.starts_with("0x")) name.remove_prefix(2);
  if (name.empty() || name.size() > kMostDigits) return std::nullopt;
  if (name.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)
    return std::nullopt;
  Event event;
  event.domain = Domain::core;
  event.type = abi::kRaw;
  event.config = parse_number(fmt::format("0x{}", name)).value_or(0);
  return event;
}

std::optional<Event> built_in(std::string_view name) {
  if (auto event = generic_event(name)) return event;
  if (auto event = cache_event(name)) return event;
  return raw_event(name);
}

Result<Event> modified(Event event, std::string_view letters, std::string_view spec) {
  event.name = spec;
  TACHO_TRY(apply_modifiers(letters, spec, event));
  return event;
}

// `name/terms/modifiers`: an event of one of sysfs's PMUs, or a generic or cache event with terms
// for sampling.
Result<Event> slash_event(const std::string& sysfs, std::string_view spec) {
  const std::size_t first = spec.find('/');
  const std::size_t last = spec.rfind('/');
  if (last == first)
    return failure(fmt::format("event '{}': the second '/' is missing", spec),
                   "a PMU's event is written pmu/…/");
  std::string_view letters = spec.substr(last + 1);
  if (letters.starts_with(':')) letters.remove_prefix(1);
  const std::string_view terms = spec.substr(first + 1, last - first - 1);
  Event event;
  if (auto known = built_in(spec.substr(0, first))) {
    event = std::move(*known);
    event.name = spec;
    TACHO_TRY(apply_general_terms(terms, spec, event));
  } else {
    event = TACHO_TRY(SysfsPmus(sysfs).event(spec.substr(0, first), terms, spec));
  }
  const std::string name = event.name;  // that of a term name=TEXT, if there is one
  event = TACHO_TRY(modified(std::move(event), letters, spec));
  event.name = name;
  return event;
}

// The kernel writes tracepoints in lower case; vendors write their events in upper case. A misspelt
// name with `:u` behind it is not a tracepoint.
bool is_tracepoint_like(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         !are_modifiers(name.substr(name.find(':') + 1));
}

bool is_pattern(std::string_view spec) {
  return spec.find_first_of("*?") != std::string_view::npos;
}

bool matches_pattern(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

using Found = Result<std::optional<Event>>;

// Looks one name up in all places that need a file or libpfm4.
class Lookup {
 public:
  Lookup(const CatalogueRoots& roots, std::string_view spec)
      : pmus_(roots.sysfs), tracepoints_(roots.tracefs), spec_(spec) {}

  Result<Event> run() {
    const auto [name, letters] = split_modifiers(spec_);
    // The whole text first: letters that look like modifiers may belong to the name.
    if (Found whole = look_up(spec_); !whole || *whole) return finish(std::move(whole), {});
    if (!letters.empty())
      if (Found part = look_up(name); !part || *part) return finish(std::move(part), letters);
    if (missing_) return std::unexpected(*missing_);
    return unknown();
  }

 private:
  Result<Event> finish(Found found, std::string_view letters) const {
    if (!found) return std::unexpected(found.error());
    Event& event = **found;
    if (event.domain == Domain::other && event.cpus.empty())
      event.cpus = pmus_.cpus_of_type(event.type);
    return modified(std::move(event), letters, spec_);
  }

  Found look_up(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) {
      Found alias = pmus_.bare_event(name, spec_);
      if (!alias || *alias) return alias;
    } else if (!name.substr(colon).starts_with("::")) {
      Found tracepoint = tracepoints_.event(name.substr(0, colon), name.substr(colon + 1), spec_);
      if (tracepoint && *tracepoint) return tracepoint;
      // If tracefs can't be read, that is the error of a name that looks like a tracepoint, unless
      // libpfm4 knows the name.
      if (!tracepoint && !missing_ && is_tracepoint_like(name)) missing_ = tracepoint.error();
    }
    Found pfm = pfm_event(name);
    if (pfm) return pfm;
    // The part that libpfm4 rejects may be tacho's modifiers. Then run() tries the name without
    // them.
    if (split_modifiers(name).second.empty()) missing_ = with_nearest(pfm.error(), name);
    return std::nullopt;
  }

  static std::vector<std::string> vendors_names(std::string_view like) {
    const bool has_pmu = like.find("::") != std::string_view::npos;
    std::vector<std::string> names;
    for (const PfmName& event : pfm_names())
      names.push_back(has_pmu ? event.pmu + "::" + event.name : event.name);
    return names;
  }

  static Error with_nearest(Error error, std::string_view name) {
    if (error.remedy.empty()) error.remedy = did_you_mean(name, vendors_names(name));
    if (error.remedy.empty()) error.remedy = "tacho list shows its unit masks";
    return error;
  }

  Result<Event> unknown() const {
    constexpr auto kTimes =
        std::to_array<std::string_view>({"duration_time", "user_time", "system_time"});
    if (std::ranges::find(kTimes, spec_) != kTimes.end())
      return failure(fmt::format("'{}' is an event of perf's own, not of the kernel", spec_),
                     "leave it out: tacho stat always reports elapsed, user and system time (in "
                     "JSON: elapsed_s, user_s and system_s)");
    if (is_pattern(spec_)) return no_match();
    const std::string_view name = split_modifiers(spec_).first;
    std::vector<std::string> names;
    for (const GenericName& row : generic_names()) {
      names.emplace_back(row.name);
      if (!row.alias.empty()) names.emplace_back(row.alias);
    }
    for (CacheName& cache : cache_names()) names.push_back(std::move(cache.name));
    for (SysfsPmus::Alias& alias : pmus_.aliases()) names.push_back(std::move(alias.name));
    add_tracepoints(name, names);
    std::ranges::move(vendors_names(name), std::back_inserter(names));
    std::string hint = did_you_mean(name, names);
    if (!hint.empty()) hint += " ";
    if (!pfm_absence().empty()) hint += fmt::format("{}; ", pfm_absence());
    return failure(fmt::format("unknown event '{}'", spec_),
                   hint + "tacho list shows every event of this machine");
  }

  Result<Event> no_match() const {
    const bool tracepoints = spec_.find(':') != std::string::npos;
    // Nothing matches where tracefs can't be read.
    if (tracepoints)
      if (auto any = tracepoints_.event("tacho", "none", spec_); !any)
        return std::unexpected(any.error());
    return failure(fmt::format("event '{}': {}", spec_,
                               tracepoints ? "no tracepoint matches"
                                           : "only tracepoints have patterns, as in sched:*"),
                   fmt::format("tacho list '{}' shows the names that match", spec_));
  }

  // Adds the tracepoints of the name's category, or of the categories with the nearest names.
  void add_tracepoints(std::string_view name, std::vector<std::string>& names) const {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) return;
    std::string category(name.substr(0, colon));
    const std::vector<std::string> categories = tracepoints_.categories();
    std::vector<std::string> near = {category};
    if (std::ranges::find(categories, category) == categories.end())
      near = nearest(category, categories, 2);
    for (const std::string& each : near)
      std::ranges::move(tracepoints_.names(each), std::back_inserter(names));
  }

  SysfsPmus pmus_;
  Tracepoints tracepoints_;
  std::string spec_;
  std::optional<Error> missing_;  // a more exact error than "unknown event"
};

}  // namespace

Catalogue::Catalogue(CatalogueRoots roots) : roots_(std::move(roots)) {}

Result<Event> Catalogue::resolve(std::string_view spec) const {
  if (spec.empty()) return failure("an event has no name", "tacho list shows the names");
  if (spec.size() > kMostNameCharacters)
    return failure(fmt::format("event '{}…': the name is too long", spec.substr(0, 40)),
                   "tacho list shows the names");
  auto breakpoint = TACHO_TRY(breakpoint_event(spec));
  if (breakpoint) return std::move(*breakpoint);
  if (spec.find('/') != std::string_view::npos) return slash_event(roots_.sysfs, spec);
  if (auto event = built_in(spec)) return modified(std::move(*event), {}, spec);
  if (const std::size_t colon = spec.find(':'); colon != std::string_view::npos) {
    if (auto event = built_in(spec.substr(0, colon))) {
      if (colon + 1 == spec.size())
        return failure(fmt::format("event '{}': no modifier behind the colon", spec),
                       "the modifiers are u, k, h, G, H, I, p, pp, ppp, P, D, S, W and e");
      return modified(std::move(*event), spec.substr(colon + 1), spec);
    }
  }
  return Lookup(roots_, spec).run();
}

std::vector<std::string> Catalogue::expand(std::string_view spec) const {
  const auto [pattern, letters] = split_modifiers(spec);
  const std::size_t colon = pattern.find(':');
  if (!is_pattern(spec) || colon == std::string_view::npos ||
      pattern.find('/') != std::string_view::npos)
    return {std::string(spec)};
  const Tracepoints tracepoints(roots_.tracefs);
  std::vector<std::string> names;
  for (const std::string& category : tracepoints.categories())
    if (matches_pattern(std::string(pattern.substr(0, colon)), category))
      for (const std::string& name : tracepoints.names(category))
        if (matches_pattern(std::string(pattern), name))
          names.push_back(letters.empty() ? name : fmt::format("{}:{}", name, letters));
  if (names.empty()) names.emplace_back(spec);
  return names;
}

}  // namespace tacho
