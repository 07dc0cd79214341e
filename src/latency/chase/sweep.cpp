#include "latency/chase/sweep.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "latency/chase/again.hpp"
#include "latency/chase/disturbance.hpp"
#include "latency/chase/held.hpp"
#include "latency/chase/memory.hpp"
#include "latency/chase/sizes.hpp"

namespace tacho::chase {
namespace {

constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kLeastPages = 8;
constexpr std::size_t kMostPages = 8192;
constexpr std::size_t kLeastRepeated = 16;    // pages that show the same memory: so many fewest
constexpr std::size_t kMostRepeated = 16384;  // and most
constexpr std::size_t kPlacements = 4;        // of these: addresses that they are seen at
// How often these are walked first: a TLB that takes any entry when it needs room has found its
// entries' place only then.
constexpr std::size_t kWalks = 32;
constexpr int kRounds = 3;                             // of adding sizes at edges
constexpr double kWithin = 0.05;                       // to which edges are to be known
constexpr int kTries = 2;                              // more, of what was disturbed or is doubtful
constexpr std::chrono::milliseconds kLong{7000};       // for the whole: from then on, in a hurry
constexpr std::chrono::milliseconds kTooLong{11'000};  // nothing is measured again from then on
constexpr double kMuchDisturbed = 0.2;
constexpr double kMovedAway = 1.1;  // times: of one list measured twice
constexpr double kNanoseconds = 1e-9;
// Of the progress: where the TLB's second level begins, lists that are measured again, levels that
// are filled, and the TLB's lists that are measured again.
constexpr double kSecondLevel = 0.8;
constexpr double kOnceMore = 0.85;
constexpr double kFillBegin = 0.9;
constexpr double kLast = 0.95;

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
  void own_sizes_again(Pages pages, const Stage& stage);
  LatencyInference so_far() const;
  SizeLatency alone(const LatencySample& sample) const;
  void fill_caches(Pages pages, const Stage& stage);
  void refine(List& list, const Shape& shape, const Stage& stage);
  std::optional<SizeRun> measure(List& list, const Shape& shape, std::size_t lines);
  void lists(List& list, const Shape& shape, const std::vector<std::size_t>& lines,
             const Stage& stage);
  void lists_again(List& list, const Shape& shape, std::size_t count, const Stage& stage);
  SizesToRefine wanted() const;
  void repeated(const Stage& stage);
  std::size_t most_pages() const;
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

// A size by itself.
SizeLatency Sweeper::alone(const LatencySample& sample) const {
  return infer_latency({&sample, 1}, request_.advertised, request_.tick_hz).sizes.front();
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
    const SizeLatency before = alone(run.sample);
    const SizeLatency now = alone(other->sample);
    const double ratio = now.cycles / before.cycles;
    if (before.disturbed || (!now.disturbed && ratio < 1)) run = std::move(*other);
    const double apart = std::max(ratio, 1 / ratio);
    if (before.disturbed || now.disturbed || apart < kMovedAway) continue;
    run.sample.disturbed_share = 1;
    run.sample.disturbance = fmt::format("took {:.2f} times as long at another time", apart);
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

// A neighbour on the core takes a part of its caches, and not every list that met one shows it. By
// now it may be gone: of the same lists, here on other pages, the much slower one is left out
// (latency_curve).
void Sweeper::own_sizes_again(Pages pages, const Stage& stage) {
  const std::vector<std::size_t> sizes =
      own_sizes(sweep_.runs, pages, 2 * request_.effort.own_lines);
  if (sizes.empty()) return;
  const auto memory = Memory::obtain(sizes.back() * request_.line_bytes, pages);
  if (!memory) return;  // what there is stays
  const Shape shape{Layout::packed, request_.line_bytes, memory->page_bytes()};
  List list(memory->bytes(), shape);
  const double middle = (stage.begin + stage.end) / 2;
  lists(list, shape, sizes, {stage.begin, middle, stage.what});
  refine(list, shape, {middle, stage.end, stage.what});
}

// The caches that the core has for itself, but for the first: an L1 has too few pages to be filled
// with such. What is not advertised is where the sizes say.
void Sweeper::fill_caches(Pages pages, const Stage& stage) {
  const std::vector<Tier> found = so_far().tiers;
  if (found.size() < 2) return;
  std::set<double> caches;
  for (const AdvertisedCache& cache : request_.advertised.caches)
    if (cache.level > 1) caches.insert(static_cast<double>(cache.bytes));
  if (caches.empty())
    for (std::size_t k = 1; k < found.size(); ++k) caches.insert(found[k].capacity_bytes);
  progress_({stage.begin, stage.what});
  for (const double about : caches) {
    if (about > static_cast<double>(request_.effort.own_lines * request_.line_bytes)) continue;
    const auto held = fillings({.timer = request_.timer,
                                .access = request_.access,
                                .line_bytes = request_.line_bytes,
                                .pages = pages,
                                .about_bytes = static_cast<std::size_t>(about),
                                .before_bytes = static_cast<std::size_t>(found[0].capacity_bytes),
                                .most_bytes = request_.most_bytes},
                               [&] { return ended(); });
    sweep_.held.insert(sweep_.held.end(), held.begin(), held.end());
  }
}

std::size_t Sweeper::most_pages() const {
  return std::min(kMostPages, request_.most_bytes / small_page_bytes());
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
// TLB alone. All sizes first, and then those near the reach, at other addresses. Where such pages
// can't be had, the spread lists have to tell it.
void Sweeper::repeated(const Stage& stage) {
  std::vector<Memory> held;  // or the next would get the same addresses again
  for (std::size_t placement = 0; placement < kPlacements && !ended(); ++placement) {
    const std::vector<TlbTier> found = so_far().tlb;
    if (found.empty()) return;
    const auto part_of_reach = [&](double part) {
      return static_cast<std::size_t>(part * found.back().entries);
    };
    const bool near = placement > 0 && found.size() > 1;
    const std::vector<std::size_t> lines =
        near ? sizes_between(part_of_reach(0.5), std::min(part_of_reach(2), kMostRepeated), 16, 1)
             : sizes_between(kLeastRepeated, kMostRepeated, 8, 1);
    auto memory = Memory::repeated(kMostRepeated);
    if (!memory) return;
    const Shape shape{Layout::repeated, request_.line_bytes, memory->page_bytes()};
    List list(memory->bytes(), shape);
    const double step = (stage.end - stage.begin) / kPlacements;
    const double begin = stage.begin + step * static_cast<double>(placement);
    lists(list, shape, lines, {begin, begin + step, stage.what});
    held.push_back(std::move(*memory));
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
                                   {end, kSecondLevel, "translations"}, own);
          !done)
        return std::unexpected(done.error());
    if (translates && !ended()) repeated({kSecondLevel, kOnceMore, "translations, few pages"});
  }
  if (finds && !ended()) own_sizes_again(own, {kOnceMore, kFillBegin, "edges again"});
  if (finds && !ended()) fill_caches(own, {kFillBegin, kLast, "filling caches"});
  for (int again = 0; again < kTries && translates && !ended() && taken() < kTooLong; ++again) {
    const Stage stage{kLast, 1, "translations again"};
    if (so_far().tlb.size() < 2) repeated(stage);
    if (auto done = translations(doubtful_translations(so_far()), stage, own); !done) {
      sweep_.warnings.push_back(done.error().what + "; " + done.error().remedy);
      break;
    }
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
