// Runs one plan of a case in SimGrid, at its fastest: no actors, only executions and communications
// whose completion callbacks start what comes next. Serial channels are queued here, so that
// SimGrid never shares a link then. Prints the makespan and the seconds that the simulation took.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <queue>
#include <unordered_map>

#include <simgrid/s4u.hpp>

#include "tests/benchmarks/rivals/star_dag.h"

namespace sg4 = simgrid::s4u;

namespace {

// The work that an activity of SimGrid stands for.
struct Work {
  int op = 0;
  int target = -1;  // the device that a transfer goes to; −1 for the op itself
};

class StarRun {
 public:
  StarRun(const StarCase& star, const StarPlan& plan, std::vector<sg4::Host*> hosts)
      : star_(star),
        dag_(star.dag),
        plan_(plan),
        hosts_(std::move(hosts)),
        num_missing_(star.dag.num_inputs),
        ready_(hosts_.size()),
        is_busy_(hosts_.size()),
        is_sending_(hosts_.size()),
        is_receiving_(hosts_.size()),
        waiting_(hosts_.size() * hosts_.size()) {}

  void Begin() {
    for (int op = 0; op < dag_.num_ops; ++op) {
      if (num_missing_[op] == 0) {
        ready_[plan_.device[op]].push({plan_.priority[op], 0, op});
      }
    }
    for (std::size_t device = 0; device < hosts_.size(); ++device) {
      StartOp(static_cast<int>(device));
    }
  }

  void End(const sg4::Activity& activity) {
    const auto found = running_.find(&activity);
    const Work work = found->second.first;
    const sg4::ActivityPtr keep_until_here = found->second.second;
    running_.erase(found);
    work.target < 0 ? EndOp(work.op) : EndTransfer(work);
  }

 private:
  static std::int64_t NowPs() { return static_cast<std::int64_t>(sg4::Engine::get_clock() * 1e12); }

  void StartOp(int device) {
    if (is_busy_[device] || ready_[device].empty()) {
      return;
    }
    const int op = ready_[device].top().op;
    ready_[device].pop();
    is_busy_[device] = true;
    const sg4::ExecPtr exec = sg4::Exec::init();
    exec->set_flops_amount(static_cast<double>(dag_.duration_ps[op]) * 1e-12);
    exec->set_host(hosts_[device]);
    running_.emplace(exec.get(), std::pair(Work{op, -1}, exec));
    exec->start();
  }

  void Deliver(int op, int device) {
    for (const Reader& reader : dag_.readers(op)) {
      if (plan_.device[reader.op] == device && --num_missing_[reader.op] == 0) {
        ready_[device].push({plan_.priority[reader.op], NowPs(), reader.op});
      }
    }
    StartOp(device);
  }

  void EndOp(int op) {
    const int home = plan_.device[op];
    is_busy_[home] = false;
    Deliver(op, home);
    const Sends sends = SendsOf(dag_, plan_, op);
    for (int device = 0; device < dag_.num_devices; ++device) {
      if (sends.priority[device] < 0) {
        continue;
      }
      if (star_.is_fair) {
        StartTransfer({op, device}, sends.bytes[device]);
      } else {
        PairOf(home, device).push({sends.priority[device], NowPs(), op, sends.bytes[device]});
      }
    }
    StartWaiting();
  }

  void EndTransfer(const Work& work) {
    is_sending_[plan_.device[work.op]] = false;
    is_receiving_[work.target] = false;
    Deliver(work.op, work.target);
    StartWaiting();
  }

  void StartTransfer(const Work& work, double bytes) {
    const int source = plan_.device[work.op];
    is_sending_[source] = is_receiving_[work.target] = true;
    const sg4::CommPtr comm = sg4::Comm::sendto_init(hosts_[source], hosts_[work.target]);
    comm->set_payload_size(static_cast<std::uint64_t>(bytes));
    running_.emplace(comm.get(), std::pair(work, comm));
    comm->start();
  }

  // Serial only: starts all that can, the first in order first.
  void StartWaiting() {
    if (star_.is_fair) {
      return;
    }
    const int num_devices = dag_.num_devices;
    for (;;) {
      int first = -1;
      for (int pair = 0; pair < num_devices * num_devices; ++pair) {
        const bool can_start = !waiting_[pair].empty() && !is_sending_[pair / num_devices] &&
                               !is_receiving_[pair % num_devices];
        if (can_start && (first < 0 || waiting_[first].top() < waiting_[pair].top())) {
          first = pair;
        }
      }
      if (first < 0) {
        return;
      }
      const QueueEntry entry = waiting_[first].top();
      waiting_[first].pop();
      StartTransfer({entry.op, first % num_devices}, entry.bytes);
    }
  }

  std::priority_queue<QueueEntry>& PairOf(int source, int target) {
    return waiting_[source * dag_.num_devices + target];
  }

  const StarCase& star_;
  const StarDag& dag_;
  const StarPlan& plan_;
  std::vector<sg4::Host*> hosts_;
  std::vector<int> num_missing_;
  std::vector<std::priority_queue<QueueEntry>> ready_;
  std::vector<char> is_busy_;
  std::vector<char> is_sending_;
  std::vector<char> is_receiving_;
  std::vector<std::priority_queue<QueueEntry>> waiting_;  // [num_devices, num_devices]
  std::unordered_map<const sg4::Activity*, std::pair<Work, sg4::ActivityPtr>> running_;
};

// Half of a route's latency on each of its two links.
std::vector<sg4::Host*> MakeStar(const StarCase& star) {
  auto* zone = sg4::create_star_zone("star");
  std::vector<sg4::Host*> hosts;
  for (int i = 0; i < star.dag.num_devices; ++i) {
    auto* host = zone->create_host("host" + std::to_string(i), 1.0);
    auto* link =
        zone->create_split_duplex_link("link" + std::to_string(i), star.bandwidth_bytes_per_s);
    link->set_latency(star.latency_s / 2.0);
    link->seal();
    host->seal();
    zone->add_route(host->get_netpoint(),
                    nullptr,
                    nullptr,
                    nullptr,
                    {{link, sg4::LinkInRoute::Direction::UP}},
                    true);
    hosts.push_back(host);
  }
  zone->seal();
  return hosts;
}

}  // namespace

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  if (argc != 3) {
    std::fputs("usage: simgrid_star CASE PLAN [options of SimGrid]\n", stderr);
    return 2;
  }
  const StarCase star = ReadStarCase(argv[1]);
  StarRun run(star, star.plans.at(std::stoul(argv[2])), MakeStar(star));
  sg4::Activity::on_completion_cb([&run](const sg4::Activity& activity) { run.End(activity); });
  const auto begin = std::chrono::steady_clock::now();
  run.Begin();
  engine.run();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%.17g %.9f\n", sg4::Engine::get_clock(), spent.count());
}
