// tacho doctor: what this machine can count, what stands in the way, and the remedy.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/say.hpp"
#include "cli/subcommands.hpp"
#include "events/catalogue.hpp"
#include "pmu/examine.hpp"

namespace tacho {
namespace {

std::string as_json(const Examination& seen) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& f : seen.findings)
    findings.push_back({{"name", f.name},
                        {"status", to_string(f.verdict)},
                        {"detail", f.detail},
                        {"remedy", f.remedy.empty() ? nlohmann::ordered_json()
                                                    : nlohmann::ordered_json(f.remedy)}});
  const nlohmann::ordered_json all = {
      {"pmu", {{"kind", seen.pmu_kind}, {"name", seen.pmu_name}, {"counters", seen.counters}}},
      {"findings", findings}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_text(const Examination& seen) {
  std::string text =
      fmt::format("tacho counts with {} events here ({})\n\n", seen.pmu_kind, seen.pmu_name);
  for (const Finding& f : seen.findings) {
    text += fmt::format("  {:<8} {:<22} {}\n", to_string(f.verdict), f.name, f.detail);
    if (!f.remedy.empty()) text += fmt::format("  {:<31} remedy: {}\n", "", f.remedy);
  }
  return text;
}

int run(bool json) {
  const Examination seen = examine(Catalogue());
  auto written = Output::to_stdout().write(json ? as_json(seen) : as_text(seen));
  if (written) return 0;
  say_error(written.error());
  return kOwnFailure;
}

}  // namespace

void add_doctor(CLI::App& program, int& status) {
  CLI::App* doctor = program.add_subcommand(
      "doctor", "Tell what this machine can count, and the remedy for what it can't");
  auto json = std::make_shared<bool>(false);
  doctor->add_flag("--json", *json, "As JSON, schema 1");
  doctor->callback([json, &status] { status = run(*json); });
}

}  // namespace tacho
