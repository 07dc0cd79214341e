#include "blocks/explanation_text.hpp"

#include <fmt/format.h>

#include "base/text_layout.hpp"
#include "blocks/run_intervals.hpp"
#include "report/figure.hpp"

namespace tacho {
namespace {

// Digits after the point: one for small values, and for narrow intervals around large ones.
int digits_between(double low, double high) {
  constexpr double kWide = 10;  // cycles
  return low < 100 || high - low < kWide ? 1 : 0;
}

std::string mode_text(const RunExplanation& it, std::size_t index, const NumberStyle& style) {
  const Mode& mode = it.modes[index];
  const bool open = mode.middle >= kMostCycles;
  const int digits = digits_between(mode.middle_low, mode.middle_high);
  std::string text = fmt::format(
      "{} of executions ({}) at {} cycles", percent(mode.share, style), range(mode.share95, style),
      open ? whole(kMostCycles, style) : fixed(mode.middle, digits, style));
  text += open ? " or more"
               : fmt::format(" ({}…{})", fixed(mode.middle_low, digits, style),
                             fixed(mode.middle_high, digits, style));
  for (const SlowMode& slow : it.slow)
    if (slow.mode == index)
      text += fmt::format(": {}{} more", open ? "at least " : "", cycles_of(slow.extra, style));
  return text;
}

std::string floor_text(const RunExplanation& it, const NumberStyle& style) {
  if (it.floor.basis == CostBasis::observed)
    return fmt::format("no estimate, because {}: {} cycles, as in the fastest executions",
                       it.has_code ? "tacho does not know the core" : "the code is not here",
                       cycles_of(it.floor.cycles, style));
  const std::string core =
      fmt::format("{}{}", it.core->simulated ? "the simulated " : "", it.core->name);
  const std::string cycles = cycles_of(it.floor.cycles, style);
  if (!it.analysed)
    return fmt::format("at least {} cycles if nothing missed ({}: {} instructions a cycle)", cycles,
                       core, it.core->width);
  return fmt::format(
      "{} cycles if nothing missed (llvm-mca for {}: {}; {} at {} instructions a cycle)", cycles,
      core, cycles_of(it.analysed->run, style), cycles_of(*it.by_width, style), it.core->width);
}

std::string window_text(const RunExplanation& it, const NumberStyle& style) {
  const PrefetchWindow& window = *it.window;
  std::string text = fmt::format(
      "{} cycles: {} that do not need it before {} ({})", cycles_of(window.cost.cycles, style),
      plural(window.instructions, "instruction", style), printable(it.load_text, 60),
      it.load->known == 0 ? "its address is known at the run's beginning"
                          : "from where its address is known");
  if (it.load->loads > 1)
    text += fmt::format(
        ", the first of {} loads{}; it is assumed to be the one that misses", it.load->loads,
        it.load->walking > 0 ? " that does not go through memory in small steps" : "");
  return text;
}

std::string advice(const RunExplanation& it, const NumberStyle& style) {
  const PrefetchWindow& window = *it.window;
  std::string text;
  if (window.cost.cycles < 1) {
    text = "this run has no work that could hide the miss";
  } else {
    text = fmt::format(
        "a prefetch where the address is known hides at most {} of the {} cycles that the slowest "
        "mode waits, and saves at most {} ({}) of the run's cycles",
        cycles_of(window.hidden, style), cycles_of(window.extra, style),
        percent(window.saving, style), range(window.saving95, style));
  }
  if (window.ahead >= 1)
    text += fmt::format(
        "; to hide all of them, ask for the line about {} ahead of the run that needs it (a round "
        "takes {} cycles when nothing misses)",
        plural(static_cast<std::uint64_t>(window.ahead), "round", style),
        cycles_of(window.round, style));
  return text;
}

std::string_view basis_name(CostBasis basis) {
  switch (basis) {
    case CostBasis::analysed:
      return "llvm-mca";
    case CostBasis::width:
      return "width";
    case CostBasis::observed:
      break;
  }
  return "observed";
}

Json json_cost(const RunCost& cost) {
  return {{"cycles", json_number(cost.cycles)}, {"basis", basis_name(cost.basis)}};
}

}  // namespace

std::string cycles_of(double cycles, const NumberStyle& style) {
  return fixed(cycles, cycles < 100 ? 1 : 0, style);
}

std::string explanation_text(const RunExplanation& it, const NumberStyle& style) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    text += paragraph(fmt::format(" {:<11} ", what), value);
  };
  line("measured",
       fmt::format("{} cycles at least, {} in the fastest hundredth, median {}{}",
                   whole(it.least, style), whole(it.fastest, style), whole(it.median, style),
                   it.median == kMostCycles ? " or more" : ""));
  line("should cost", floor_text(it, style));
  const std::string_view modes_title = it.modes.size() == 1 ? "one mode" : "modes";
  for (std::size_t i = 0; i < it.modes.size(); ++i)
    line(i == 0 ? modes_title : "", mode_text(it, i, style));
  if (it.slow.empty()) return text;
  if (!it.is_seen_enough()) {
    line("advice",
         fmt::format(
             "none, because the stacks have too few of these executions: a mode with up to {} "
             "of all executions may be missing, and {} is allowed. Record longer",
             percent(it.unseen, style), percent(kLeastModeShare, style)));
    return text;
  }
  if (!it.window) {
    line("advice", it.has_code
                       ? "this run has no load that the slow executions could wait for: look for a "
                         "misprediction before the run, for stores, or for the front end"
                       : "the slow executions cannot be explained without the code: --symfs names "
                         "the folder that has it");
    return text;
  }
  line("window", window_text(it, style));
  line("advice", advice(it, style));
  return text;
}

Json json_mode(const Mode& mode) {
  return {{"cycles", json_number(mode.middle)},
          {"ci95", {json_number(mode.middle_low), json_number(mode.middle_high)}},
          {"low", mode.low},
          {"high", mode.high},
          {"count", mode.count},
          {"share", json_number(mode.share)},
          {"share_ci95", {json_number(mode.share95.low), json_number(mode.share95.high)}}};
}

Json json_explanation(const RunExplanation& it) {
  Json modes = Json::array();
  for (std::size_t i = 0; i < it.modes.size(); ++i) {
    modes.push_back(json_mode(it.modes[i]));
    modes.back()["extra_cycles"] = Json();
    for (const SlowMode& slow : it.slow)
      if (slow.mode == i) modes.back()["extra_cycles"] = json_number(slow.extra);
  }
  Json json{{"floor", json_cost(it.floor)},
            {"core", it.core ? Json(it.core->name) : Json()},
            {"simulated", it.core ? Json(it.core->simulated) : Json()},
            {"analysed_cycles", it.analysed ? json_number(it.analysed->run) : Json()},
            {"width_cycles", json_number(it.by_width)},
            {"fastest_cycles", it.fastest},
            {"modes", std::move(modes)},
            {"load", json_text(it.load_text)},
            {"unseen", json_number(it.unseen)},
            {"window", nullptr}};
  if (it.window)
    json["window"] = {
        {"instructions", it.window->instructions},
        {"cost", json_cost(it.window->cost)},
        {"hidden_cycles", json_number(it.window->hidden)},
        {"extra_cycles", json_number(it.window->extra)},
        {"saving", json_number(it.window->saving)},
        {"saving_ci95",
         {json_number(it.window->saving95.low), json_number(it.window->saving95.high)}},
        {"round_cycles", json_number(it.window->round)},
        {"rounds_ahead", json_number(it.window->ahead)}};
  return json;
}

}  // namespace tacho
