// The options of an agent in one table: read, checked and described from the same rows.
//
//   OptionTable<Settings>({{.name = "tries",
//                           .field = Whole(&Settings::tries, 1, 10'000),
//                           .meaning = "partitions that are made; the best plan counts",
//                           .paper = "1"}})
//
// The default of an option is what stands in fresh settings, or in those of WithDefaults. Tables
// are values, made when they are asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agents/base/agent_info.h"
#include "agents/base/option_fault.h"
#include "agents/base/option_kinds.h"
#include "sim/base/error.h"
#include "sim/base/options.h"

namespace opyard::agents {

// Where an option stands in the settings of an agent, and what may stand there.
template <class Settings>
class OptionField {
 public:
  // `kind` is one of option_kinds.h, or a field of `Value`, where that is a struct of settings.
  template <class Value, class Kind>
  OptionField(Value Settings::*member, Kind kind)
      : read_([member, kind](Options& options, const std::string& name, Settings& settings) {
          settings.*member = static_cast<Value>(kind.Read(options, name, settings.*member));
        }),
        describe_([member, kind](const Settings& defaults, OptionInfo& info) {
          kind.Describe(defaults.*member, info);
        }) {}

  // `settings` with the value of option `name`, if it is given. Throws InputError if it is not
  // legal.
  [[nodiscard]] Settings Read(Options& options, const std::string& name, Settings settings) const {
    read_(options, name, settings);
    return settings;
  }
  // Fills in the default, which stands in `defaults`, and what is legal.
  void Describe(const Settings& defaults, OptionInfo& info) const { describe_(defaults, info); }

 private:
  std::function<void(Options& options, const std::string& name, Settings& settings)> read_;
  std::function<void(const Settings& defaults, OptionInfo& info)> describe_;
};

// A number in [low, high]; the member may be of any type that holds it.
template <class Settings, class Value>
[[nodiscard]] OptionField<Settings> Whole(Value Settings::*member,
                                          std::int64_t low,
                                          std::int64_t high) {
  return {member, WholeKind{.low = low, .high = high}};
}
template <class Settings>
[[nodiscard]] OptionField<Settings> Real(double Settings::*member, double low, double high) {
  return {member, RealKind{.low = low, .high = high}};
}
template <class Settings>
[[nodiscard]] OptionField<Settings> Flag(bool Settings::*member) {
  return {member, FlagKind{}};
}
template <class Settings>
[[nodiscard]] OptionField<Settings> Text(std::string Settings::*member) {
  return {member, TextKind{}};
}
template <class Settings, class Value>
[[nodiscard]] OptionField<Settings> Word(Value Settings::*member,
                                         std::type_identity_t<Words<Value>> words) {
  return {member, WordKind<Value>{.words = std::move(words)}};
}

template <class Settings>
struct OptionRow {
  std::string name;
  OptionField<Settings> field;
  std::string meaning;
  std::string paper;
};

// A condition that values, each of them legal by itself, meet together.
template <class Settings>
struct OptionRule {
  std::string name;  // of the option that is at fault where they do not
  // Throws InputError if they do not.
  std::function<void(const Settings& settings)> check;
};

// Adds what `call` throws as a fault of option `name`.
template <class Call>
void AddFault(const std::string& name, const Call& call, std::vector<OptionFault>& faults) {
  try {
    call();
  } catch (const InputError& error) {
    faults.push_back({.name = name, .message = error.what()});
  }
}

// Checks the rules of every description: names that differ, and a meaning for each.
void CheckOptions(const std::vector<OptionInfo>& options);

template <class Settings>
class OptionTable {
 public:
  OptionTable() = default;
  explicit OptionTable(std::vector<OptionRow<Settings>> rows) : rows_(std::move(rows)) {}

  // Reads every option in the order of the rows, given or not. Throws InputError at the first value
  // that is not legal.
  [[nodiscard]] Settings Read(Options& options) const {
    Settings settings = defaults_;
    for (const OptionRow<Settings>& row : rows_) {
      settings = row.field.Read(options, row.name, std::move(settings));
    }
    return settings;
  }

  // All values that are not legal, in the order of the rows; where each is legal, the rules that
  // they break together. Makes nothing. What the table lacks stays unread.
  [[nodiscard]] std::vector<OptionFault> Check(Options& options) const {
    std::vector<OptionFault> faults;
    Settings settings = defaults_;
    for (const OptionRow<Settings>& row : rows_) {
      AddFault(
          row.name, [&] { settings = row.field.Read(options, row.name, settings); }, faults);
    }
    if (faults.empty()) {
      for (const OptionRule<Settings>& rule : rules_) {
        AddFault(
            rule.name, [&] { rule.check(settings); }, faults);
      }
    }
    return faults;
  }

  [[nodiscard]] std::vector<OptionInfo> Describe() const {
    std::vector<OptionInfo> options;
    for (const OptionRow<Settings>& row : rows_) {
      options.push_back({.name = row.name, .meaning = row.meaning, .paper = row.paper});
      row.field.Describe(defaults_, options.back());
    }
    CheckOptions(options);
    return options;
  }

  // This table with further rows behind its own.
  [[nodiscard]] OptionTable With(std::vector<OptionRow<Settings>> rows) const {
    OptionTable both = *this;
    both.rows_.insert(both.rows_.end(), rows.begin(), rows.end());
    return both;
  }
  // The same with the rows of a struct inside the settings, which stands at `part`.
  template <class Part>
  [[nodiscard]] OptionTable With(Part Settings::*part, const OptionTable<Part>& table) const {
    OptionTable both = *this;
    for (const OptionRow<Part>& row : table.rows()) {
      both.rows_.push_back({.name = row.name,
                            .field = OptionField<Settings>(part, row.field),
                            .meaning = row.meaning,
                            .paper = row.paper});
    }
    for (const OptionRule<Part>& rule : table.rules()) {
      both.rules_.push_back(
          {.name = rule.name, .check = [part, check = rule.check](const Settings& settings) {
             check(settings.*part);
           }});
    }
    return both;
  }

  // This table with a rule for what Check finds; Read leaves it to who makes the agent.
  [[nodiscard]] OptionTable WithRule(OptionRule<Settings> rule) const {
    OptionTable table = *this;
    table.rules_.push_back(std::move(rule));
    return table;
  }

  // This table with what stands in `defaults` as the defaults.
  [[nodiscard]] OptionTable WithDefaults(Settings defaults) const {
    OptionTable table = *this;
    table.defaults_ = std::move(defaults);
    return table;
  }

  [[nodiscard]] const std::vector<OptionRow<Settings>>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<OptionRule<Settings>>& rules() const { return rules_; }

 private:
  std::vector<OptionRow<Settings>> rows_;
  std::vector<OptionRule<Settings>> rules_;
  Settings defaults_{};
};

}  // namespace opyard::agents
