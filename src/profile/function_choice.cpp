#include "profile/function_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/number.hpp"
#include "base/parse_number.hpp"
#include "base/text_layout.hpp"
#include "events/spelling.hpp"
#include "symbols/compiled_names.hpp"
#include "symbols/name_fit.hpp"

namespace tacho {
namespace {

using symbols::NameFit;

constexpr std::size_t kOthers = 5;          // names of other functions that a warning has
constexpr std::size_t kNearest = 3;         // names that an error offers
constexpr std::size_t kWidestOffer = 80;    // characters of a name in a message
constexpr std::string_view kAt = " at 0x";  // before the address of one of several functions

struct Candidate {
  FunctionId id = 0;
  std::string inlined;
  std::uint64_t samples = 0;
};

// The functions that have samples of the event themselves; also those without a name, one a module.
std::vector<Candidate> sampled_functions(const Profile& profile, Resolver& resolver,
                                         std::size_t event) {
  std::map<FunctionId, std::uint64_t> samples;
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell)
    if (const std::uint64_t count = profile.count(event, cell).samples; count > 0)
      samples[resolver.function_of(profile.cells()[cell])] += count;
  std::vector<Candidate> found;
  for (const auto& [id, count] : samples) found.push_back({id, {}, count});
  return found;
}

// The inlined functions whose code has samples of the event, by the function that contains it.
std::vector<Candidate> sampled_inlined(const Profile& profile, Resolver& resolver,
                                       std::size_t event) {
  std::map<std::pair<FunctionId, std::string>, std::uint64_t> samples;
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell) {
    const std::uint64_t count = profile.count(event, cell).samples;
    if (count == 0) continue;
    const CodePlace& place = profile.cells()[cell];
    const std::vector<symbols::Frame> frames = resolver.frames_of(place);
    std::vector<std::string> here;  // a function can be inlined into itself
    for (std::size_t i = 0; i + 1 < frames.size(); ++i)
      if (!frames[i].function.empty() && std::ranges::find(here, frames[i].function) == here.end())
        here.push_back(frames[i].function);
    for (std::string& function : here)
      samples[{resolver.function_of(place), std::move(function)}] += count;
  }
  std::vector<Candidate> found;
  for (const auto& [key, count] : samples) found.push_back({key.first, key.second, count});
  return found;
}

// The code of the kernel can't be shown, nor that of a JIT compiler that did not keep it.
bool is_shown(const Candidate& each, Resolver& resolver) {
  const std::uint32_t module = resolver.function(each.id).module;
  return resolver.binary_of(module) != nullptr || resolver.dump_of(module) != nullptr;
}

// If the hottest function can't be shown, says so: the user did not name the one that is.
std::vector<std::string> hotter_than(const Candidate& shown, std::span<const Candidate> all,
                                     Resolver& resolver) {
  const auto hottest = std::ranges::max_element(all, {}, &Candidate::samples);
  if (hottest == all.end() || hottest->samples <= shown.samples) return {};
  const FunctionInfo& info = resolver.function(hottest->id);
  const std::string module = resolver.module_name(info.module);
  const std::string samples = plural(hottest->samples, "sample", {});
  if (!info.known())
    return {
        fmt::format("more samples ({}) are in code of {} that has no names: 'tacho report "
                    "--sort instruction' shows its addresses",
                    samples, module)};
  return {fmt::format("more samples ({}) are in {} of {}, whose code is not available", samples,
                      printable(info.brief, kWidestOffer), module)};
}

std::string name_of(const Candidate& each, const Resolver& resolver) {
  return each.inlined.empty() ? resolver.function(each.id).name : each.inlined;
}

// Splits "work at 0x1170", as reports name one of several functions of the same name.
std::pair<std::string_view, std::optional<std::uint64_t>> split_start(std::string_view asked) {
  const std::size_t at = asked.rfind(kAt);
  if (at == asked.npos) return {asked, std::nullopt};
  const auto start = parse_number<std::uint64_t>(asked.substr(at + kAt.size()), 16);
  return {start ? asked.substr(0, at) : asked, start};
}

NameFit fit_of(const Candidate& each, const Resolver& resolver, std::string_view wanted) {
  const auto [asked, start] = split_start(wanted);
  if (start && resolver.function(each.id).start != *start) return NameFit::none;
  if (asked.empty()) return NameFit::part;
  const std::string name = name_of(each, resolver);
  const NameFit fit = symbols::name_fit(name, asked);
  const bool compiled = resolver.is_compiled(resolver.function(each.id).module);
  return fit == NameFit::none && compiled && symbols::is_compiled_name(name, asked) ? NameFit::part
                                                                                    : fit;
}

