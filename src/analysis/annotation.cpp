#include "analysis/annotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/source_text.hpp"
#include "symbols/demangle.hpp"

namespace tacho {
namespace {

constexpr std::uint64_t kLongestFunction = 4 << 20;  // bytes that are disassembled

// The cells of the function, with samples.
struct Found {
  FunctionId id = 0;
  SampleCount total;
  std::vector<std::size_t> cells;
};

// The functions that the name means, most samples first.
std::vector<Found> find_functions(const Profile& profile, Resolver& resolver, std::size_t event,
                                  const std::string& name) {
  std::map<FunctionId, Found> found;
  for (std::size_t cell = 0; cell < profile.cells().size(); ++cell) {
    const SampleCount count = profile.count(event, cell);
    if (count.samples == 0) continue;
    const FunctionId id = resolver.function_of(profile.cells()[cell]);
    const FunctionInfo& info = resolver.function(id);
    if (!info.known() || !symbols::is_meant(info.name, name)) continue;
    Found& of = found[id];
    of.id = id;
    of.total += count;
    of.cells.push_back(cell);
  }
  std::vector<Found> sorted;
  for (auto& [id, each] : found) sorted.push_back(std::move(each));
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const Found& each) { return each.total.samples; });
  return sorted;
}

class Annotator {
 public:
  Annotator(Annotation& to, Resolver& resolver, const FunctionInfo& info)
      : to_(to), resolver_(resolver), info_(info) {}

  Result<void> add_instructions() {
    symbols::Binary* binary = resolver_.binary_of(info_.module);
    if (binary == nullptr)
      return failure(fmt::format("cannot show the instructions of {}: its module {} has no file",
                                 info_.brief, resolver_.module_name(info_.module)),
                     "'tacho report' says why; 'tacho report --sort instruction' shows addresses");
    const symbols::Function* function = resolver_.table_of(info_.module)->at(info_.start);
    symbols::Function shown = *function;
    shown.end = std::min(shown.end, shown.start + kLongestFunction);
    auto instructions = binary->instructions(shown);
    if (!instructions) return std::unexpected(instructions.error());
    auto lines = binary->lines();
    if (!lines) to_.warnings.push_back(lines.error().what + "; " + lines.error().remedy);
    for (const symbols::Instruction& each : *instructions) {
      AnnotatedInstruction made;
      made.address = each.address;
      made.text = each.text + target_name(each);
      made.line = kNoLine;
      if (lines) add_line(made, (*lines)->frames_at(each.address));
      to_.instructions.push_back(std::move(made));
    }
    sort_lines();
    return {};
  }

  // A sample's address may stand within an instruction in code that was read wrongly: it counts for
  // the instruction that holds it.
  void add_samples(std::uint64_t address, const SampleCount& count) {
    auto after =
        std::ranges::upper_bound(to_.instructions, address, {}, &AnnotatedInstruction::address);
    if (after == to_.instructions.begin()) return;
    AnnotatedInstruction& at = *--after;
    at.samples.count += count;
    if (at.line < to_.lines.size()) to_.lines[at.line].samples.count += count;
  }

  void add_texts() {
    SourceText sources(to_.path, to_.module);
    for (AnnotatedLine& line : to_.lines) line.text = sources.line(line.file, line.number);
    to_.warnings.insert(to_.warnings.end(), sources.warnings().begin(), sources.warnings().end());
  }

 private:
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
    if (fresh) to_.lines.push_back({frames.front().file, frames.front().line, {}, {}});
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

void add_share(AnnotatedCount& count, const Profile& profile, std::size_t event,
               const SampleCount& total) {
  const auto whole = static_cast<double>(total.sum);
  count.share = whole > 0 ? static_cast<double>(count.count.sum) / whole : 0;
  count.ci95 = wilson95(count.share, profile.worth(event, count.count, total));
}

}  // namespace

Result<Annotation> annotate(const Profile& profile, const perfdata::Description& recording,
                            Resolver& resolver, std::size_t event, const std::string& name) {
  const std::vector<Found> found = find_functions(profile, resolver, event, name);
  if (found.empty())
    return failure(fmt::format("no sample fell into a function '{}'", name),
                   "'tacho report' shows the functions there are");
  const Found& chosen = found.front();
  const FunctionInfo info = resolver.function(chosen.id);
  Annotation made;
  made.event = sampled_events(profile, recording)[event];
  made.module = resolver.module_name(info.module);
  made.path = profile.modules()[info.module].path;
  made.function = info.brief;
  made.start = info.start;
  made.end = info.end;
  made.total = chosen.total;
  AnnotatedCount whole{chosen.total, 0, {}};
  add_share(whole, profile, event, profile.total(event));
  made.share_of_all = whole.share;
  made.ci95_of_all = whole.ci95;
  for (std::size_t i = 1; i < found.size(); ++i)
    made.warnings.push_back(fmt::format(
        "'{}' also means {} of {}, with {} samples", name, resolver.function(found[i].id).name,
        resolver.module_name(resolver.function(found[i].id).module), found[i].total.samples));

  Annotator annotator(made, resolver, info);
  if (auto added = annotator.add_instructions(); !added) return std::unexpected(added.error());
  for (const std::size_t cell : chosen.cells)
    annotator.add_samples(resolver.address_of(profile.cells()[cell]), profile.count(event, cell));
  annotator.add_texts();
  for (AnnotatedInstruction& each : made.instructions)
    add_share(each.samples, profile, event, made.total);
  for (AnnotatedLine& each : made.lines) add_share(each.samples, profile, event, made.total);
  return made;
}

}  // namespace tacho
