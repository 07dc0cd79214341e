#include "chase/sweep.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "chase/disturbance.hpp"
#include "chase/held.hpp"
#include "chase/memory.hpp"
#include "chase/sizes.hpp"

namespace tacho::chase {
namespace {

constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kLeastPages = 8;
constexpr std::size_t kMostPages = 8192;
constexpr unsigned kAnOctave = 16;
constexpr std::size_t kLeastRepeated = 64;    // pages that show the same memory: so many fewest
constexpr std::size_t kMostRepeated = 16384;  // and most
// How often these are walked first: a TLB that takes any entry when it needs room has found its
// entries' place only then.
constexpr std::size_t kWalks = 32;
constexpr int kRounds = 3;                             // of adding sizes at edges
constexpr double kWithin = 0.05;                       // to which edges are to be known
constexpr int kTries = 2;                              // more, of what was disturbed or is doubtful
constexpr std::chrono::milliseconds kLong{7000};       // for the whole: from then on, in a hurry
constexpr std::chrono::milliseconds kTooLong{11'000};  // nothing is measured again from then on
constexpr int kPlacements = 4;     // on which a core's own sizes are measured once more
constexpr double kNearEdge = 1.4;  // times, either way
constexpr double kMuchDisturbed = 0.2;
constexpr double kMovedAway = 1.1;  // times: of one list measured twice
constexpr double kNanoseconds = 1e-9;
constexpr int kFillings = 5;        // of a level, on other pages each time
constexpr std::chrono::milliseconds kLongFilling{1000};
constexpr std::size_t kAround = 3;  // times what a level seems to hold: memory to fill it from
constexpr std::size_t kBeyond = 3;  // times what the level before holds: to begin with
constexpr double kOnceMore = 0.85;  // of the progress: where lists are measured again
constexpr double kFillBegin = 0.9;  // likewise: where levels are filled
constexpr double kLast = 0.95;      // likewise: where the TLB's lists are measured again

// What a stage is of the whole time, roughly: for the progress alone.
struct Stage {
  double begin, end;
  std::string what;
};

Effort walking(Effort effort, std::size_t walks) {
  effort.walks = walks;
  return effort;
}

class Sweeper {
 public:
  Sweeper(const SweepRequest& request, const Stop& stop,
          const std::function<void(const SweepProgress&)>& progress)
      : request_(request),
        stop_(stop),
        progress_(progress),
        sampler_(request.access, request.timer, request.effort, stop),
        of_repeated_(Access::load, request.timer, walking(request.effort, kWalks), stop) {}

  Result<Sweep> run();

 private:
  Result<void> hierarchy(Pages pages, const Stage& stage, bool refined);
  Result<void> translations(std::vector<std::size_t> lines, const Stage& stage, Pages of_control);
  std::vector<std::size_t> own_sizes(Pages pages, bool near_edges) const;
  void own_sizes_again(Pages pages, const Stage& stage);
  LatencyInference so_far() const;
  void fill_lines(const LatencyInference& found, Pages pages, const Stage& stage);
  void refine(List& list, const Shape& shape, const Stage& stage);
  std::optional<SizeRun> measure(List& list, const Shape& shape, std::size_t lines);
  void lists(List& list, const Shape& shape, const std::vector<std::size_t>& lines,
             const Stage& stage);
  void lists_again(List& list, const Shape& shape, std::size_t count, const Stage& stage);
  SizesToRefine wanted() const;
  void repeated(const Stage& stage);
  std::size_t most_pages() const;
  std::vector<std::size_t> doubtful_translations() const;
  std::chrono::nanoseconds taken() const { return std::chrono::steady_clock::now() - begin_; }
  bool late() const { return taken() > kLong; }
  bool elsewhere() const { return ::sched_getcpu() != request_.cpu; }
  bool ended();
  std::chrono::nanoseconds longest() const;
  std::vector<LatencySample> judged() const;

  const SweepRequest& request_;
  const Stop& stop_;
  const std::function<void(const SweepProgress&)>& progress_;
  Sampler sampler_;
  Sampler of_repeated_;
  Sweep sweep_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Whether to go on is asked before every size.
bool Sweeper::ended() {
  if (sweep_.partial) return true;
  if (stop_()) return sweep_.partial = true;
  if (!elsewhere()) return false;
  sweep_.warnings.push_back(fmt::format(
      "CPU {} went offline, or was taken from this process: what was measured until then is told",
      request_.cpu));
  return sweep_.partial = true;
}

// Undisturbed slices are waited for; less so when the whole has taken long already.
std::chrono::nanoseconds Sweeper::longest() const {
  using std::chrono::milliseconds;
  return late()                         ? milliseconds(4)
         : taken() > milliseconds(5000) ? milliseconds(12)
                                        : milliseconds(50);
}

// While most sizes were had alone, the others say nothing of the levels that a core has for itself.
std::vector<LatencySample> Sweeper::judged() const {
  std::vector<LatencySample> samples;
  for (const SizeRun& run : sweep_.runs) samples.push_back(run.sample);
  const auto shared = std::ranges::count_if(samples, &LatencySample::core_shared);
  if (2 * static_cast<std::size_t>(shared) > samples.size()) return samples;
  for (LatencySample& sample : samples) {
    if (!sample.core_shared || sample.lines > request_.effort.own_lines) continue;
    sample.disturbed_share = 1;
    sample.disturbance = kCoreShared;
  }
  return samples;
}

LatencyInference Sweeper::so_far() const {
  return infer_latency(judged(), request_.advertised, request_.tick_hz, sweep_.held);
}

// What would tell more of the edges that can be seen by now.
SizesToRefine Sweeper::wanted() const {
  return sizes_to_refine(so_far(), kWithin, request_.line_bytes);
}

std::optional<SizeRun> Sweeper::measure(List& list, const Shape& shape, std::size_t lines) {
  const bool repeated = shape.layout == Layout::repeated;
  Sampler& sampler = repeated ? of_repeated_ : sampler_;
  list.resize(lines);
  auto run = sampler.measure(list, longest());
  for (int again = 0;
       again < kTries && run && !late() && run->sample.disturbed_share > kMuchDisturbed; ++again)
    if (auto next = sampler.measure(list, longest());
        next && next->sample.disturbed_share < run->sample.disturbed_share)
      run = std::move(next);
  if (!run) return {};                    // stopped
  if (elsewhere() && ended()) return {};  // perhaps measured in another core's caches
  run->sample.bytes = lines * (repeated ? sizeof(Link) : shape.line_bytes);
  run->sample.lines = lines;
  run->sample.page_bytes = shape.page_bytes;
  run->sample.layout = shape.layout;
  return run;
}

void Sweeper::lists(List& list, const Shape& shape, const std::vector<std::size_t>& lines,
                    const Stage& stage) {
  for (std::size_t i = 0; i < lines.size() && !ended(); ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(lines.size());
    progress_({stage.begin + (stage.end - stage.begin) * part, stage.what});
    if (auto run = measure(list, shape, lines[i])) sweep_.runs.push_back(std::move(*run));
  }
}

// The last lists once more: a level that others share may have moved away from such a list, or
// towards it. The faster one is kept, as others only add.
void Sweeper::lists_again(List& list, const Shape& shape, std::size_t count, const Stage& stage) {
  for (std::size_t i = sweep_.runs.size() - count; i < sweep_.runs.size() && !ended(); ++i) {
    progress_({stage.begin, stage.what});
    SizeRun& run = sweep_.runs[i];
    auto other = measure(list, shape, static_cast<std::size_t>(run.sample.lines));
    if (!other) continue;
    const std::vector<LatencySample> both = {run.sample, other->sample};
    const std::vector<SizeLatency> sizes =
        infer_latency(both, request_.advertised, request_.tick_hz).sizes;
    const double ratio = sizes[1].cycles / sizes[0].cycles;
    const bool clear = !sizes[0].disturbed && !sizes[1].disturbed;
    if (clear ? ratio < 1 : !sizes[1].disturbed) run = std::move(*other);
    if (!clear || std::max(ratio, 1 / ratio) < kMovedAway) continue;
    run.sample.disturbed_share = 1;
    run.sample.disturbance =
        fmt::format("took {:.2f} times as long at another time", std::max(ratio, 1 / ratio));
  }
}

Result<void> Sweeper::hierarchy(Pages pages, const Stage& stage, bool refined) {
  progress_({stage.begin, "getting memory"});
  const auto memory = Memory::obtain(request_.most_bytes, pages);
  if (!memory) return std::unexpected(memory.error());
  const Shape shape{Layout::packed, request_.line_bytes, memory->page_bytes()};
  List list(memory->bytes(), shape);
  const bool twice = refined || !request_.sizes.empty();
  const double middle = twice ? (stage.begin + stage.end) / 2 : stage.end;
  const auto in_lines = [&](std::uint64_t size) {
    return std::max<std::size_t>(static_cast<std::size_t>(size) / request_.line_bytes, 1);
  };
  std::vector<std::size_t> lines;
  for (const std::size_t size : request_.sizes) lines.push_back(in_lines(size));
  if (lines.empty())
    lines = sizes_between(in_lines(std::min(kLeastBytes, request_.most_bytes)),
                          in_lines(request_.most_bytes), refined ? 2 : 1, 1);
  lists(list, shape, lines, {stage.begin, middle, stage.what});
  if (refined) refine(list, shape, {middle, stage.end, stage.what + ", edges"});
  if (!request_.sizes.empty() && !ended())
    lists_again(list, shape, lines.size(), {middle, stage.end, stage.what + ", again"});
  return {};
}

void Sweeper::refine(List& list, const Shape& shape, const Stage& stage) {
  const double part = (stage.end - stage.begin) / kRounds;
  for (int round = 0; round < kRounds && !ended(); ++round) {
    std::vector<std::size_t> more;
    for (const std::uint64_t size : wanted().packed_bytes)
      if (size / shape.line_bytes <= list.capacity())
        more.push_back(static_cast<std::size_t>(size / shape.line_bytes));
    const double begin = stage.begin + part * round;
    lists(list, shape, more, {begin, begin + part, stage.what});
  }
}

// Sizes of lists on such pages that a core's own caches may decide; of them, those near an edge, or
// all.
std::vector<std::size_t> Sweeper::own_sizes(Pages pages, bool near_edges) const {
  const std::size_t most = 2 * request_.effort.own_lines;
  const LatencyInference found = so_far();
  const auto is_near = [](double bytes, const Tier& tier) {
    return tier.capacity && bytes > tier.capacity_bytes / kNearEdge &&
           bytes < tier.capacity_bytes * kNearEdge;
  };
  std::set<std::size_t> lines;
  for (const SizeLatency& size : found.sizes) {
    if (size.layout != Layout::packed || size.lines > most) continue;
    if ((size.page_bytes > small_page_bytes()) != (pages == Pages::huge)) continue;
    if (near_edges && std::ranges::none_of(found.tiers, [&](const Tier& tier) {
          return is_near(static_cast<double>(size.bytes), tier);
        }))
      continue;
    lines.insert(static_cast<std::size_t>(size.lines));
  }
  return {lines.begin(), lines.end()};
}

// Which sets of a cache a list fills is chance where pages lie at random, and where a level ends
// with it: the same lists once more on other pages, and those near an edge on several. And a
// neighbour on the core takes a part of its caches, and not every list that met one shows it. By
// now it may be gone: of the same lists the much slower one is left out (latency_curve).
void Sweeper::own_sizes_again(Pages pages, const Stage& stage) {
  std::vector<Memory> held;  // or the next would get the same pages again
  const double step = (stage.end - stage.begin) / (kPlacements + 1);
  for (int placement = 0; placement < kPlacements; ++placement) {
    const std::vector<std::size_t> sizes = own_sizes(pages, placement > 0);
    if (sizes.empty() || ended()) return;
    auto memory = Memory::obtain(sizes.back() * request_.line_bytes, pages);
    if (!memory) return;  // what there is stays
    const Shape shape{Layout::packed, request_.line_bytes, memory->page_bytes()};
    List list(memory->bytes(), shape);
    const double begin = stage.begin + step * (placement == 0 ? 0 : placement + 1);
    lists(list, shape, sizes, {begin, begin + step, stage.what});
    if (placement == 0) refine(list, shape, {begin + step, begin + 2 * step, stage.what});
    held.push_back(std::move(*memory));
  }
}

// The caches that the core has for itself, but for the first: an L1 has too few pages to be filled
// with such.
void Sweeper::fill_lines(const LatencyInference& found, Pages pages, const Stage& stage) {
  const Holder holder{request_.timer, request_.access, request_.line_bytes};
  for (std::size_t k = 1; k + 1 < found.tiers.size(); ++k) {
    const double holds = found.tiers[k].capacity_bytes;
    const auto around = kAround * static_cast<std::size_t>(holds);
    const auto given = kBeyond * static_cast<std::size_t>(found.tiers[k - 1].capacity_bytes);
    if (holds > static_cast<double>(request_.effort.own_lines * request_.line_bytes)) return;
    const auto memory = Memory::obtain(kFillings * around, pages);
    if (!memory) return;  // what the sizes tell stays
    for (std::size_t filling = 0; filling < kFillings && !ended(); ++filling) {
      progress_({stage.begin, stage.what});
      const auto deadline = std::chrono::steady_clock::now() + kLongFilling;
      const auto held = held_bytes(
          holder, memory->bytes().subspan(filling * around, around), given,
          [&] { return stop_() || std::chrono::steady_clock::now() > deadline; });
      if (held)
        sweep_.held.push_back({holds, static_cast<double>(*held),
                               static_cast<double>(piece_bytes(holder))});
    }
  }
}

std::size_t Sweeper::most_pages() const {
  return std::min(kMostPages, request_.most_bytes / small_page_bytes());
}

// Numbers of pages of which no list was had undisturbed, and those near a reach: a neighbour on the
// core takes a part of its TLB, too.
std::vector<std::size_t> Sweeper::doubtful_translations() const {
  const LatencyInference found = so_far();
  std::set<std::size_t> had;
  std::set<std::size_t> missing;
  std::set<std::size_t> doubtful;
  for (const SizeLatency& size : found.sizes) {
    if (size.layout != Layout::spread) continue;
    const auto pages = static_cast<std::size_t>(size.lines);
    (size.disturbed ? missing : had).insert(pages);
    for (const TlbTier& tier : found.tlb)
      if (static_cast<double>(pages) > tier.entries / kNearEdge &&
          static_cast<double>(pages) < tier.entries * kNearEdge)
        doubtful.insert(pages);
  }
  std::ranges::set_difference(missing, had, std::inserter(doubtful, doubtful.end()));
  return {doubtful.begin(), doubtful.end()};
}

// One line a page, and beside it the same lines without their pages, on the pages that cost least:
// what of a step is the caches' alone.
Result<void> Sweeper::translations(std::vector<std::size_t> lines, const Stage& stage,
                                   Pages of_control) {
  if (lines.empty()) return {};
  const std::size_t page = small_page_bytes();
  const std::size_t pages = most_pages();
  const auto memory = Memory::obtain(pages * page, Pages::small);
  if (!memory) return std::unexpected(memory.error());
  const auto dense = Memory::obtain(pages * request_.line_bytes, of_control);
  if (!dense) return std::unexpected(dense.error());
  const Shape spread{Layout::spread, request_.line_bytes, page};
  const Shape packed{Layout::packed, request_.line_bytes, dense->page_bytes()};
  List list(memory->bytes(), spread);
  List control(dense->bytes(), packed);
  const double step = (stage.end - stage.begin) / (kRounds + 2);
  for (int round = 0; round <= kRounds && !lines.empty() && !ended(); ++round) {
    const double begin = stage.begin + step * (round == 0 ? 0 : round + 1);
    const double end = stage.begin + step * (round + 2);
    lists(list, spread, lines, {begin, (begin + end) / 2, stage.what});
    lists(control, packed, lines, {(begin + end) / 2, end, stage.what + ", control"});
    lines.clear();
    for (const std::uint64_t more : wanted().spread_pages)
      lines.push_back(static_cast<std::size_t>(more));
  }
  return {};
}

// One word a page, of pages that show the same memory: what of a step is the second level's of the
// TLB alone. Where they can't be had, the spread lists have to tell it.
void Sweeper::repeated(const Stage& stage) {
  if (so_far().tlb.empty()) return;
  std::vector<Memory> held;  // or the next would get the same addresses again
  std::vector<std::size_t> lines = sizes_between(kLeastRepeated, kMostRepeated, kAnOctave, 1);
  for (int placement = 0; placement < kPlacements && !ended(); ++placement) {
    auto memory = Memory::repeated(kMostRepeated);
    if (!memory) return;
    const Shape shape{Layout::repeated, request_.line_bytes, memory->page_bytes()};
    List list(memory->bytes(), shape);
    lists(list, shape, lines, stage);
    held.push_back(std::move(*memory));
    const LatencyInference found = so_far();
    if (found.tlb.size() < 2) continue;
    const double reach = found.tlb.back().entries;
    std::erase_if(lines, [&](std::size_t pages) {
      const auto part = static_cast<double>(pages) / reach;
      return part < 0.5 || part > 2;
    });
  }
}

Result<Sweep> Sweeper::run() {
  const TimeTaken before = time_taken(request_.cpu);
  const bool finds = request_.sizes.empty();
  std::optional<Error> no_huge;
  if (request_.huge) {
    const double end = request_.small ? 0.5 : 1;
    if (auto done = hierarchy(Pages::huge, {0, end, "huge pages"}, finds); !done) {
      if (!request_.small) return std::unexpected(done.error());
      no_huge = done.error();
      sweep_.warnings.push_back(no_huge->what + "; " + no_huge->remedy);
    }
  }
  const bool alone = !request_.huge || no_huge;
  const Pages own = alone ? Pages::small : Pages::huge;
  const bool translates = finds && request_.small && most_pages() > kLeastPages;
  if (request_.small && !ended()) {
    const double begin = alone ? 0 : 0.5;
    const double end = finds ? 0.7 : 1;
    if (auto done = hierarchy(Pages::small, {begin, end, "small pages"}, finds && alone); !done)
      return std::unexpected(done.error());
    if (translates && !ended())
      if (auto done = translations(sizes_between(kLeastPages, most_pages(), 4, 1),
                                   {end, kOnceMore, "translations"}, own);
          !done)
        return std::unexpected(done.error());
    if (translates && !ended()) repeated({kOnceMore, kOnceMore, "translations, few pages"});
  }
  if (finds && !ended()) own_sizes_again(own, {kOnceMore, kFillBegin, "edges again"});
  if (finds && !ended()) fill_lines(so_far(), own, {kFillBegin, kLast, "filling caches"});
  for (int again = 0; again < kTries && translates && !ended() && taken() < kTooLong; ++again)
    if (auto done = translations(doubtful_translations(), {kLast, 1, "translations again"}, own);
        !done) {
      sweep_.warnings.push_back(done.error().what + "; " + done.error().remedy);
      break;
    }
  const TimeTaken after = time_taken(request_.cpu);
  sweep_.waited_s = static_cast<double>(after.waited - before.waited) * kNanoseconds;
  sweep_.stolen_s = static_cast<double>(after.stolen - before.stolen) * kNanoseconds;
  sweep_.knows_stolen = after.knows_stolen;
  std::vector<LatencySample> samples = judged();
  for (std::size_t i = 0; i < samples.size(); ++i) sweep_.runs[i].sample = std::move(samples[i]);
  return std::move(sweep_);
}

}  // namespace

Result<Sweep> sweep(const SweepRequest& request, const Stop& stop,
                    const std::function<void(const SweepProgress&)>& progress) {
  return Sweeper(request, stop, progress).run();
}

}  // namespace tacho::chase
