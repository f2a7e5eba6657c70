#include "agents/registry.h"

#include "agents/classical/critical_path/critical_path.h"
#include "agents/classical/heft/heft.h"
#include "agents/classical/m_etf/m_etf.h"
#include "agents/classical/m_topo/m_topo.h"
#include "agents/classical/metis/metis_agent.h"
#include "agents/classical/min_cut/min_cut.h"
#include "agents/classical/mopnr/mopnr.h"
#include "agents/classical/peft/peft.h"
#include "agents/classical/random/random.h"
#include "agents/classical/single_device/single_device.h"
#include "agents/classical/spt/spt.h"
#include "agents/search/brkga/brkga.h"
#include "agents/search/simulated_annealing/simulated_annealing.h"

namespace opyard::agents {

AgentRegistry ClassicalAgents() {
  return AgentRegistry({BrkgaEntry(),
                        CriticalPathEntry(),
                        HeftEntry(),
                        MEtfEntry(),
                        MTopoEntry(),
                        MetisEntry(),
                        MinCutEntry(),
                        MopnrEntry(),
                        PeftEntry(),
                        RandomEntry(),
                        SimulatedAnnealingEntry(),
                        SingleDeviceEntry(),
                        SptEntry()});
}

}  // namespace opyard::agents
