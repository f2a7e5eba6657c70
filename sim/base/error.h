// The errors of the user's input. Our own bugs are InternalError (check.h); what the simulated
// world refuses (out of memory, budget spent) is a value in a result, not an error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace opyard {

// Wrong input. The message says where, what was found and what was expected, one line per error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file or argument cannot be read, or breaks the rules of its format.
class InputError : public Error {
 public:
  using Error::Error;
};

// A plan does not fit its graph and machine.
class PlanError : public Error {
 public:
  using Error::Error;
};

// The input is legal, but asks for something that this version does not simulate.
class UnsupportedError : public Error {
 public:
  using Error::Error;
};

// The errors of one file, gathered so that all are reported at once.
class Diagnostics {
 public:
  static constexpr std::size_t kMostShown = 20;

  // Adds "`place`: `message`". Past kMostShown, errors are only counted.
  void AddError(const std::string& place, const std::string& message);
  // Adds all errors of `others`.
  void Append(const Diagnostics& others);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t count() const { return count_; }
  // The errors, one per line, and how many more there are.
  [[nodiscard]] std::string Text() const;
  // Throws InputError with all errors, if there are any.
  void ThrowIfAny() const;

 private:
  std::vector<std::string> lines_;
  std::size_t count_ = 0;
};

// "; did you mean X?" for the entry of `known` closest to `name`, or "" if none is close.
[[nodiscard]] std::string DidYouMean(const std::string& name,
                                     const std::vector<std::string>& known);

// "a, b, c": `names` joined for a message; past `most`, "… (N in all)".
[[nodiscard]] std::string JoinNames(const std::vector<std::string>& names, std::size_t most = 20);

}  // namespace opyard
