// The fields of ProblemSettings in one table: what each is called, what it means, how it is read
// and printed, and where users write it. A new setting is a field of ProblemSettings, a row here,
// and a line for each place that has it (CONTRIBUTING.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/problem_settings.h"
#include "env/setting_value.h"
#include "sim/base/error.h"

namespace opyard::env {

// The form of a setting's value: one of `words`, any text, a list of names (of `words`, where there
// are any), a whole number, a unit of decision, a unit or a number of groups, an objective's word
// or weights, or yes or no.
enum class SettingForm : std::uint8_t {
  kWord,
  kText,
  kNames,
  kCount,
  kUnit,
  kUnits,
  kObjective,
  kFlag,
};

struct ProblemField {
  std::string_view name;  // unique
  SettingForm form = SettingForm::kWord;
  std::string_view meaning;  // a phrase: lower case, no full stop
  // The text for a setting without a value; "" where it always has one.
  std::string_view nothing;
  std::vector<std::string> (*words)();  // null: any
  // The legal numbers of a count.
  std::int64_t low = 0;
  std::int64_t high = 0;
  // Puts `value` into `settings`. What is not legal leaves them, and is added to `diagnostics` as
  // "`place`: found, expected".
  void (*read)(const SettingValue& value,
               const std::string& place,
               ProblemSettings& settings,
               Diagnostics& diagnostics);
  SettingValue (*print)(const ProblemSettings& settings);  // `read` reads the same again
};

// The value that a line of text is, as a command line has it: names between commas, a number where
// the field takes one.
[[nodiscard]] SettingValue ParseSetting(const ProblemField& field, const std::string& text);

// In the order of docs/formats.md.
[[nodiscard]] std::span<const ProblemField> ProblemFields();
// REQUIRES: there is one of this name.
[[nodiscard]] const ProblemField& FieldOf(std::string_view name);

// Where settings are written. kExperiment: experiment files and what stores keep of them; kCaller:
// callers in Python, and requests to agents in other processes.
enum class Door : std::uint8_t { kExperiment, kCommandLine, kCaller };

// The name of a field at a door.
struct DoorField {
  std::string_view field;  // its name in the table
  std::string_view name;   // at the door: "problem.defaults.queue", "--queue", "queue"
  std::string_view shown;  // on the command line, for the value: "QUEUE"
};

// The fields of the table that a door has, in the order in which it reads and prints them.
[[nodiscard]] std::span<const DoorField> FieldsAt(Door door);
// The same for one field. REQUIRES: the door has it.
[[nodiscard]] const DoorField& NameAt(Door door, std::string_view field);

// The settings of who says nothing.
[[nodiscard]] ProblemSettings DefaultsAt(Door door);

// The settings as written, by the names of a door; what is left out has its default.
using WrittenSettings = std::map<std::string, SettingValue, std::less<>>;

// The settings that stand for `written`. Adds all that is wrong to `diagnostics`, each by its name
// at the door, and for a name that the door lacks those that it has.
[[nodiscard]] ProblemSettings ReadSettings(Door door,
                                           const WrittenSettings& written,
                                           Diagnostics& diagnostics);
// The way back: all that the door has, in its order.
struct PrintedSetting {
  DoorField at;
  SettingValue value;
};
[[nodiscard]] std::vector<PrintedSetting> PrintSettings(Door door, const ProblemSettings& settings);

}  // namespace opyard::env
