#include "blocks/code_loads.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

namespace tacho {
namespace {

constexpr std::uint64_t kLineBytes = 64;  // of a cache line: the most common size

using Words = std::vector<std::string_view>;

bool is_any(std::string_view word, std::span<const std::string_view> of) {
  return std::ranges::find(of, word) != of.end();
}

bool starts_any(std::string_view word, std::span<const std::string_view> of) {
  return std::ranges::any_of(of, [&](std::string_view each) { return word.starts_with(each); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view mnemonic(std::string_view text) {
  return text.substr(0, text.find(' '));
}

// The operands: the parts between commas that are not inside brackets.
Words operands(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == text.npos) return {};
  text.remove_prefix(space);
  Words found;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if ((c == ',' && depth <= 0) || i == text.size()) {
      found.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return found;
}

// The name of the 64-bit register that a register is a part of: rax for %al, %ax and %eax.
std::string x86_register(std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  if (name.starts_with('r')) {  // rax, r8, r8d
    const std::string_view digits = name.substr(1, name.find_last_of("0123456789"));
    const bool numbered = !digits.empty() && std::isdigit(static_cast<unsigned char>(digits[0]));
    return numbered ? "r" + std::string(digits) : std::string(name);
  }
  if (name.starts_with('e') && name.size() == 3) return "r" + std::string(name.substr(1));
  if (name.size() == 3 && name.ends_with('l')) name.remove_suffix(1);  // sil, dil, bpl, spl
  if (name.size() == 2) {
    if (name.ends_with('l') || name.ends_with('h')) return {'r', name[0], 'x'};
    return "r" + std::string(name);
  }
  return std::string(name);
}

// The same for arm64: w3 is the lower half of x3.
std::string arm_register(std::string_view name) {
  return name.starts_with('w') ? "x" + std::string(name.substr(1)) : std::string(name);
}

// The registers inside the brackets of an operand.
template <class Name>
std::vector<std::string> registers_in(std::string_view operand, char open, Name name_of) {
  std::vector<std::string> found;
  const std::size_t begin = operand.find(open);
  if (begin == operand.npos) return found;
  std::size_t at = begin + 1;
  while (at < operand.size()) {
    const std::size_t end = std::min(operand.find_first_of(",)] ", at), operand.size());
    const std::string_view word = trimmed(operand.substr(at, end - at));
    if (!word.empty() && (word[0] == '%' || (open == '[' && (word[0] == 'x' || word[0] == 'w'))))
      found.push_back(name_of(word));
    at = end + 1;
  }
  return found;
}

// Effect of an instruction: the registers of the address that it loads from, and those that it
// writes.
struct Effect {
  bool loads = false;
  std::vector<std::string> address, writes;
  std::uint64_t scale = 1;  // by which a register of the address is multiplied
  // The register that it advances by a constant, and by how many.
  std::string advances;
  std::uint64_t step = 0;
};

// The number in "$8", "#-8" or "-8", without its sign; none if it is no number.
std::optional<std::uint64_t> constant(std::string_view text) {
  if (!text.empty() && (text.front() == '$' || text.front() == '#')) text.remove_prefix(1);
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void advance(Effect& effect, std::string name, std::optional<std::uint64_t> step) {
  if (!step) return;
  effect.advances = std::move(name);
  effect.step = *step;
}

constexpr std::array<std::string_view, 6> kNoAccess = {"lea",     "nop",   "prefetch",
                                                       "clflush", "endbr", "j"};
constexpr std::array<std::string_view, 3> kNoResult = {"cmp", "test", "push"};
// Instructions that only test a bit. bts, btr and btc change it, too.
constexpr std::array<std::string_view, 4> kBitTests = {"bt", "btw", "btl", "btq"};
// Instructions that write rax and rdx without naming them.
constexpr std::array<std::string_view, 7> kWriteAD = {"mul",  "imul", "div",  "idiv",
                                                      "cqto", "cltd", "rdtsc"};
constexpr std::array<std::string_view, 4> kStack = {"rsp", "rbp", "rip", "sp"};

// "addq $8, %rax", "incl %ecx", "leaq 8(%rdi), %rdi"
void add_x86_step(Effect& to, std::string_view name, const Words& words) {
  if (words.empty() || !words.back().starts_with('%')) return;
  const std::string own = x86_register(words.back());
  if (words.size() == 1 && (name.starts_with("inc") || name.starts_with("dec")))
    advance(to, own, 1);
  if (words.size() != 2) return;
  const bool adds = name.starts_with("add") || name.starts_with("sub");
  if (adds && words[0].starts_with('$')) advance(to, own, constant(words[0]));
  if (name.starts_with("lea") &&
      registers_in(words[0], '(', x86_register) == std::vector<std::string>{own})
    advance(to, own, constant(words[0].substr(0, words[0].find('('))));
}

// 4 for "(%rdi, %rcx, 4)".
std::uint64_t x86_scale(std::string_view operand) {
  const std::size_t comma = operand.rfind(',');
  if (comma == operand.npos || operand.empty()) return 1;
  return constant(trimmed(operand.substr(comma + 1, operand.size() - comma - 2))).value_or(1);
}

Effect x86_effect(std::string_view text) {
  Effect effect;
  const std::string_view name = mnemonic(text);
  const Words words = operands(text);
  const bool accesses = !starts_any(name, kNoAccess);
  const bool only_reads =
      starts_any(name, kNoResult) || is_any(name, kBitTests) || name.starts_with("j");
  const bool moves = name.starts_with("mov") || name.starts_with("vmov");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    if (words[i].find('(') != words[i].npos) {
      // The last operand is written. It is read too, unless the instruction is a move.
      const bool stored_only = last && words.size() > 1 && moves;
      if (accesses && !stored_only) {
        effect.loads = true;
        effect.address = registers_in(words[i], '(', x86_register);
        effect.scale = x86_scale(words[i]);
      }
    } else if (words[i].starts_with('%') && ((last && !only_reads) || name.starts_with("xchg"))) {
      effect.writes.push_back(x86_register(words[i]));
    }
  }
  if (starts_any(name, kWriteAD) && words.size() <= 1) {
    effect.writes.emplace_back("rax");
    effect.writes.emplace_back("rdx");
  }
  add_x86_step(effect, name, words);
  if (name == "cltq" || name == "cwtl" || name.starts_with("cmpxchg"))
    effect.writes.emplace_back("rax");
  return effect;
}

// arm64 instructions whose operands are only read: branches, comparisons and hints. Conditional
// branches such as b.eq belong to them, too.
constexpr std::array<std::string_view, 33> kArmNoResult = {
    "b",     "bl",     "br",     "blr",  "braa", "brab",  "braaz", "brabz",  "blraa",
    "blrab", "blraaz", "blrabz", "ret",  "cbz",  "cbnz",  "tbz",   "tbnz",   "cmp",
    "cmn",   "tst",    "ccmp",   "ccmn", "fcmp", "fcmpe", "fccmp", "fccmpe", "prfm",
    "prfum", "msr",    "hint",   "dmb",  "dsb",  "svc"};
// Stores that write into their first operand whether they succeeded.
constexpr std::array<std::string_view, 4> kArmWithStatus = {"stxr", "stlxr", "stxp", "stlxp"};
// Loads of two registers, and atomic operations, whose second operand receives the old value.
constexpr std::array<std::string_view, 4> kArmPairs = {"ldp", "ldnp", "ldxp", "ldaxp"};
constexpr std::array<std::string_view, 9> kArmAtomics = {
    "ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax", "ldumin", "swp"};

Effect arm_effect(std::string_view text) {
  Effect effect;
  const std::string_view name = mnemonic(text);
  const Words words = operands(text);
  if (is_any(name, kArmNoResult) || name.starts_with("b.") || words.empty()) return effect;
  effect.loads = name.starts_with("ld");
  const bool stores = name.starts_with("st");
  const bool atomic = starts_any(name, kArmAtomics);
  if ((!stores && !atomic) || starts_any(name, kArmWithStatus))
    effect.writes.push_back(arm_register(words[0]));
  if ((starts_any(name, kArmPairs) || atomic) && words.size() > 1)
    effect.writes.push_back(arm_register(words[1]));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('[')) continue;
    effect.address = registers_in(words[i], '[', arm_register);
    // Write-back: [x1, #8]! before the access, and [x1], #8 after it.
    if ((words[i].ends_with('!') || i + 1 < words.size()) && !effect.address.empty()) {
      effect.writes.push_back(effect.address.front());
      const std::size_t hash = words[i].rfind('#');
      advance(effect, effect.address.front(),
              constant(i + 1 < words.size() ? words[i + 1]
                                            : words[i].substr(std::min(hash, words[i].size()),
                                                              words[i].rfind(']') - hash)));
    }
  }
  if ((name == "add" || name == "sub") && words.size() == 3 && words[0] == words[1])
    advance(effect, arm_register(words[0]), constant(words[2]));
  return effect;
}

bool may_miss(const Effect& effect) {
  return effect.loads && !effect.address.empty() &&
         std::ranges::none_of(effect.address,
                              [](const std::string& each) { return is_any(each, kStack); });
}

// The instruction before which the address of the load at `at` is known.
std::size_t known_before(std::span<const Effect> effects, std::size_t at) {
  for (std::size_t k = at; k > 0; --k)
    if (std::ranges::any_of(effects[k - 1].writes, [&](const std::string& each) {
          return std::ranges::find(effects[at].address, each) != effects[at].address.end();
        }))
      return k;
  return 0;
}

// Whether the load goes through memory in steps of at most a cache line: a register of its address
// is advanced by a constant, and nothing else changes the address.
bool walks(const Effect& load, std::span<const Effect> code) {
  bool advanced = false;
  for (const Effect& each : code)
    for (const std::string& written : each.writes) {
      if (std::ranges::find(load.address, written) == load.address.end()) continue;
      if (each.advances != written || each.step * load.scale > kLineBytes) return false;
      advanced = true;
    }
  return advanced;
}

}  // namespace

std::optional<CodeLoad> likely_miss(std::string_view architecture,
                                    std::span<const std::string> instructions) {
  Effect (*effect_of)(std::string_view) = nullptr;
  if (architecture == "x86_64") effect_of = x86_effect;
  if (architecture == "aarch64") effect_of = arm_effect;
  if (effect_of == nullptr) return std::nullopt;
  std::vector<Effect> effects;
  for (const std::string& each : instructions) effects.push_back(effect_of(each));
  std::optional<CodeLoad> first, found;
  std::size_t loads = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (!may_miss(effects[i])) continue;
    if (!first) first = CodeLoad{i, known_before(effects, i), 0, 0};
    if (!found && !walks(effects[i], effects))
      found = CodeLoad{i, known_before(effects, i), 0, loads};
    ++loads;
  }
  if (!found) found = first;
  if (found) found->loads = loads;
  return found;
}

}  // namespace tacho
