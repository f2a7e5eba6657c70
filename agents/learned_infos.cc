#include "agents/learned_infos.h"

namespace opyard::agents {

AgentInfo ReinforceLstmInfo() {
  return {.name = "reinforce_lstm",
          .kind = AgentKind::kLearned,
          .tasks = {"placement", "scheduling"},
          .paper = "Mirhoseini et al., ICML 2017",
          .summary =
              "ColocRL: an LSTM with attention places one co-location group after the "
              "other and learns by REINFORCE on the problem at hand."};
}

}  // namespace opyard::agents
