#include "sim/engine/report/residents.h"

#include <algorithm>
#include <string>

#include "sim/base/array_index.h"
#include "sim/engine/report/record_names.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostResidents = 10;

// Collects the residents of devices.
class ResidentFinder {
 public:
  ResidentFinder(const LoweredProblem& problem,
                 const Workspace& workspace,
                 const Recorder& recorder)
      : p_(problem),
        g_(*workspace.prepared.graph),
        w_(workspace),
        recorder_(recorder),
        names_(problem, workspace) {}

  void Add(std::int32_t device, std::size_t end_of_params) {
    AddParams(device, end_of_params);
    AddOutputs(device);
    AddCopies(device);
  }

  std::vector<Resident> TakeLargest() {
    std::ranges::stable_sort(residents_, std::ranges::greater(), &Resident::bytes);
    residents_.resize(std::min(residents_.size(), kMostResidents));
    return std::move(residents_);
  }

 private:
  // The parameters of the ops below `end`.
  void AddParams(std::int32_t device, std::size_t end) {
    for (std::size_t k = 0; k < end; ++k) {
      const bool is_here = w_.state.kernels[w_.prepared.KernelOf(k)].device == device;
      if (is_here && p_.param_bytes[k] > 0) {
        residents_.push_back({"parameters of " + names_.OfOp(static_cast<std::int32_t>(k)),
                              Bytes{p_.param_bytes[k]}});
      }
    }
  }

  void AddOutputs(std::int32_t device) {
    for (std::size_t k = 0; k < g_.num_kernels; ++k) {
      if (w_.state.kernels[k].device != device || !recorder_.ops[k].has_value()) {
        continue;
      }
      const bool is_running = IsRunning(p_, w_, k);
      for (std::int32_t t = g_.kernels[k].first_output; t < g_.kernels[k + 1].first_output; ++t) {
        const KernelTensor& tensor = g_.tensors[At(t)];
        const bool is_held = is_running || w_.state.storages[At(t)].num_holders > 0;
        if (tensor.alias == Alias::kNone && is_held && tensor.bytes > 0) {
          residents_.push_back({names_.OfTensor(t), Bytes{tensor.bytes}});
        }
      }
      if (is_running && g_.kernels[k].workspace_bytes > 0) {
        residents_.push_back(
            {"workspace of " + names_.OfKernel(k), Bytes{g_.kernels[k].workspace_bytes}});
      }
    }
  }

  void AddCopies(std::int32_t device) {
    for (const std::int32_t lead : recorder_.transfer_order) {
      for (std::int32_t slot = lead; slot < lead + w_.state.transfers[At(lead)].num_copies;
           ++slot) {
        const ActiveTransfer& transfer = w_.state.transfers[At(slot)];
        const std::int64_t bytes = g_.tensors[At(transfer.tensor)].bytes;
        if (transfer.dst == device && bytes > 0 &&
            w_.state.storages[g_.num_tensors + At(slot)].num_holders > 0) {
          residents_.push_back({"copy of " + names_.OfTensor(transfer.tensor), Bytes{bytes}});
        }
      }
    }
  }

  const LoweredProblem& p_;
  const KernelGraph& g_;
  const Workspace& w_;
  const Recorder& recorder_;
  const RecordNames names_;
  std::vector<Resident> residents_;
};

}  // namespace

bool IsRunning(const LoweredProblem& problem, const Workspace& workspace, std::size_t kernel) {
  const auto device = At(workspace.state.kernels[kernel].device);
  return workspace.prepared.has_streams() && problem.rules.has_parallel_streams
             ? workspace.state.turns[kernel] == Turn::kRunning
             : workspace.state.devices[device].running == static_cast<std::int32_t>(kernel);
}

std::vector<Resident> FindResidents(const LoweredProblem& problem,
                                    const Workspace& workspace,
                                    const Recorder& recorder,
                                    std::span<const DeviceId> devices,
                                    std::size_t end_of_params) {
  ResidentFinder finder(problem, workspace, recorder);
  for (const DeviceId device : devices) {
    finder.Add(device.value, end_of_params);
  }
  return finder.TakeLargest();
}

}  // namespace opyard::sim
