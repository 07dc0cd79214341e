#include "profile/annotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "base/number.hpp"
#include "locate/source_text.hpp"
#include "profile/function_choice.hpp"
#include "symbols/demangle.hpp"
#include "symbols/function_code.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kLongestFunction = 4 << 20;  // bytes of code

constexpr auto kNowhere = std::numeric_limits<std::size_t>::max();  // not in the function's code

class Annotator {
 public:
  // Only the code of the function `inlined`, unless that is empty.
  Annotator(Annotation& to, Resolver& resolver, const FunctionInfo& info,
            const std::string& inlined)
      : to_(to), resolver_(resolver), info_(info), inlined_(inlined) {}

  // Those around `hits`, if the function has too many.
  Result<void> add_instructions(std::span<const symbols::SamplesAt> hits) {
    if (const symbols::JitDump* dump = resolver_.dump_of(info_.module))
      return add_compiled_code(*dump, hits);
    symbols::Binary* binary = resolver_.binary_of(info_.module);
    if (binary == nullptr) {
      const std::string module = resolver_.module_name(info_.module);
      return failure(
          fmt::format("cannot show the instructions of {}: its module {} has no file", info_.brief,
                      module),
          fmt::format("{}; 'tacho report --sort instruction' shows addresses",
                      module.starts_with('[') ? "let the JIT compiler keep its code, in a jitdump "
                                                "file (node --perf-prof, python -X perf_jit)"
                                              : "'tacho report' says why"));
    }
    const symbols::Function* function = resolver_.table_of(info_.module)->at(info_.start);
    const auto code = TACHO_TRY(symbols::function_code(
        std::min(function->end - function->start, kLongestFunction),
        [&](std::uint64_t offset, std::uint64_t size) {
          symbols::Function piece = *function;
          piece.start += offset;
          piece.end = piece.start + size;
          return std::as_const(*binary).instructions(piece);
        },
        hits));
    add_warning(code);
    auto lines = binary->lines();
    if (!lines) to_.warnings.push_back(lines.error().what + "; " + lines.error().remedy);
    for (const symbols::Instruction& each : code.instructions)
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

  // The index of the instruction at an address; kNowhere if there is none, or if it was left out.
  // If code was decoded wrongly, a sample's address can be within an instruction. It is counted for
  // that instruction.
  std::size_t instruction_at(std::uint64_t address) const {
    const auto after =
        std::ranges::upper_bound(to_.instructions, address, {}, &AnnotatedInstruction::address);
    if (after == to_.instructions.begin()) return kNowhere;
    if (address - std::prev(after)->address >= std::prev(after)->size) return kNowhere;
    return static_cast<std::size_t>(after - to_.instructions.begin()) - 1;
  }

  void add_samples(std::size_t instruction, std::size_t event, const SampleCount& count) {
    if (instruction == kNowhere) return;
    AnnotatedInstruction& at = to_.instructions[instruction];
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
  Result<void> add_compiled_code(const symbols::JitDump& dump,
                                 std::span<const symbols::SamplesAt> hits) {
    const symbols::JitFunction* function = dump.at(info_.start);
    if (function == nullptr) return failure(fmt::format("{} has no code", info_.brief));
    const auto code = TACHO_TRY(symbols::function_code(
        std::min(function->size, kLongestFunction),
        [&](std::uint64_t offset, std::uint64_t size) {
          symbols::JitFunction piece = *function;
          piece.offset += offset;
          piece.address += offset;
          return dump.instructions(piece, size);
        },
        hits));
    add_warning(code);
    for (const symbols::Instruction& each : code.instructions)
      add_instruction(
          each, {},
          resolver_.frames_of({.module = info_.module,
                               .offset = each.address - function->address + function->offset}));
    sort_lines();
    return {};
  }

  void add_warning(const symbols::FunctionCode& code) {
    if (code.left_out > 0)
      to_.warnings.push_back(
          fmt::format("{} of {} left out: those around the most samples are shown",
                      plural(code.left_out, "instruction", {}), info_.brief));
  }

  void add_instruction(const symbols::Instruction& instruction, const std::string& target,
                       const std::vector<symbols::Frame>& frames) {
    if (!inlined_.empty() && !has_inlined(frames, inlined_)) return;
    AnnotatedInstruction made;
    made.address = instruction.address;
    made.size = instruction.size;
    made.text = instruction.text + target;
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
    if (fresh)
      to_.lines.emplace_back(frames.front().file, frames.front().line, "", AnnotatedCount());
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
  const std::string& inlined_;
  std::map<std::pair<std::string, unsigned>, std::size_t> index_;
};

// Where the samples of each cell are: in the function, in which of its instructions, in which line.
// kNowhere: in none.
struct PartOfCell {
  std::vector<std::size_t> function, instruction, line;
};

// For each event: how often successive samples entered or left the function and its parts.
struct PartChanges {
  std::vector<double> function;
  std::vector<std::vector<double>> instructions, lines;  // by part, then by event
};

PartChanges changes_of(const Annotation& annotation, const Profile& profile,
                       const PartOfCell& cells) {
  PartChanges all;
  all.instructions.resize(annotation.instructions.size());
  all.lines.resize(annotation.lines.size());
  const auto add = [&](std::size_t event, const std::vector<std::size_t>& part_of,
                       std::vector<std::vector<double>>& to) {
    const std::vector<double> changes = profile.changes(event, part_of, to.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i].push_back(changes[i]);
  };
  for (const SampledEvent& each : annotation.events) {
    all.function.push_back(profile.changes(each.number, cells.function, 1).front());
    add(each.number, cells.instruction, all.instructions);
    add(each.number, cells.line, all.lines);
  }
  return all;
}

// Computes the shares of `whole`, the metrics and the intervals from the counts. `changes` are
// those of the part and `of_whole` those of the whole, by event. A change from the part to the rest
// of the whole counts 1 for a share p of the whole, one from the part to anything else (1 - p)²,
// and one from the rest to anything else p². Their sum is at most that of both numbers, the second
// times p².
void derive(AnnotatedCount& part, const Profile& profile, const Annotation& annotation,
            std::span<const SampleCount> whole, std::span<const double> changes,
            std::span<const double> of_whole, const RowMetrics& metrics) {
  for (std::size_t i = 0; i < part.counts.size(); ++i) {
    const auto all = static_cast<double>(whole[i].sum);
    const double share = all > 0 ? static_cast<double>(part.counts[i].sum) / all : 0;
    part.shares.push_back(share);
    const std::size_t event = annotation.events[i].number;
    part.shares95.push_back(
        profile.share95(event, part.counts[i], whole[i], changes[i] + share * share * of_whole[i]));
    part.counts95.push_back(profile.count95(event, part.counts[i], changes[i]));
  }
  part.share = part.shares[annotation.event];
  part.ci95 = part.shares95[annotation.event];
  part.metrics = metrics.of(part.counts);
}

// Names what is annotated.
Annotation annotation_of(const ChosenFunction& chosen, const Profile& profile,
                         const Resolver& resolver) {
  const FunctionInfo& info = resolver.function(chosen.id);
  Annotation made;
  made.module = resolver.module_name(info.module);
  made.path = profile.modules()[info.module].path;
  made.function = chosen.inlined.empty() ? info.brief : chosen.inlined;
  made.inlined_into = chosen.inlined.empty() ? std::string() : info.brief;
  made.start = info.start;
  made.end = info.end;
  made.warnings = chosen.warnings;
  return made;
}

// Whether a place is in the chosen code.
bool is_chosen(const ChosenFunction& chosen, const CodePlace& place, Resolver& resolver) {
  return resolver.function_of(place) == chosen.id &&
         (chosen.inlined.empty() || has_inlined(resolver.frames_of(place), chosen.inlined));
}

// The shares and metrics of the function and of each part of it.
void derive_all(Annotation& made, const Profile& profile, const PartChanges& changes,
                std::span<const Metric> metrics) {
  const RowMetrics row_metrics(metrics, made.events, profile);
  std::vector<SampleCount> everything;
  for (const SampledEvent& each : made.events) everything.push_back(profile.total(each.number));
  const std::vector<double> none(made.events.size());  // nothing is outside of everything
  derive(made.total, profile, made, everything, changes.function, none, row_metrics);
  for (std::size_t i = 0; i < made.instructions.size(); ++i)
    derive(made.instructions[i].samples, profile, made, made.total.counts, changes.instructions[i],
           changes.function, row_metrics);
  for (std::size_t i = 0; i < made.lines.size(); ++i)
    derive(made.lines[i].samples, profile, made, made.total.counts, changes.lines[i],
           changes.function, row_metrics);
}

// Chooses the events whose counts each instruction and line has.
void add_events(Annotation& made, const Profile& profile, const perfdata::Description& recording,
                std::size_t event) {
  ReportedEvents reported =
      reported_events(profile, recording, event, made.instructions.size() + made.lines.size());
  if (reported.left_out > 0) made.warnings.push_back(reported.warning());
  made.events = std::move(reported.events);
  made.event = reported.event;
  made.total.counts.resize(made.events.size());
  for (AnnotatedInstruction& each : made.instructions)
    each.samples.counts.resize(made.events.size());
  for (AnnotatedLine& each : made.lines) each.samples.counts.resize(made.events.size());
}

// Where the samples of the function are. An event without samples does not choose what is shown.
std::vector<symbols::SamplesAt> function_samples(const Profile& profile, const Annotator& annotator,
                                                 const ChosenFunction& chosen, Resolver& resolver,
                                                 std::size_t event) {
  std::vector<symbols::SamplesAt> found;
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell) {
    const CodePlace& place = profile.cells()[cell];
    const std::uint64_t samples = profile.count(event, cell).samples;
    if (samples > 0 && is_chosen(chosen, place, resolver))
      found.push_back({annotator.shown_address(place), samples});
  }
  return found;
}

// Adds the samples of the function to its instructions and lines.
PartOfCell add_all_samples(Annotation& made, Annotator& annotator, const Profile& profile,
                           const ChosenFunction& chosen, Resolver& resolver) {
  PartOfCell cells;
  for (const CodePlace& place : profile.cells()) {
    const std::size_t cell = cells.function.size();
    const bool inside = is_chosen(chosen, place, resolver);
    const std::size_t at =
        inside ? annotator.instruction_at(annotator.shown_address(place)) : kNowhere;
    cells.function.push_back(inside ? 0 : kNowhere);
    cells.instruction.push_back(at);
    cells.line.push_back(at == kNowhere ? kNowhere : made.instructions[at].line);
    for (std::size_t i = 0; inside && i < made.events.size(); ++i) {
      const SampleCount count = profile.count(made.events[i].number, cell);
      annotator.add_samples(at, i, count);
      made.total.counts[i] += count;
    }
  }
  return cells;
}

}  // namespace

Result<Annotation> annotate(const Profile& profile, const perfdata::Description& recording,
                            Resolver& resolver, std::size_t event, const std::string& name,
                            std::span<const Metric> metrics) {
  const ChosenFunction chosen = TACHO_TRY(choose_function(profile, resolver, event, name));
  const FunctionInfo info = resolver.function(chosen.id);
  Annotation made = annotation_of(chosen, profile, resolver);
  Annotator annotator(made, resolver, info, chosen.inlined);
  TACHO_TRY(
      annotator.add_instructions(function_samples(profile, annotator, chosen, resolver, event)));
  add_events(made, profile, recording, event);
  const PartOfCell cells = add_all_samples(made, annotator, profile, chosen, resolver);
  annotator.add_texts();
  derive_all(made, profile, changes_of(made, profile, cells), metrics);
  return made;
}

}  // namespace tacho
