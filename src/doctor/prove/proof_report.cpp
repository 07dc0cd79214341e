#include "doctor/prove/proof_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/cpus.hpp"
#include "base/text_layout.hpp"

namespace tacho::prove {
namespace {

constexpr std::size_t kWidth = 80;

std::string title_of(const Subject& subject) {
  if (subject.pmu.empty()) return "PMU of the cores: none";
  std::string name = subject.core ? subject.pmu : "software events of the kernel";
  if (subject.cpus.empty()) return name;
  return fmt::format("{}: CPUs {}, kept to CPU {}", name, cpu_list_text(subject.cpus),
                     subject.cpus.back());
}

std::string head_of(const Proof& proof, std::string_view what) {
  return fmt::format("  {:<10}  {:<20}", to_string(proof.outcome), what);
}

std::string remedy_of(const Proof& proof, std::size_t indent) {
  if (proof.remedy.empty()) return {};
  return paragraph(std::string(indent, ' ') + "remedy: ", proof.remedy, kWidth);
}

bool same_reason(const Proof& a, const Proof& b) {
  return a.outcome == Outcome::not_proved && b.outcome == Outcome::not_proved && a.pmu == b.pmu &&
         a.detail == b.detail;
}

std::string not_proved_together(std::span<const Proof* const> proofs) {
  std::vector<std::string> names;
  for (const Proof* proof : proofs) names.push_back(proof->check);
  const Proof& first = *proofs.front();
  const std::string head = fmt::format("  {:<10}  ", to_string(first.outcome));
  return paragraph(head, fmt::format("{}: {}", fmt::join(names, ", "), first.detail), kWidth) +
         remedy_of(first, head.size());
}

std::string text_of(std::span<const Proof> proofs, std::string_view pmu) {
  std::string text;
  std::vector<const Proof*> told;
  for (const Proof& proof : proofs) {
    if (proof.pmu != pmu || std::ranges::find(told, &proof) != told.end()) continue;
    std::vector<const Proof*> alike;
    for (const Proof& other : proofs)
      if (&other == &proof || same_reason(proof, other)) alike.push_back(&other);
    told.insert(told.end(), alike.begin(), alike.end());
    if (alike.size() > 1) {
      text += not_proved_together(alike);
      continue;
    }
    const std::string head = head_of(proof, proof.check);
    text += paragraph(head, proof.detail, kWidth) + remedy_of(proof, head.size());
  }
  return text;
}

}  // namespace

std::string proof_text(const ProofReport& report) {
  std::string text =
      fmt::format("{} checks in {:.0f} s: {} proved, {} failed, {} not proved here\n",
                  report.proofs.size(), report.seconds, report.count(Outcome::proved),
                  report.count(Outcome::failed), report.count(Outcome::not_proved));
  for (const Subject& subject : report.subjects)
    text += "\n" + title_of(subject) + "\n" + text_of(report.proofs, subject.pmu);
  if (report.count(Outcome::failed) > 0)
    text += "\n" + paragraph("",
                             "Counts of this machine are not to be trusted where a check "
                             "failed. docs/how-to/prove-a-machine.md says how to send the "
                             "result in.",
                             kWidth);
  return text;
}

Json proofs_json(const ProofReport& report) {
  Json proofs = Json::array();
  for (const Proof& proof : report.proofs) {
    Json entry;
    entry["pmu"] = json_text(proof.pmu);
    entry["check"] = proof.check;
    entry["outcome"] = to_string(proof.outcome);
    entry["detail"] = proof.detail;
    entry["remedy"] = json_text(proof.remedy);
    entry["figures"] = Json::array();
    for (const Figure& figure : proof.figures) {
      Json of_figure;
      of_figure["name"] = figure.name;
      of_figure["measured"] = json_number(figure.measured);
      of_figure["expected"] = json_number(figure.expected);
      of_figure["tolerance"] = json_number(figure.tolerance);
      of_figure["unit"] = json_text(figure.unit);
      entry["figures"].push_back(std::move(of_figure));
    }
    proofs.push_back(std::move(entry));
  }
  return proofs;
}

}  // namespace tacho::prove
