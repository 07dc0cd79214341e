#include "wall/report/wait_reasons.hpp"

#include <array>

#include "events/data_file.hpp"
#include "events/find_data.hpp"
#include "events/toml_file.hpp"

namespace tacho {
namespace {

constexpr auto kFileKeys = std::to_array<std::string_view>({"wait", "caller", "ready"});
constexpr auto kReasonKeys =
    std::to_array<std::string_view>({"name", "words", "functions", "decides"});
constexpr auto kCallerKeys =
    std::to_array<std::string_view>({"within", "name", "words", "functions"});

// The function without what the compiler appended: do_wait.isra.0 is do_wait. One of a system call
// has several names at the same address: __x64_sys_pause and __ia32_sys_pause are sys_pause.
std::string_view plain_name(std::string_view function) {
  function = function.substr(0, function.find('.'));
  for (const std::string_view name : {"__x64_", "__ia32_", "__arm64_", "__arm_", "__se_", "__do_"})
    if (function.starts_with(name) && function.substr(name.size()).starts_with("sys_"))
      return function.substr(name.size());
  return function;
}

}  // namespace

Result<WaitReasons> WaitReasons::load() {
  const std::string path = find_data_file("waits");
  if (path.empty())
    return failure("waits.toml, which names what threads wait for, is missing",
                   "check that tacho is installed whole: share/tacho beside its bin directory");
  return parse(TACHO_TRY(read_data_file(path)), path);
}

Result<WaitReasons> WaitReasons::parse(std::string_view text, const std::string& path) {
  const TomlFile file(path);
  const auto whole = TACHO_TRY(file.parse(text));
  TACHO_TRY(file.check_keys(whole, kFileKeys));
  WaitReasons made;
  const auto take = [&](std::string_view key, Table& to) -> Result<void> {
    const auto entries = TACHO_TRY(file.array(whole, key, "a table [[wait]]"));
    for (const toml::node& node : *entries) {
      const toml::table* entry = node.as_table();
      if (entry == nullptr)
        return file.bad(node.source(), "a reason is not a table", "write [[wait]]");
      WaitReason reason;
      if (&to == &made.callers_) {
        TACHO_TRY(file.check_keys(*entry, kCallerKeys));
        reason.within = TACHO_TRY(file.text(*entry, "within", true));
      } else {
        TACHO_TRY(file.check_keys(*entry, kReasonKeys));
        const toml::node* const decides = entry->get("decides");
        if (decides != nullptr && !decides->is_boolean())
          return file.bad(decides->source(), "'decides' is neither true nor false",
                          "write decides = true");
        reason.decides = decides != nullptr && decides->as_boolean()->get();
      }
      reason.name = TACHO_TRY(file.text(*entry, "name", true));
      reason.words = TACHO_TRY(file.text(*entry, "words", true));
      for (const toml::node& each : *TACHO_TRY(file.array(*entry, "functions", "\"futex_wait\""))) {
        const auto* name = each.as_string();
        if (name == nullptr || name->get().empty())
          return file.bad(each.source(), "a function is not a text", "write \"futex_wait\"");
        std::string function = name->get();
        if (!function.ends_with('*')) {
          to.exact.emplace(plain_name(function), to.reasons.size());
          continue;
        }
        function.pop_back();
        to.beginnings.emplace_back(std::move(function), to.reasons.size());
      }
      to.reasons.push_back(std::move(reason));
    }
    return {};
  };
  TACHO_TRY(take("wait", made.waits_));
  if (whole.contains("caller")) TACHO_TRY(take("caller", made.callers_));
  TACHO_TRY(take("ready", made.ready_));
  return made;
}

const WaitReason* WaitReasons::Table::find(std::span<const std::string> functions) const {
  const WaitReason* outermost = nullptr;
  for (const std::string& function : functions) {
    const std::string_view name = plain_name(function);
    const WaitReason* here = nullptr;
    if (const auto found = exact.find(std::string(name)); found != exact.end())
      here = &reasons[found->second];
    for (const auto& [beginning, reason] : beginnings)
      if (here == nullptr && name.starts_with(beginning)) here = &reasons[reason];
    if (here != nullptr && here->decides) return here;
    if (outermost == nullptr) outermost = here;
  }
  return outermost;
}

const WaitReason& WaitReasons::of_waiting(std::span<const std::string> kernel,
                                          std::span<const std::string> program) const {
  static const WaitReason other{"other", "something else in the kernel"};
  static const WaitReason unknown{std::string(kUnknownReason), "nobody knows: it was not recorded"};
  const WaitReason* const found = waits_.find(kernel);
  if (found == nullptr) return kernel.size() <= 1 ? unknown : other;
  const WaitReason* const part = callers_.find(program);
  return part != nullptr && part->within == found->name ? *part : *found;
}

const WaitReason& WaitReasons::of_ready(std::span<const std::string> functions) const {
  static const WaitReason preempted{"preempted", "another thread got the CPU, or it is a new one"};
  const WaitReason* const found = ready_.find(functions);
  return found != nullptr ? *found : preempted;
}

const WaitReason& WaitReasons::of_woken() const {
  static const WaitReason woken{"woken", "its wait was over, but it had no CPU yet"};
  return woken;
}

}  // namespace tacho
