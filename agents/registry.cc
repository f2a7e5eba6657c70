#include "agents/registry.h"

#include "agents/classical/cpop/cpop.h"
#include "agents/classical/critical_path/critical_path.h"
#include "agents/classical/dps/dps.h"
#include "agents/classical/framework_default/framework_default.h"
#include "agents/classical/gp_dfs/gp_dfs.h"
#include "agents/classical/hbmct/hbmct.h"
#include "agents/classical/heft/heft.h"
#include "agents/classical/human_expert/human_expert.h"
#include "agents/classical/m_etf/m_etf.h"
#include "agents/classical/m_sct/m_sct.h"
#include "agents/classical/m_topo/m_topo.h"
#include "agents/classical/metis/metis_agent.h"
#include "agents/classical/metis_memory/metis_memory.h"
#include "agents/classical/min_cut/min_cut.h"
#include "agents/classical/mopnr/mopnr.h"
#include "agents/classical/peft/peft.h"
#include "agents/classical/random/random.h"
#include "agents/classical/round_robin/round_robin.h"
#include "agents/classical/scotch/scotch_agent.h"
#include "agents/classical/single_device/single_device.h"
#include "agents/classical/spt/spt.h"
#include "agents/portfolio/auto/auto.h"
#include "agents/search/brkga/brkga.h"
#include "agents/search/cross_entropy/cross_entropy.h"
#include "agents/search/list_search/list_search.h"
#include "agents/search/local_search/local_search.h"
#include "agents/search/simulated_annealing/simulated_annealing.h"

namespace opyard::agents {
namespace {

// In the order in which they are asked: the quick rules first, the best searches first. The starts
// of auto have the plans of single_device, heft_aware and critical_path_aware already.
std::vector<AgentEntry> MembersOfAuto() {
  return {HumanExpertEntry(),
          PeftAwareEntry(),
          MTopoAwareEntry(),
          MEtfAwareEntry(),
          ScotchEntry(),
          GpDfsEntry(),
          MetisMemoryEntry(),
          MinCutEntry(),
          LocalSearchEntry(),
          SimulatedAnnealingEntry(),
          CrossEntropyEntry(),
          ListSearchEntry(),
          BrkgaEntry()};
}

}  // namespace

AgentRegistry ClassicalAgents() {
  return AgentRegistry({AutoEntry(MembersOfAuto()),
                        BrkgaEntry(),
                        Brkga5kEntry(),
                        BrkgaTunedEntry(),
                        CpopEntry(),
                        CpopAwareEntry(),
                        CriticalPathEntry(),
                        CriticalPathAwareEntry(),
                        CrossEntropyEntry(),
                        DpsEntry(),
                        DpsAwareEntry(),
                        FrameworkDefaultEntry(),
                        GpDfsEntry(),
                        HbmctEntry(),
                        HeftEntry(),
                        HeftAwareEntry(),
                        HumanExpertEntry(),
                        ListSearchEntry(),
                        LocalSearchEntry(),
                        MEtfEntry(),
                        MEtfAwareEntry(),
                        MSctEntry(),
                        MSctAwareEntry(),
                        MTopoEntry(),
                        MTopoAwareEntry(),
                        MetisEntry(),
                        MetisMemoryEntry(),
                        MinCutEntry(),
                        MopnrEntry(),
                        MopnrAwareEntry(),
                        PeftEntry(),
                        PeftAwareEntry(),
                        RandomEntry(),
                        RoundRobinEntry(),
                        ScotchEntry(),
                        SimulatedAnnealingEntry(),
                        SingleDeviceEntry(),
                        SptEntry(),
                        SptAwareEntry()});
}

}  // namespace opyard::agents