// The candidates with the best fit, most samples first.
std::vector<Candidate> meant(const std::vector<Candidate>& candidates, const Resolver& resolver,
                             std::string_view asked) {
  std::vector<Candidate> found;
  NameFit best = NameFit::part;
  for (const Candidate& each : candidates) {
    const NameFit fit = fit_of(each, resolver, asked);
    if (fit < best) continue;
    if (fit > best) found.clear();
    best = fit;
    found.push_back(each);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &Candidate::samples);
  return found;
}

std::string described(const Candidate& each, const Resolver& resolver) {
  const FunctionInfo& info = resolver.function(each.id);
  const std::string samples = plural(each.samples, "sample", {});
  if (!each.inlined.empty())
    return fmt::format("{} inlined into {}, with {}", printable(each.inlined, kWidestOffer),
                       printable(info.brief, kWidestOffer), samples);
  const std::string start =
      info.has_namesake ? fmt::format("{}{:x}", kAt, info.start) : std::string();
  return fmt::format("{}{} of {}, with {}", printable(info.name, kWidestOffer), start,
                     resolver.module_name(info.module), samples);
}

// The first is taken, and the warning names the others.
ChosenFunction first_of(const std::vector<Candidate>& found, const Resolver& resolver,
                        const std::string& asked) {
  ChosenFunction chosen{found.front().id, found.front().inlined, found.front().samples, {}};
  if (asked.empty()) return chosen;
  for (std::size_t i = 1; i < std::min(found.size(), kOthers + 1); ++i)
    chosen.warnings.push_back(
        fmt::format("'{}' also means {}", asked, described(found[i], resolver)));
  if (found.size() > kOthers + 1)
    chosen.warnings.push_back(fmt::format("'{}' means {} more functions with fewer samples", asked,
                                          found.size() - kOthers - 1));
  return chosen;
}

}  // namespace

std::vector<FunctionId> functions_meant(const Resolver& resolver,
                                        std::span<const FunctionId> candidates,
                                        std::string_view name) {
  std::vector<Candidate> all;
  for (const FunctionId id : candidates)
    if (resolver.function(id).known()) all.push_back({id, {}, 0});
  std::vector<FunctionId> ids;
  for (const Candidate& each : meant(all, resolver, name)) ids.push_back(each.id);
  return ids;
}

Result<ChosenFunction> choose_function(const Profile& profile, Resolver& resolver,
                                       std::size_t event, const std::string& name) {
  const std::vector<Candidate> sampled = sampled_functions(profile, resolver, event);
  std::vector<Candidate> all = sampled;
  std::erase_if(all, [&](const Candidate& each) { return !resolver.function(each.id).known(); });
  const auto shown = [&](const Candidate& each) { return is_shown(each, resolver); };
  if (name.empty() && std::ranges::any_of(all, shown)) std::erase_if(all, std::not_fn(shown));
  if (const auto found = meant(all, resolver, name); !found.empty()) {
    ChosenFunction chosen = first_of(found, resolver, name);
    if (name.empty()) chosen.warnings = hotter_than(found.front(), sampled, resolver);
    return chosen;
  }
  const std::vector<Candidate> inlined = sampled_inlined(profile, resolver, event);
  if (const auto found = meant(inlined, resolver, name); !found.empty())
    return first_of(found, resolver, name);
  all.insert(all.end(), inlined.begin(), inlined.end());
  std::vector<SampledName> names;
  for (const Candidate& each : all)
    names.push_back(
        {each.inlined.empty() ? resolver.function(each.id).brief : each.inlined, each.samples});
  return failure(name.empty() ? std::string("no sample fell into a function whose name is known")
                              : fmt::format("no sample fell into a function '{}'", name),
                 nearest_functions(name, names));
}

bool has_inlined(std::span<const symbols::Frame> frames, std::string_view function) {
  return frames.size() > 1 &&
         std::ranges::any_of(frames.first(frames.size() - 1), [&](const symbols::Frame& frame) {
           return frame.function == function;
         });
}

std::string nearest_functions(std::string_view asked, std::span<const SampledName> names) {
  std::map<std::string, SampledName> hottest;  // by the name without scopes
  for (const SampledName& each : names) {
    SampledName& known = hottest[symbols::own_name(each.name)];
    if (each.samples > known.samples || known.name.empty()) known = each;
  }
  std::vector<std::string> own;
  for (const auto& [name, each] : hottest) own.push_back(name);
  const std::vector<std::string> near = nearest(symbols::own_name(asked), own, kNearest);
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const SampledName& each = hottest[near[i]];
    const std::string_view before = i == 0 ? "did you mean " : i + 1 == near.size() ? " or " : ", ";
    text += fmt::format("{}'{}' ({})", before, printable(each.name, kWidestOffer),
                        plural(each.samples, "sample", {}));
  }
  return text + (text.empty() ? "" : "? ") + "'tacho report' shows the functions there are";
}

}  // namespace tacho
