#include "cli/target_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/cpus.hpp"
#include "help/option_value.hpp"

namespace tacho {
namespace {

std::vector<int> cpus_of_option(const std::string& list) {
  std::vector<int> cpus = parse_cpu_list(list);
  if (cpus.empty())
    throw CLI::ValidationError("-C", fmt::format("'{}' is no list of CPUs, such as 0,2-3", list));
  return cpus;
}

}  // namespace

void declare(CLI::App& subcommand, AskedTargets& targets, const std::string& verb) {
  const auto many = [&](const char* name, std::vector<pid_t>& ids, const char* type,
                        const std::string& what) {
    subcommand.add_option(name, ids, what)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->transform(decimal(1, 4'194'304));  // the kernel's PID_MAX_LIMIT
  };
  many("-p,--pid", targets.pids, "PIDS",
       verb + " running processes: their threads and what they start");
  many("-t,--tid", targets.tids, "TIDS", verb + " running threads, and what they start");
  subcommand.add_flag("-a,--all-cpus", targets.every_cpu, verb + " whatever runs on any CPU");
  subcommand
      .add_option_function<std::string>(
          "-C,--cpu", [&targets](const std::string& list) { targets.cpus = cpus_of_option(list); },
          verb + " whatever runs on these CPUs: 0,2-3")
      ->type_name("CPUS");
}

}  // namespace tacho
