// From the records of all threads to the figures of a report.
#include "caliper/totals.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tacho::caliper {

namespace {

// A value that is being added may not be there yet.
std::vector<std::uint64_t> first_values(const Figures& figures, std::uint64_t smallest) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < figures.firsts(); ++i)
    if (const std::uint64_t value = figures.first[i].get(); value >= smallest)
      values.push_back(value);
  return values;
}

}  // namespace

void Sum::add(const Record& record, std::size_t quantity, const OwnCost& cost_of_one,
              const Inner& inner) {
  const Figures& figures = record.figures(quantity);
  const std::uint64_t more = figures.executions.get();
  if (more == 0) return;
  const std::uint64_t smallest = ~figures.inverted_minimum.get();
  // First, because there may be no memory for it.
  if (record.has_sketches())
    values.add(record.sketch(quantity), smallest, figures.maximum.get());
  else
    values.add(first_values(figures, smallest));
  executions += more;
  sum += std::min(figures.sum.get(), std::numeric_limits<std::uint64_t>::max() - sum);
  cost += static_cast<double>(more) * static_cast<double>(cost_of_one.inside);
  inner_cost += static_cast<double>(cost_of_one.of(inner));
  outweighed += static_cast<double>(figures.outweighed.get());
  minimum = std::min(minimum, smallest);
  maximum = std::max(maximum, figures.maximum.get());
}

void Sum::describe(Quantity& quantity) const {
  quantity.executions = executions;
  if (executions == 0) return;
  const auto n = static_cast<double>(executions);
  quantity.cost = cost / n;
  quantity.total = static_cast<double>(sum) - cost;
  quantity.mean = quantity.total / n;
  quantity.minimum = static_cast<double>(minimum) - quantity.cost;
  quantity.maximum = static_cast<double>(maximum) - quantity.cost;
  // The middle of a bucket can be outside the range of the values.
  const auto in_range = [&](double q) {
    return std::clamp(values.quantile(q), static_cast<double>(minimum),
                      static_cast<double>(maximum));
  };
  quantity.median = in_range(0.5) - quantity.cost;
  quantity.p99 = in_range(0.99) - quantity.cost;
}

void Totals::add(const Record& record, const Thread& thread, const std::optional<Error>& doubt) {
  if (record.begun.get() == 0) return;
  begun += record.begun.get();
  recursions += record.recursions.get();
  reference += record.reference.get();
  inner_ticks += record.inner_ticks.get();
  ++threads;
  if (left_open_by == nullptr) left_open_by = record.left_open_by.get();
  const Inner inner{.measured = record.inner.get(), .unmeasured = record.inner_unmeasured.get()};
  ticks.add(record, 0, thread.cost, inner);
  for (const Note* note = record.notes; note != nullptr; note = note->next) {
    auto known = std::ranges::find(notes, note->name, &NoteTotals::name);
    if (known == notes.end()) known = notes.insert(known, {.name = note->name, .sum = {}});
    known->sum.add(*note->values, 0, {}, {});
  }
  if (record.events == 0) return;
  events.resize(record.events);
  for (std::size_t event = 0; event < record.events; ++event)
    if (const auto& refused = thread.live->refused()[event]) events[event].refused = refused;
  for (const Counted& counted : thread.counted) {
    EventTotals& event = events[counted.event];
    if (doubt) {
      event.refused = doubt;
      continue;
    }
    event.sum.add(record, 1 + counted.event, counted.cost, inner);
    if (record.series > 0) record.turns_of(counted.event).add_to(event.turns);
  }
}

