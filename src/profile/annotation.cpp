#include "profile/annotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "locate/source_text.hpp"
#include "symbols/compiled_names.hpp"
#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kLongestFunction = 4 << 20;  // bytes of code

// A function and the cells of the profile that are in it.
struct Found {
  FunctionId id = 0;
  std::uint64_t samples = 0;  // of the chosen event
  std::vector<std::size_t> cells;
};

// The functions that the name means, if the chosen event has samples in them; most samples first.
std::vector<Found> find_functions(const Profile& profile, Resolver& resolver, std::size_t event,
                                  const std::string& name) {
  std::map<FunctionId, Found> found;
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell) {
    const FunctionId id = resolver.function_of(profile.cells()[cell]);
    const FunctionInfo& info = resolver.function(id);
    if (!info.known()) continue;
    const bool compiled = resolver.dump_of(info.module) != nullptr;
    if (!symbols::is_meant(info.name, name) &&
        !(compiled && symbols::is_compiled_name(info.name, name)))
      continue;
    Found& of = found[id];
    of.id = id;
    of.samples += profile.count(event, cell).samples;
    of.cells.push_back(cell);
  }
  std::vector<Found> sorted;
  for (auto& [id, each] : found)
    if (each.samples > 0) sorted.push_back(std::move(each));
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Found::samples);
  return sorted;
}

class Annotator {
 public:
  Annotator(Annotation& to, Resolver& resolver, const FunctionInfo& info)
      : to_(to), resolver_(resolver), info_(info) {}

  Result<void> add_instructions() {
    if (const symbols::JitDump* dump = resolver_.dump_of(info_.module))
      return add_compiled_code(*dump);
    symbols::Binary* binary = resolver_.binary_of(info_.module);
    if (binary == nullptr)
      return failure(fmt::format("cannot show the instructions of {}: its module {} has no file",
                                 info_.brief, resolver_.module_name(info_.module)),
                     "'tacho report' says why; 'tacho report --sort instruction' shows addresses");
    const symbols::Function* function = resolver_.table_of(info_.module)->at(info_.start);
    symbols::Function shown = *function;
    shown.end = std::min(shown.end, shown.start + kLongestFunction);
    const auto instructions = TACHO_TRY(binary->instructions(shown));
    auto lines = binary->lines();
    if (!lines) to_.warnings.push_back(lines.error().what + "; " + lines.error().remedy);
    for (const symbols::Instruction& each : instructions)
      add_instruction(each, target_name(each),
                      lines ? (*lines)->frames_at(each.address) : std::vector<symbols::Frame>());
    sort_lines();
    return {};
  }

  // The address at which add_instructions() shows a place of the function.
  std::uint64_t shown_address(const CodePlace& place) const {
    const symbols::JitDump* dump = resolver_.dump_of(info_.module);
    return dump == nullptr ? resolver_.address_of(place) : dump->address_of(place.offset);
  }

  // If code was decoded wrongly, a sample's address can be within an instruction. It is counted for
  // that instruction.
  void add_samples(std::uint64_t address, std::size_t event, const SampleCount& count) {
    auto after =
        std::ranges::upper_bound(to_.instructions, address, {}, &AnnotatedInstruction::address);
    if (after == to_.instructions.begin()) return;
    AnnotatedInstruction& at = *--after;
    at.samples.counts[event] += count;
    if (at.line < to_.lines.size()) to_.lines[at.line].samples.counts[event] += count;
  }

  void add_texts() {
    SourceText sources(to_.path, to_.module);
    for (AnnotatedLine& line : to_.lines) line.text = sources.line(line.file, line.number);
    to_.warnings.insert(to_.warnings.end(), sources.warnings().begin(), sources.warnings().end());
  }

 private:
  // The code that a JIT compiler described, at the addresses at which it was compiled.
  Result<void> add_compiled_code(const symbols::JitDump& dump) {
    const symbols::JitFunction* function = dump.at(info_.start);
    if (function == nullptr) return failure(fmt::format("{} has no code", info_.brief));
    const auto instructions = TACHO_TRY(dump.instructions(*function, kLongestFunction));
    for (const symbols::Instruction& each : instructions)
      add_instruction(
          each, {},
          resolver_.frames_of({info_.module, each.address - function->address + function->offset}));
    sort_lines();
    return {};
  }

  void add_instruction(const symbols::Instruction& instruction, const std::string& target,
                       const std::vector<symbols::Frame>& frames) {
    AnnotatedInstruction made;
    made.address = instruction.address;
    made.text = instruction.text + target;
    made.samples.counts.resize(to_.events.size());
    made.line = kNoLine;
    add_line(made, frames);
    to_.instructions.push_back(std::move(made));
  }

