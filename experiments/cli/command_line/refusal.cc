#include "experiments/cli/command_line/refusal.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "experiments/text/number_format.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::experiments {
namespace {

// The command that the first words choose, as far as they name subcommands.
const CLI::App& DeepestSubcommand(const CLI::App& app, const std::vector<std::string>& args) {
  const CLI::App* subcommand = &app;
  for (const std::string& word : args) {
    const CLI::App* next = FindSubcommand(*subcommand, word);
    if (next == nullptr) {
      break;
    }
    subcommand = next;
  }
  return *subcommand;
}

void CheckOption(const CLI::App& app,
                 const CLI::App& subcommand,
                 const std::string& word,
                 const std::vector<std::string>& args) {
  std::vector<std::string> known;
  for (const CLI::Option* option : subcommand.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  const std::string name = word.substr(0, word.find('='));
  if (std::ranges::find(known, name) == known.end()) {
    RefuseCommand(app, args, name + " is not an option" + DidYouMean(name, known));
  }
}

}  // namespace

const CLI::App* FindSubcommand(const CLI::App& subcommand, const std::string& word) {
  for (const CLI::App* child : subcommand.get_subcommands({})) {
    if (child->check_name(word)) {
      return child;
    }
  }
  return nullptr;
}

std::vector<std::string> SubcommandNames(const CLI::App& subcommand) {
  std::vector<std::string> names;
  for (const CLI::App* child : subcommand.get_subcommands({})) {
    names.push_back(child->get_name());
  }
  return names;
}

std::string FullName(const CLI::App& subcommand) {
  const CLI::App* parent = subcommand.get_parent();
  return (parent == nullptr ? "" : FullName(*parent) + " ") + subcommand.get_name();
}

void RefuseCommand(const CLI::App& app,
                   const std::vector<std::string>& args,
                   const std::string& what) {
  const std::string name = FullName(DeepestSubcommand(app, args));
  throw InputError(name + ": " + OneLine(what) + "; see " + name + " --help");
}

void CheckWords(const CLI::App& app, const std::vector<std::string>& args) {
  const CLI::App* subcommand = &app;
  for (const std::string& word : args) {
    if (word == "--") {
      return;
    }
    if (word.starts_with("--")) {
      CheckOption(app, *subcommand, word, args);
    }
    const std::vector<std::string> names = SubcommandNames(*subcommand);
    if (names.empty() || word.starts_with("-")) {
      continue;
    }
    const CLI::App* next = FindSubcommand(*subcommand, word);
    if (next == nullptr) {
      RefuseCommand(app,
                    args,
                    "found " + Quoted(word) + DidYouMean(word, names) + ", expected one of " +
                        JoinNames(names));
    }
    subcommand = next;
  }
}

}  // namespace opyard::experiments
