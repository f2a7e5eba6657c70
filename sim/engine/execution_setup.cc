// The part of Execution that brings a workspace into the state of time 0.
#include <algorithm>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/engine/array_index.h"
#include "sim/engine/execution.h"
#include "sim/plan/validate.h"

namespace opyard::sim {

// Copies the placement into kernel order and checks it; what is wrong is looked up only then.
void Execution::Place() {
  bool fits = plan_.placement.size() == p_.num_ops &&
              (plan_.op_priority.empty() || plan_.op_priority.size() == p_.num_ops);
  if (fits) {
    w_.device.resize(p_.num_ops);
    w_.label_device.assign(p_.num_labels, Workspace::kNone);
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      const std::int32_t device = plan_.placement[p_.op_of[k].index()].value;
      w_.device[k] = device;
      if (device < 0 || At(device) >= p_.num_devices ||
          p_.duration_ps[k * p_.num_devices + At(device)] < 0) {
        fits = false;
        break;
      }
      if (p_.ops[k].colocation >= 0) {
        std::int32_t& shared = w_.label_device[At(p_.ops[k].colocation)];
        fits = fits && (shared == Workspace::kNone || shared == device);
        shared = device;
      }
    }
  }
  if (!fits || !plan_.transfer_priority.empty()) {
    ValidatePlan(*p_.graph, *p_.hardware, plan_);
    OPYARD_CHECK(fits, "the engine refuses a plan that ValidatePlan accepts");
  }
  if (!plan_.fusion_priority.empty()) {
    throw UnsupportedError(
        "plan: fusion_priority: this version simulates plans without fusion only");
  }
}

void Execution::Prioritise() {
  w_.negated_priority.assign(p_.num_ops, 0);
  if (plan_.queue == QueueDiscipline::kPriority && !plan_.op_priority.empty()) {
    for (std::size_t k = 0; k < p_.num_ops; ++k) {
      w_.negated_priority[k] = -plan_.op_priority[p_.op_of[k].index()];
    }
  }
}

void Execution::Reset() {
  w_.pending.resize(p_.num_ops);
  for (std::size_t k = 0; k < p_.num_ops; ++k) {
    w_.pending[k] = p_.ops[k].num_dependencies;
  }
  w_.running.assign(p_.num_devices, Workspace::kNone);
  w_.device_busy_ps.assign(p_.num_devices, 0);
  w_.busy_channels.assign(p_.channel_words, 0);
  w_.candidate_pairs.assign(p_.pair_words, 0);
  w_.holders.assign(p_.num_tensors + p_.num_uses, 0);
  w_.storage_of_tensor.resize(p_.num_tensors);
  w_.storage_of_edge.resize(p_.num_edges());
  w_.transfers.clear();
  w_.transfers.reserve(p_.num_uses);
  w_.remote_readers.assign(p_.num_devices, 0);
  w_.remote_priority.resize(p_.num_devices);
  w_.touched_devices.clear();
  w_.touched_devices.reserve(p_.num_devices);
  w_.events.Clear();
  w_.events.Reserve(2 * p_.num_devices + p_.num_uses + p_.control_consumers.size() +
                    (p_.dispatch_ps > 0 ? p_.num_ops : 0));
  w_.ready_instant.resize(p_.dispatch_ps > 0 ? p_.num_ops : 0);
  w_.is_stalled.assign(p_.num_devices, 0);
  w_.num_unissued.assign(p_.num_devices, 0);
  w_.set_aside.reserve(p_.waits_for_memory ? p_.num_ops : 0);
  w_.scanned.clear();
  w_.scanned.reserve(scans_ ? p_.num_uses : 0);
  w_.memory.Reset(p_.capacity_bytes);
}

// Gives each device room for its ops and each pair of devices room for the edges between them.
void Execution::SizeQueues() {
  w_.queue_sizes.assign(p_.num_devices, 0);
  for (const std::int32_t device : w_.device) {
    ++w_.queue_sizes[At(device)];
  }
  w_.ready.Reset(w_.queue_sizes);
  w_.queue_sizes.assign(p_.num_devices * p_.num_devices, 0);
  for (std::size_t t = 0; t < p_.num_tensors; ++t) {
    const std::int32_t src = w_.device[At(p_.producer[t])];
    for (std::int32_t e = p_.tensors[t].first_consumer; e < p_.tensors[t + 1].first_consumer; ++e) {
      const std::int32_t dst = w_.device[At(p_.consumers[At(e)])];
      const std::int32_t uses = p_.edge_uses.empty() ? 1 : p_.edge_uses[At(e)];
      w_.queue_sizes[At(src) * p_.num_devices + At(dst)] += uses;
    }
  }
  if (!p_.has_all_routes) {
    EnsureRoutes();
  }
  w_.waiting.Reset(w_.queue_sizes);
  if (p_.sharing == Sharing::kFair) {
    w_.flows.Reset(p_, w_.queue_sizes);
  }
}

// Data and control edges across devices need a route.
void Execution::EnsureRoutes() const {
  for (std::size_t pair = 0; pair < p_.routes.size(); ++pair) {
    const std::size_t src = pair / p_.num_devices;
    const std::size_t dst = pair % p_.num_devices;
    if (src != dst && w_.queue_sizes[pair] > 0 && !p_.routes[pair].exists) {
      throw PlanError("plan: an op on " + p_.hardware->devices[src].name + " feeds an op on " +
                      p_.hardware->devices[dst].name + ", but no route leads there");
    }
  }
  for (std::size_t k = 0; k < p_.num_ops; ++k) {
    for (std::int32_t i = p_.ops[k].first_control; i < p_.ops[k + 1].first_control; ++i) {
      const std::int32_t dst = w_.device[At(p_.control_consumers[At(i)])];
      if (w_.device[k] != dst && !p_.route(w_.device[k], dst).exists) {
        throw PlanError("plan: an op on " + p_.hardware->devices[At(dst)].name +
                        " waits for an op on " + p_.hardware->devices[At(w_.device[k])].name +
                        ", but no route leads there");
      }
    }
  }
}

void Execution::SpreadTransferPriorities() {
  if (plan_.transfer_priority.empty()) {
    return;
  }
  w_.tensor_priority.resize(p_.num_tensors * p_.num_devices);
  w_.has_tensor_priority.assign(p_.num_tensors * p_.num_devices, 0);
  for (const TransferPriority& given : plan_.transfer_priority) {
    const std::size_t tensor = At(p_.lowered_tensor[given.tensor.index()]);
    const std::size_t entry = tensor * p_.num_devices + given.destination.index();
    w_.tensor_priority[entry] = given.priority;
    w_.has_tensor_priority[entry] = 1;
  }
}

bool Execution::AllocateParams() {
  for (std::size_t k = 0; k < p_.num_ops; ++k) {
    const std::int64_t bytes = p_.param_bytes[k];
    if (bytes > 0 && !w_.memory.Allocate(At(w_.device[k]), bytes, 0)) {
      RecordFailure({.what = FailedAllocation::What::kParams,
                     .subject = static_cast<std::int32_t>(k),
                     .device = w_.device[k],
                     .bytes = bytes});
      return false;
    }
  }
  return true;
}

}  // namespace opyard::sim
