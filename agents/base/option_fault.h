// A fault of one of the options that an agent was given.
#pragma once

#include <string>

namespace opyard::agents {

struct OptionFault {
  std::string name;     // of the option; "" where the agent itself is the fault
  std::string message;  // one line
  friend bool operator==(const OptionFault&, const OptionFault&) = default;
};

}  // namespace opyard::agents