  static constexpr std::size_t kNoLine = static_cast<std::size_t>(-1);

  std::string target_name(const symbols::Instruction& instruction) const {
    if (!instruction.target) return {};
    const symbols::Function* target = resolver_.table_of(info_.module)->at(*instruction.target);
    if (target == nullptr || target->start == info_.start) return {};
    const std::uint64_t into = *instruction.target - target->start;
    const std::string name = symbols::brief_name(target->name);
    return into == 0 ? fmt::format(" <{}>", name) : fmt::format(" <{}+0x{:x}>", name, into);
  }

  void add_line(AnnotatedInstruction& to, const std::vector<symbols::Frame>& frames) {
    if (frames.empty() || frames.front().file.empty()) return;
    if (frames.size() > 1) to.inlined = frames.front().function;
    const auto [line, fresh] =
        index_.try_emplace({frames.front().file, frames.front().line}, to_.lines.size());
    if (fresh) {
      AnnotatedLine& added =
          to_.lines.emplace_back(frames.front().file, frames.front().line, "", AnnotatedCount());
      added.samples.counts.resize(to_.events.size());
    }
    to.line = line->second;
  }

  void sort_lines() {
    std::vector<std::size_t> order(to_.lines.size());
    std::vector<AnnotatedLine> sorted;
    for (const auto& [key, old] : index_) {  // by file, then number
      order[old] = sorted.size();
      sorted.push_back(to_.lines[old]);
    }
    to_.lines = std::move(sorted);
    for (AnnotatedInstruction& each : to_.instructions)
      each.line = each.line == kNoLine ? to_.lines.size() : order[each.line];
  }

  Annotation& to_;
  Resolver& resolver_;
  const FunctionInfo& info_;
  std::map<std::pair<std::string, unsigned>, std::size_t> index_;
};

// Computes the share of `whole`, the metrics and the intervals from the counts.
void derive(AnnotatedCount& part, const Profile& profile, std::size_t event,
            const SampleCount& whole, const RowMetrics& metrics) {
  const SampleCount& count = part.counts[event];
  part.share = whole.sum > 0 ? static_cast<double>(count.sum) / static_cast<double>(whole.sum) : 0;
  part.ci95 = profile.share95(event, count, whole);
  part.counts95 = profile.counts95(part.counts);
  part.metrics = metrics.of(part.counts);
}

}  // namespace

Result<Annotation> annotate(const Profile& profile, const perfdata::Description& recording,
                            Resolver& resolver, std::size_t event, const std::string& name,
                            std::span<const Metric> metrics) {
  const std::vector<Found> found = find_functions(profile, resolver, event, name);
  if (found.empty())
    return failure(fmt::format("no sample fell into a function '{}'", name),
                   "'tacho report' shows the functions there are");
  const Found& chosen = found.front();
  const FunctionInfo info = resolver.function(chosen.id);
  Annotation made;
  made.events = sampled_events(profile, recording);
  made.event = event;
  made.module = resolver.module_name(info.module);
  made.path = profile.modules()[info.module].path;
  made.function = info.brief;
  made.start = info.start;
  made.end = info.end;
  for (std::size_t i = 1; i < found.size(); ++i)
    made.warnings.push_back(fmt::format(
        "'{}' also means {} of {}, with {} samples", name, resolver.function(found[i].id).name,
        resolver.module_name(resolver.function(found[i].id).module), found[i].samples));

  Annotator annotator(made, resolver, info);
  TACHO_TRY(annotator.add_instructions());
  made.total.counts.resize(made.events.size());
  for (const std::size_t cell : chosen.cells)
    for (std::size_t i = 0; i < profile.events(); ++i) {
      const SampleCount count = profile.count(i, cell);
      annotator.add_samples(annotator.shown_address(profile.cells()[cell]), i, count);
      made.total.counts[i] += count;
    }
  annotator.add_texts();
  std::vector<std::string> names;
  for (const SampledEvent& each : made.events) names.push_back(each.name);
  const RowMetrics row_metrics(metrics, names, profile);
  derive(made.total, profile, event, profile.total(event), row_metrics);
  const auto of_function = [&](AnnotatedCount& part) {
    derive(part, profile, event, made.total.counts[event], row_metrics);
  };
  for (AnnotatedInstruction& each : made.instructions) of_function(each.samples);
  for (AnnotatedLine& each : made.lines) of_function(each.samples);
  return made;
}

}  // namespace tacho
