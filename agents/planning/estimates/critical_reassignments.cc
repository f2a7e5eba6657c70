#include "agents/planning/estimates/critical_reassignments.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

class Collector {
 public:
  Collector(const env::Problem& problem, const sim::Timeline& timeline)
      : problem_(problem), timeline_(timeline) {}

  // `consumer`: the kernel that the path leads on to.
  void AddTransfer(const sim::TransferRecord& transfer, std::size_t consumer, double seconds) {
    const sim::OpGraph& graph = problem_.graph();
    Add(GroupOf(problem_, graph.tensor(transfer.tensor).producer),
        transfer.src,
        timeline_.kernels[consumer].device,
        seconds);
    std::set<std::size_t> readers;
    for (const OpId reader : graph.consumers(transfer.tensor)) {
      if (timeline_.kernel_of[reader.index()] == static_cast<std::int32_t>(consumer)) {
        readers.insert(GroupOf(problem_, reader));
      }
    }
    for (const std::size_t reader : readers) {
      Add(reader, timeline_.kernels[consumer].device, transfer.src, seconds);
    }
  }

  [[nodiscard]] std::vector<Reassignment> Take() const {
    std::vector<Reassignment> result;
    for (const auto& [where, seconds] : seconds_) {
      result.push_back({.group = where.first, .device = where.second, .seconds = seconds});
    }
    return result;
  }

 private:
  void Add(std::size_t group, DeviceId from, DeviceId to, double seconds) {
    if (from != to && seconds > 0.0 && IsAllowed(problem_, group, to)) {
      seconds_[{group, to}] += seconds;
    }
  }

  const env::Problem& problem_;
  const sim::Timeline& timeline_;
  std::map<std::pair<std::size_t, DeviceId>, double> seconds_;
};

bool IsAboutATransfer(const sim::CriticalPart& part) {
  return part.kind == sim::PartKind::kTransfer || part.kind == sim::PartKind::kChannelWait;
}

}  // namespace

std::vector<Reassignment> CriticalReassignments(const env::Problem& problem,
                                                const CriticalStep& step) {
  Collector collector(problem, step.timeline);
  std::optional<std::size_t> kernel;  // that comes next on the path
  for (auto part = step.path.rbegin(); part != step.path.rend(); ++part) {
    const auto subject = static_cast<std::size_t>(part->subject.index);
    if (part->kind == sim::PartKind::kKernel) {
      kernel = subject;
    } else if (IsAboutATransfer(*part) && kernel.has_value() && problem.tasks().placement) {
      collector.AddTransfer(step.timeline.transfers[subject], *kernel, part->duration().seconds());
    }
  }
  return collector.Take();
}

}  // namespace opyard::agents
