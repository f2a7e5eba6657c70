// An environment variable for the length of a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace opyard::testing {

// Sets `name` to `value`, or unsets it, and puts the former value back.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::optional<std::string>& value)
      : name_(std::move(name)) {
    if (const char* former = std::getenv(name_.c_str())) {
      former_ = former;
    }
    Set(value);
  }
  ~ScopedVariable() { Set(former_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void Set(const std::optional<std::string>& value) const {
    if (value.has_value()) {
      setenv(name_.c_str(), value->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

  std::string name_;
  std::optional<std::string> former_;
};

}  // namespace opyard::testing