namespace {

void scale(Quantity& quantity, double by) {
  for (double* each : {&quantity.total, &quantity.half_width95, &quantity.minimum, &quantity.mean,
                       &quantity.median, &quantity.p99, &quantity.maximum, &quantity.cost})
    *each *= by;
}

// Scales the total from the executions in which the event was counted to all executions.
void complete(Quantity& quantity, std::uint64_t all) {
  if (quantity.executions == all) {
    quantity.status = CountStatus::counted;
    quantity.has_interval = true;
    quantity.share = 1;
    return;
  }
  quantity.status = CountStatus::estimated;
  quantity.share = static_cast<double>(quantity.executions) / static_cast<double>(all);
  quantity.total /= quantity.share;
}

// The part of the reference during changes from one set to the next. If a set had no turn, the part
// is unknown and assumed to be 0.
std::uint64_t between_turns(const Totals& totals, const CountingPlan& counting) {
  std::uint64_t covered = 0;
  for (const auto& set : counting.sets) {
    const auto counted = std::ranges::find_if(set, [&](std::size_t event) {
      return event < totals.events.size() && !totals.events[event].turns.empty();
    });
    if (counted == set.end()) return 0;
    for (const Period& turn : totals.events[*counted].turns) covered += turn.reference;
  }
  return totals.reference - std::min(totals.reference, covered);
}

// Executions in which the event was counted from begin to end may be unlike the others: a turn
// seldom falls into a short one. So the mean comes from the turns, as the total does.
void complete_from_turns(Quantity& quantity, const Totals& totals, std::vector<Period> turns,
                         std::uint64_t turning) {
  const Count count = estimate(std::move(turns), totals.reference, turning);
  quantity.status = count.status;
  quantity.total = count.value;
  quantity.half_width95 = count.half_width95;
  quantity.has_interval = count.has_interval;
  quantity.share = count.share;
  quantity.mean = quantity.total / static_cast<double>(totals.ticks.executions);
}

// Whether measuring the region, or the regions inside it, cost more than the time that is reported.
// A thread that waits for a CPU makes a few executions much longer. So single executions are
// judged, and medians: for the regions inside, what is left in most executions (weighted by their
// cost), and what is left if each execution takes the median.
bool is_too_short(const Sum& sum, const Quantity& time) {
  if (sum.executions == 0) return false;
  if (time.median < time.cost) return true;
  return sum.outweighed > sum.inner_cost / 2 &&
         static_cast<double>(sum.executions) * time.median < sum.inner_cost;
}

Quantity of_event(const Totals& totals, const Totals::EventTotals& counted, const Event& event,
                  std::uint64_t turning) {
  Quantity quantity;
  quantity.name = event.name;
  quantity.unit = event.unit;
  counted.sum.describe(quantity);
  if (!counted.turns.empty())
    complete_from_turns(quantity, totals, counted.turns, turning);
  else if (quantity.executions > 0)
    complete(quantity, totals.ticks.executions);
  if (quantity.status == CountStatus::unavailable)
    quantity.error =
        counted.refused.value_or(Error{"it had no counter during any whole execution", "", 0});
  scale(quantity, event.scale);
  return quantity;
}

// Of a quantity that is counted in each execution.
Quantity all_counted(std::string name) {
  Quantity quantity;
  quantity.name = std::move(name);
  quantity.status = CountStatus::counted;
  quantity.has_interval = true;
  quantity.share = 1;
  return quantity;
}

}  // namespace

RegionFigures Totals::figures(std::string name, const CountingPlan* counting) const {
  RegionFigures figures;
  figures.name = std::move(name);
  figures.executions = ticks.executions;
  figures.recursions = recursions;
  figures.threads = threads;
  figures.unfinished = begun - std::min(begun, ticks.executions);
  figures.quantities.reserve(1 + (counting == nullptr ? 0 : counting->requested));
  Quantity& time = figures.quantities.emplace_back(all_counted("ticks"));
  ticks.describe(time);
  figures.too_short = is_too_short(ticks, time);
  if (counting != nullptr) add_events(figures, *counting);
  for (const NoteTotals& note : notes) {
    if (note.sum.executions == 0) continue;
    Quantity& quantity = figures.quantities.emplace_back(all_counted(note.name));
    note.sum.describe(quantity);
  }
  return figures;
}

void Totals::add_events(RegionFigures& figures, const CountingPlan& counting) const {
  const std::uint64_t turning = between_turns(*this, counting);
  for (std::size_t i = 0; i < counting.requested; ++i) {
    EventTotals counted = i < events.size() ? events[i] : EventTotals{};
    if (!counted.refused) counted.refused = counting.refused[i];
    figures.quantities.push_back(of_event(*this, counted, counting.events[i], turning));
    // The cost of other events says nothing: a region without page faults is not too short.
    if (counting.events[i].unit == "ns")
      figures.too_short |= is_too_short(counted.sum, figures.quantities.back());
  }
}

}  // namespace tacho::caliper
