// The end of a search whose agent broke.
#pragma once

#include "sim/base/error.h"

namespace opyard::agents {

// An agent that is not ours stopped in the middle of its search: it crashed, fell silent, or said
// what it must not. No fault of the input and none of opyard: the run has failed, those beside it
// go on. The message begins with the agent's name and is one line.
class AgentFailure : public Error {
 public:
  using Error::Error;
};

}  // namespace opyard::agents
