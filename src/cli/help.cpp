// tacho help: explains a subcommand or a topic.
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/failure.hpp"
#include "cli/subcommands.hpp"
#include "events/spelling.hpp"
#include "help/help_format.hpp"
#include "help/option_value.hpp"
#include "help/topics.hpp"

namespace tacho {
namespace {

std::vector<std::string> known_words() {
  std::vector<std::string> words = subcommand_names();
  for (const HelpTopic& topic : help_topics()) words.emplace_back(topic.name);
  return words;
}

int explain(const std::string& word) {
  if (word.empty()) return run_tacho({"--help"});
  if (is_subcommand(word)) return run_tacho({word, "--help"});
  if (const std::string text = topic_text(word, help_columns()); !text.empty()) return answer(text);
  const std::string near = did_you_mean(word, known_words());
  return fail({.what = fmt::format("no subcommand and no topic '{}'", word),
               .remedy = near.empty() ? "'tacho help' lists them" : near});
}

}  // namespace

void add_help(CLI::App& program, const std::vector<std::string>& /*command*/, int& status) {
  CLI::App* help = program.add_subcommand("help", "Explain a subcommand or a topic");
  help->footer("Topics:\n" + topic_list() + '\n' + kOwnExitStatus);
  auto word = std::make_shared<std::string>();
  help->add_option("WORD", *word, "A subcommand or a topic; without it, a list of both")
      ->check(offers(known_words));
  help->callback([word, &status] { status = explain(*word); });
}

}  // namespace tacho
