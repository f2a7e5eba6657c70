// The kinds of values that options may have: each reads one and says what is legal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "agents/base/agent_info.h"
#include "sim/base/check.h"
#include "sim/base/options.h"

namespace opyard::agents {

// Every kind has the same two functions. Read gives the value of option `name`, or `fallback` where
// it is not given, and throws InputError for a value that is not legal; Describe fills in the
// default and what is legal.
struct WholeKind {
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] std::int64_t Read(Options& options,
                                  const std::string& name,
                                  std::int64_t fallback) const {
    return options.Int(name, fallback, low, high);
  }
  void Describe(std::int64_t fallback, OptionInfo& info) const {
    info.default_value = fallback;
    info.range = OptionRange{.low = low, .high = high};
  }
};

struct RealKind {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] double Read(Options& options, const std::string& name, double fallback) const {
    return options.Double(name, fallback, low, high);
  }
  void Describe(double fallback, OptionInfo& info) const {
    info.default_value = fallback;
    info.range = OptionRange{.low = low, .high = high};
  }
};

struct FlagKind {
  [[nodiscard]] static bool Read(Options& options, const std::string& name, bool fallback) {
    return options.Bool(name, fallback);
  }
  static void Describe(bool fallback, OptionInfo& info) {
    info.default_value = fallback;
    info.allowed = {true, false};
  }
};

// Any text, such as the path of a file.
struct TextKind {
  [[nodiscard]] static std::string Read(Options& options,
                                        const std::string& name,
                                        const std::string& fallback) {
    return options.Text(name, fallback);
  }
  static void Describe(const std::string& fallback, OptionInfo& info) {
    info.default_value = fallback;
  }
};

// The words for the values of an enumeration, in the order in which listings show them.
template <class Value>
class Words {
 public:
  Words(std::initializer_list<std::pair<const char*, Value>> words)
      : words_(words.begin(), words.end()) {}

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : words_) {
      names.push_back(name);
    }
    return names;
  }
  // REQUIRES: the value has a word.
  [[nodiscard]] const std::string& NameOf(Value value) const {
    const auto it = std::ranges::find(words_, value, &Entry::second);
    OPYARD_CHECK(it != words_.end(), "every value has a word");
    return it->first;
  }
  // REQUIRES: `name` is one of names().
  [[nodiscard]] Value ValueOf(const std::string& name) const {
    const auto it = std::ranges::find(words_, name, &Entry::first);
    OPYARD_CHECK(it != words_.end(), "the word is one of those that were asked for");
    return it->second;
  }

 private:
  using Entry = std::pair<std::string, Value>;
  std::vector<Entry> words_;
};

template <class Value>
struct WordKind {
  Words<Value> words;

  [[nodiscard]] Value Read(Options& options, const std::string& name, Value fallback) const {
    return words.ValueOf(options.Text(name, words.NameOf(fallback), words.names()));
  }
  void Describe(Value fallback, OptionInfo& info) const {
    info.default_value = words.NameOf(fallback);
    for (const std::string& name : words.names()) {
      info.allowed.emplace_back(name);
    }
  }
};

}  // namespace opyard::agents
