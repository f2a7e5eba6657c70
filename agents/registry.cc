#include "agents/registry.h"

#include "agents/classical/critical_path/critical_path.h"
#include "agents/classical/framework_default/framework_default.h"
#include "agents/classical/heft/heft.h"
#include "agents/classical/human_expert/human_expert.h"
#include "agents/classical/metis/metis_agent.h"
#include "agents/classical/metis_memory/metis_memory.h"
#include "agents/classical/min_cut/min_cut.h"
#include "agents/classical/random/random.h"
#include "agents/classical/round_robin/round_robin.h"
#include "agents/classical/single_device/single_device.h"
#include "agents/search/brkga/brkga.h"
#include "agents/search/simulated_annealing/simulated_annealing.h"

namespace opyard::agents {

AgentRegistry ClassicalAgents() {
  return AgentRegistry({BrkgaEntry(),
                        CriticalPathEntry(),
                        FrameworkDefaultEntry(),
                        HeftEntry(),
                        HumanExpertEntry(),
                        MetisEntry(),
                        MetisMemoryEntry(),
                        MinCutEntry(),
                        RandomEntry(),
                        RoundRobinEntry(),
                        SimulatedAnnealingEntry(),
                        SingleDeviceEntry()});
}

}  // namespace opyard::agents
