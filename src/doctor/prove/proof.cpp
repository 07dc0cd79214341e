#include "doctor/prove/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <utility>

namespace tacho::prove {
namespace {

// Whole numbers as they are; others with four digits.
std::string number_text(double value) {
  constexpr double kLargest = 1e15;
  if (value == std::floor(value) && std::abs(value) < kLargest) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  constexpr std::array<std::string_view, 3> kWords = {"proved", "failed", "not proved"};
  return kWords[static_cast<std::size_t>(outcome)];
}

bool Figure::right() const {
  return std::abs(measured - expected) <= tolerance;
}

Proof not_proved(std::string why, std::string remedy) {
  Proof proof;
  proof.detail = std::move(why);
  proof.remedy = std::move(remedy);
  return proof;
}

Proof not_proved(const Error& error) {
  return not_proved(error.what, error.remedy);
}

Proof failed(std::string detail, std::vector<Figure> figures) {
  Proof proof;
  proof.outcome = Outcome::failed;
  proof.detail = std::move(detail);
  proof.figures = std::move(figures);
  return proof;
}

Proof too_few(std::string_view unit, std::size_t measured, std::size_t fewest,
              std::string_view of) {
  return failed(fmt::format("{} {}{}: too few", measured, unit, of),
                {{.name = std::string(unit),
                  .measured = static_cast<double>(measured),
                  .expected = static_cast<double>(fewest),
                  .tolerance = 0,
                  .unit = std::string(unit)}});
}

Proof failed(const Error& error) {
  const bool lacks_room =
      error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM;  // not the PMU's fault
  return lacks_room ? not_proved(error) : failed(error.what);
}

Proof proved(std::string detail, std::vector<Figure> figures) {
  Proof proof = failed(std::move(detail), std::move(figures));
  proof.outcome = Outcome::proved;
  return proof;
}

Proof judged(std::string detail, std::vector<Figure> figures) {
  const bool right = std::ranges::all_of(figures, &Figure::right);
  Proof proof = proved(std::move(detail), std::move(figures));
  if (!right) proof.outcome = Outcome::failed;
  return proof;
}

std::string figure_text(const Figure& figure) {
  return fmt::format("{}{}{}, known {} (± {})", number_text(figure.measured),
                     figure.unit.empty() ? "" : " ", figure.unit, number_text(figure.expected),
                     number_text(figure.tolerance));
}

}  // namespace tacho::prove
