#include "sim/base/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "sim/base/error.h"

namespace opyard {
namespace {

template <class T>
bool ParseWhole(const std::string& word, T& value) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc() && stop == end && !word.empty();
}

[[noreturn]] void Refuse(const std::string& name,
                         const OptionValue& found,
                         const std::string& what) {
  throw InputError("option " + name + ": found " + ToText(found) + ", expected " + what);
}

std::string Range(const std::string& low, const std::string& high) {
  return "in [" + low + ", " + high + "]";
}

}  // namespace

void Options::Set(const std::string& name, OptionValue value) {
  values_[name] = std::move(value);
}

const OptionValue* Options::Find(const std::string& name) {
  asked_.push_back(name);
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::int64_t Options::Int(const std::string& name,
                          std::int64_t fallback,
                          std::int64_t low,
                          std::int64_t high) {
  const OptionValue* found = Find(name);
  if (found == nullptr) {
    return fallback;
  }
  const auto* value = std::get_if<std::int64_t>(found);
  if (value == nullptr || *value < low || *value > high) {
    Refuse(name, *found, "a whole number " + Range(std::to_string(low), std::to_string(high)));
  }
  return *value;
}

double Options::Double(const std::string& name, double fallback, double low, double high) {
  const OptionValue* found = Find(name);
  if (found == nullptr) {
    return fallback;
  }
  double value = std::nan("");
  if (const auto* number = std::get_if<double>(found)) {
    value = *number;
  } else if (const auto* whole = std::get_if<std::int64_t>(found)) {
    value = static_cast<double>(*whole);
  }
  if (!(value >= low && value <= high)) {
    Refuse(name, *found, "a number " + Range(ToText(low), ToText(high)));
  }
  return value;
}

bool Options::Bool(const std::string& name, bool fallback) {
  const OptionValue* found = Find(name);
  if (found == nullptr) {
    return fallback;
  }
  const bool* value = std::get_if<bool>(found);
  if (value == nullptr) {
    Refuse(name, *found, "true or false");
  }
  return *value;
}

std::string Options::Text(const std::string& name,
                          const std::string& fallback,
                          const std::vector<std::string>& allowed) {
  const OptionValue* found = Find(name);
  if (found == nullptr) {
    return fallback;
  }
  const auto* value = std::get_if<std::string>(found);
  const bool is_legal =
      value != nullptr && (allowed.empty() || std::ranges::find(allowed, *value) != allowed.end());
  if (!is_legal) {
    Refuse(name, *found, allowed.empty() ? "a text" : "one of " + JoinNames(allowed));
  }
  return *value;
}

std::vector<Options::Unknown> Options::FindUnknown() const {
  std::vector<std::string> known = asked_;
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<Unknown> unknown;
  for (const auto& [name, value] : values_) {
    if (!std::ranges::binary_search(known, name)) {
      const std::string legal = known.empty() ? "it takes none" : "it takes " + JoinNames(known);
      unknown.push_back({.name = name,
                         .message = "unknown option \"" + name + "\"" + DidYouMean(name, known) +
                                    " (" + legal + ")"});
    }
  }
  return unknown;
}

void Options::EnsureAllUsed(const std::string& owner) const {
  Diagnostics diagnostics;
  for (const Unknown& unknown : FindUnknown()) {
    diagnostics.AddError(owner, unknown.message);
  }
  diagnostics.ThrowIfAny();
}

std::string ToText(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return std::to_string(*whole);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number);
    return {buffer.data(), result.ptr};
  }
  return std::get<std::string>(value);
}

OptionValue ParseOptionValue(const std::string& word) {
  if (word == "true" || word == "false") {
    return word == "true";
  }
  std::int64_t whole = 0;
  if (ParseWhole(word, whole)) {
    return whole;
  }
  double number = 0;
  if (ParseWhole(word, number) && std::isfinite(number)) {
    return number;
  }
  return word;
}

}  // namespace opyard
