// Checks of our own promises. They stay on in release builds.
#pragma once

#include <stdexcept>
#include <string>

namespace opyard {

// opyard itself is wrong: a broken invariant, never the user's fault.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void ThrowInternalError(const char* file,
                                            int line,
                                            const char* condition,
                                            const std::string& message) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + condition + ": " +
                      message);
}

}  // namespace opyard

#define OPYARD_CHECK(condition, message)                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ::opyard::ThrowInternalError(__FILE__, __LINE__, #condition, (message)); \
    }                                                                          \
  } while (false)
