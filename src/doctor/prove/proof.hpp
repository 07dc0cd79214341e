// The result of one check of `tacho doctor --prove`: whether a measurement whose truth is known
// came out right on this machine.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tacho::prove {

enum class Outcome {
  proved,
  failed,
  not_proved,  // the machine, the kernel or the user's privileges did not allow the check
};
std::string_view to_string(Outcome);  // the word in schema 1

// What was measured, what it should have been, and the greatest difference that counts as right.
struct Figure {
  std::string name;
  double measured = 0;
  double expected = 0;
  double tolerance = 0;
  std::string unit;  // of all three

  bool right() const;
};

struct Proof {
  Outcome outcome = Outcome::not_proved;
  std::string detail;
  std::string remedy;  // how the check becomes possible; may be empty
  std::vector<Figure> figures;
  std::string pmu;    // that was checked: "cpu_core"; "kernel" for software events
  std::string check;  // its name
};

Proof not_proved(std::string why, std::string remedy = {});
Proof not_proved(const Error& error);
Proof failed(std::string detail, std::vector<Figure> figures = {});
// Too little was measured to judge: "3 samples: too few". `of` follows the unit.
Proof too_few(std::string_view unit, std::size_t measured, std::size_t fewest,
              std::string_view of = {});
// Something that was opened could not be used. If descriptors or memory ran out, nothing is proved.
Proof failed(const Error& error);
Proof proved(std::string detail, std::vector<Figure> figures);
// Proved if all figures are right.
Proof judged(std::string detail, std::vector<Figure> figures);

// The figure as "2000012 instructions, known 2000000 (± 20000)".
std::string figure_text(const Figure& figure);

}  // namespace tacho::prove
