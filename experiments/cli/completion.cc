#include "experiments/cli/completion.h"

#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

struct CompletionOptions {
  std::string shell;  // "bash", "fish" or "zsh"
};

// The script asks `opyard complete WORD…` for candidates, and where it has none offers files.
// REQUIRES: one of these shells.
[[nodiscard]] int PrintCompletionScript(const CompletionOptions& options, const Console& console);

}  // namespace

void AddCompletionArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "completion",
       .summary = "print a script that completes words",
       .examples = "  opyard completion bash > ~/.local/share/bash-completion/completions/opyard"});
  const auto options = std::make_shared<CompletionOptions>();
  subcommand.add_option("shell", options->shell, "the shell that reads the script")
      ->required()
      ->check(CLI::IsMember({"bash", "fish", "zsh"}))
      ->type_name("SHELL");
  Choose(subcommand, command, options, &PrintCompletionScript);
}

namespace {

// bash splits words at ':' and '=', and replaces only what follows them: the line is split at
// spaces instead, and what stands before the last of them is taken off the candidates.
constexpr std::string_view kBash = R"(# opyard: source <(opyard completion bash)
_opyard() {
  local line="${COMP_LINE:0:COMP_POINT}" last
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  last="${words[-1]}"
  mapfile -t COMPREPLY < <("$1" complete "${words[@]:1}" 2> /dev/null)
  COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*[:=]}"}"}")
}
complete -o bashdefault -o default -F _opyard opyard
)";

constexpr std::string_view kZsh = R"(#compdef opyard
# opyard: source <(opyard completion zsh), after compinit
_opyard() {
  local -a candidates
  candidates=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2> /dev/null)}")
  if [[ -n "${candidates[1]}" ]]; then
    compadd -- "${candidates[@]}"
  else
    _files
  fi
}
compdef _opyard opyard
)";

constexpr std::string_view kFish = R"(# opyard: opyard completion fish | source
function __opyard_candidates
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l candidates ($words[1] complete $words[2..-1] "$last" 2> /dev/null)
    if test (count $candidates) -gt 0
        printf '%s\n' $candidates
    else
        __fish_complete_path "$last"
    end
end
complete -c opyard -f -a '(__opyard_candidates)'
)";

std::string_view ScriptOf(std::string_view shell) {
  OPYARD_CHECK(shell == "bash" || shell == "fish" || shell == "zsh", "a shell that has a script");
  return shell == "bash" ? kBash : shell == "fish" ? kFish : kZsh;
}

int PrintCompletionScript(const CompletionOptions& options, const Console& console) {
  console.out << ScriptOf(options.shell);
  return kSuccess;
}

}  // namespace
}  // namespace opyard::experiments
