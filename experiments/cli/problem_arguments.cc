#include "experiments/cli/problem_arguments.h"

#include <CLI/CLI.hpp>

#include "env/problem_fields.h"
#include "experiments/cli/value_checks.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// The meaning of the option, and what stands where it is not given.
std::string HelpOf(const env::ProblemField& field, const env::SettingValue& fallback) {
  const std::string text = env::SettingText(fallback);
  const std::string shown = text.empty() ? std::string(field.nothing) : text;
  return std::string(field.meaning) + " (default: " + shown + ")";
}

}  // namespace

void AddProblem(CLI::App& subcommand, ProblemArguments& arguments) {
  const env::Door door = env::Door::kCommandLine;
  for (const auto& [at, fallback] : env::PrintSettings(door, env::DefaultsAt(door))) {
    const env::ProblemField& field = env::FieldOf(at.field);
    const std::string option(at.name);
    const std::string help = HelpOf(field, fallback);
    if (const auto* count = std::get_if<std::int64_t>(&fallback)) {
      std::int64_t& value = arguments.counts.emplace(option, *count).first->second;
      subcommand.add_option(option, value, help)->check(WholeNumber(field.low, field.high));
    } else if (field.form == env::SettingForm::kFlag) {
      subcommand.add_flag(option, arguments.flags[option], std::string(field.meaning));
    } else {
      subcommand.add_option(option, arguments.texts[option], help)
          ->type_name(std::string(at.shown));
    }
  }
}

env::ProblemSettings ToProblem(const ProblemArguments& arguments) {
  env::WrittenSettings written;
  for (const env::DoorField& at : env::FieldsAt(env::Door::kCommandLine)) {
    const std::string option(at.name);
    const auto text = arguments.texts.find(option);
    const auto count = arguments.counts.find(option);
    const auto flag = arguments.flags.find(option);
    if (text != arguments.texts.end() && text->second.has_value()) {
      written[option] = env::ParseSetting(env::FieldOf(at.field), *text->second);
    } else if (count != arguments.counts.end()) {
      written[option] = count->second;
    } else if (flag != arguments.flags.end()) {
      written[option] = flag->second ? env::SettingValue(true) : env::SettingValue();
    }
  }
  Diagnostics diagnostics;
  env::ProblemSettings settings = env::ReadSettings(env::Door::kCommandLine, written, diagnostics);
  diagnostics.ThrowIfAny();
  return settings;
}

}  // namespace opyard::experiments
