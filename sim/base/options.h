// Named parameters of agents, graph generators and other registered things, read strictly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace opyard {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

// A set of named values. Reading a value marks it as used; what nobody read is an error, so that a
// misspelt parameter never passes silently.
class Options {
 public:
  Options() = default;
  explicit Options(std::map<std::string, OptionValue> values) : values_(std::move(values)) {}

  void Set(const std::string& name, OptionValue value);
  // The value of `name`, or `fallback` if it is not given. Throws InputError naming the option if
  // the value has another type (a whole number serves as a double) or lies outside [low, high].
  [[nodiscard]] std::int64_t Int(const std::string& name,
                                 std::int64_t fallback,
                                 std::int64_t low,
                                 std::int64_t high);
  [[nodiscard]] double Double(const std::string& name, double fallback, double low, double high);
  [[nodiscard]] bool Bool(const std::string& name, bool fallback);
  // As above; `allowed`, when not empty, lists the legal values.
  [[nodiscard]] std::string Text(const std::string& name,
                                 const std::string& fallback,
                                 const std::vector<std::string>& allowed = {});
  // The options that nothing has read, sorted by name, each with what is wrong with it and those
  // that exist: `unknown option "x" (it takes a, b)`.
  struct Unknown {
    std::string name;
    std::string message;
  };
  [[nodiscard]] std::vector<Unknown> FindUnknown() const;
  // Throws InputError naming them.
  // `owner` says whose options they are ("agent brkga").
  void EnsureAllUsed(const std::string& owner) const;

  [[nodiscard]] const std::map<std::string, OptionValue>& values() const { return values_; }

 private:
  const OptionValue* Find(const std::string& name);

  std::map<std::string, OptionValue> values_;
  std::vector<std::string> asked_;  // every name that was read, given or not
};

// The value as it would stand in a YAML file.
[[nodiscard]] std::string ToText(const OptionValue& value);

// Reads a bare word as the narrowest type it fits: true/false, whole number, number, text.
[[nodiscard]] OptionValue ParseOptionValue(const std::string& word);

}  // namespace opyard
