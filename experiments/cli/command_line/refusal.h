// Refusal of unknown words on a command line, with what they may have meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// The subcommand that `word`, a name or an alias, stands for, or null.
[[nodiscard]] const CLI::App* FindSubcommand(const CLI::App& subcommand, const std::string& word);

// The names of the subcommands, in the order of the help.
[[nodiscard]] std::vector<std::string> SubcommandNames(const CLI::App& subcommand);

// "opyard graph info".
[[nodiscard]] std::string FullName(const CLI::App& subcommand);

// Throws InputError "opyard place: `what`; see opyard place --help", with the subcommand that
// `args` choose.
[[noreturn]] void RefuseCommand(const CLI::App& app,
                                const std::vector<std::string>& args,
                                const std::string& what);

// Throws such an InputError for the first subcommand or long option that does not exist, with the
// nearest one that does. CLI11 says of either only that it was not expected, and before that what
// is missing.
void CheckWords(const CLI::App& app, const std::vector<std::string>& args);

}  // namespace opyard::experiments
