#include "tests/support/reference_memory.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace opyard::testing {

ReferenceMemory::ReferenceMemory(const sim::OpGraph& graph,
                                 const sim::HardwareProfile& hardware,
                                 const ReferenceKernels& kernels,
                                 const std::vector<ReferenceCopy>& copies)
    : graph_(graph),
      hardware_(hardware),
      kernels_(kernels),
      devices_(hardware.num_devices()),
      pools_(hardware.memory_pools.size()) {
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    devices_[DeviceOf(OpId(i)).index()].resident += graph.op(OpId(i)).param_bytes;
  }
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    for (const Place& place : PlacesUsedBy(kernel)) {
      storages_[place].users.insert(kernel);
      storages_[place].bytes = graph.tensor(place.tensor).bytes;
    }
    for (const TensorId tensor : OutputsOf(kernel)) {
      const std::optional<Place> place = HomeOf(tensor);
      if (graph.tensor(tensor).keep && place) {
        storages_[*place].is_held_to_the_end = true;
      }
    }
  }
  for (const ReferenceCopy& copy : copies) {
    if (const std::optional<Place> place = HomeOf(copy.tensor)) {
      storages_[*place].copies.insert(copy.id);
    }
    for (const Place& place : PlacesOf(copy)) {
      storages_[place].is_held_to_the_end |= IsOfParameters(copy.tensor);
    }
  }
}

std::optional<ReferenceMemory::Place> ReferenceMemory::HomeOf(TensorId tensor) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  if (made.alias == sim::Alias::kNone) {
    return Place{tensor, DeviceOf(made.producer), std::nullopt};
  }
  if (made.alias == sim::Alias::kParams) {
    return std::nullopt;
  }
  if (kernels_.StaysInside(made.aliased)) {
    // A tensor without storage cannot share it.
    const std::optional<Place> shared = HomeOf(made.aliased);
    return shared && kernels_.StaysInside(shared->tensor)
               ? Place{tensor, DeviceOf(made.producer), std::nullopt}
               : shared;
  }
  // Where the same tensor is read twice, the first of the two is shared.
  const auto inputs = graph_.inputs(made.producer);
  const auto position = std::ranges::find(inputs, made.aliased) - inputs.begin();
  return InputPlace(made.producer, static_cast<std::size_t>(position));
}

std::optional<ReferenceMemory::Place> ReferenceMemory::InputPlace(OpId reader,
                                                                  std::size_t position) const {
  const TensorId tensor = graph_.inputs(reader)[position];
  if (DeviceOf(graph_.tensor(tensor).producer) == DeviceOf(reader)) {
    return HomeOf(tensor);
  }
  Place place{tensor, DeviceOf(reader), std::nullopt};
  if (hardware_.transfers.one_per == sim::OnePer::kEdge) {
    place.edge = ReferenceEdge(reader, static_cast<std::int32_t>(position));
  }
  return place;
}

std::vector<ReferenceMemory::Place> ReferenceMemory::PlacesOf(const ReferenceCopy& copy) {
  std::vector<Place> places;
  for (const DeviceId device : copy.destinations) {
    places.push_back({copy.tensor, device, copy.edge});
  }
  return places;
}

bool ReferenceMemory::IsOfParameters(TensorId tensor) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  if (made.alias == sim::Alias::kInput) {
    return IsOfParameters(made.aliased);
  }
  return made.alias == sim::Alias::kParams;
}

// The tensors that leave the kernel.
std::vector<TensorId> ReferenceMemory::OutputsOf(std::size_t kernel) const {
  std::vector<TensorId> outputs;
  for (const OpId op : kernels_[kernel].ops) {
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      if (!kernels_.StaysInside(graph_.output(op, i))) {
        outputs.push_back(graph_.output(op, i));
      }
    }
  }
  return outputs;
}

std::set<ReferenceMemory::Place> ReferenceMemory::PlacesUsedBy(std::size_t kernel) const {
  std::set<Place> places;
  for (const OpId op : kernels_[kernel].ops) {
    for (std::size_t i = 0; i < graph_.inputs(op).size(); ++i) {
      if (kernels_.StaysInside(graph_.inputs(op)[i])) {
        continue;
      }
      if (const std::optional<Place> place = InputPlace(op, i)) {
        places.insert(*place);
      }
    }
  }
  for (const TensorId output : OutputsOf(kernel)) {
    if (const std::optional<Place> place = HomeOf(output)) {
      places.insert(*place);
    }
  }
  return places;
}

std::vector<ReferenceMemory::Place> ReferenceMemory::OwnOutputs(std::size_t kernel) const {
  std::vector<Place> places;
  for (const TensorId output : OutputsOf(kernel)) {
    const std::optional<Place> place = HomeOf(output);
    if (place && place->tensor == output) {
      places.push_back(*place);
    }
  }
  return places;
}

Bytes ReferenceMemory::WorkspaceOf(std::size_t kernel) const {
  Bytes largest;
  for (const OpId op : kernels_[kernel].ops) {
    largest = std::max(largest, graph_.op(op).workspace_bytes);
  }
  return largest;
}

Bytes ReferenceMemory::NeededBy(std::size_t kernel) const {
  Bytes needed = WorkspaceOf(kernel);
  for (const Place& place : OwnOutputs(kernel)) {
    needed += graph_.tensor(place.tensor).bytes;
  }
  return needed;
}

bool ReferenceMemory::Fits(DeviceId device, Bytes bytes) const {
  return hardware_.memory.on_exceed == sim::OnExceed::kIgnore ||
         in_use_beside(device) + bytes <= hardware_.capacity(device);
}

bool ReferenceMemory::Share(DeviceId a, DeviceId b) const {
  const std::int32_t pool = hardware_.devices[a.index()].memory_pool;
  return a == b || (pool >= 0 && pool == hardware_.devices[b.index()].memory_pool);
}

Bytes ReferenceMemory::in_use_beside(DeviceId device) const {
  Bytes sum;
  for (std::size_t other = 0; other < devices_.size(); ++other) {
    sum += Share(device, DeviceId(other)) ? devices_[other].in_use : Bytes{};
  }
  return sum;
}

std::vector<sim::MemoryPoolReport> ReferenceMemory::Pools() const {
  std::vector<sim::MemoryPoolReport> reports;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    reports.push_back({.name = hardware_.memory_pools[pool].name,
                       .peak_memory = pools_[pool].peak,
                       .peak_instant = pools_[pool].peak_instant,
                       .capacity = hardware_.pool_capacity(pool)});
  }
  return reports;
}

void ReferenceMemory::Add(DeviceId device, Bytes bytes) {
  Bytes& in_use = devices_[device.index()].in_use;
  in_use += bytes;
  if (in_use < Bytes{0}) {
    throw std::logic_error("memory in use became negative");
  }
}

void ReferenceMemory::NotePeak(DeviceId device, SimTime now) {
  DeviceBooks& books = devices_[device.index()];
  if (books.in_use > books.peak) {
    books.peak = books.in_use;
    books.peak_instant = now;
  }
  const std::int32_t pool = hardware_.devices[device.index()].memory_pool;
  if (pool < 0) {
    return;
  }
  DeviceBooks& shared = pools_[static_cast<std::size_t>(pool)];
  if (in_use_beside(device) > shared.peak) {
    shared.peak = in_use_beside(device);
    shared.peak_instant = now;
  }
}

void ReferenceMemory::Allocate(const Place& place) {
  Storage& storage = storages_[place];
  if (storage.is_allocated) {
    throw std::logic_error("storage allocated twice");
  }
  storage.is_allocated = true;
  Add(place.device, storage.bytes);
}

void ReferenceMemory::FreeIfUnused(const Place& place) {
  Storage& storage = storages_[place];
  if (storage.users.empty() && storage.copies.empty() && !storage.is_held_to_the_end) {
    storage.is_allocated = false;
    Add(place.device, Bytes{0} - storage.bytes);
  }
}

void ReferenceMemory::BookParameters(OpId op) {
  booked_.insert(op);
  Add(DeviceOf(op), graph_.op(op).param_bytes);
  NotePeak(DeviceOf(op), SimTime{});
}

void ReferenceMemory::StartKernel(std::size_t kernel, SimTime now) {
  for (const Place& place : OwnOutputs(kernel)) {
    Allocate(place);
  }
  running_.insert(kernel);
  Add(kernels_[kernel].device, WorkspaceOf(kernel));
  NotePeak(kernels_[kernel].device, now);
}

void ReferenceMemory::FinishKernel(std::size_t kernel) {
  running_.erase(kernel);
  Add(kernels_[kernel].device, Bytes{0} - WorkspaceOf(kernel));
  for (const Place& place : PlacesUsedBy(kernel)) {
    storages_[place].users.erase(kernel);
    FreeIfUnused(place);
  }
}

void ReferenceMemory::StartCopy(const ReferenceCopy& copy, SimTime now) {
  for (const Place& place : PlacesOf(copy)) {
    Allocate(place);
    NotePeak(place.device, now);
  }
}

void ReferenceMemory::FinishCopy(const ReferenceCopy& copy) {
  if (const std::optional<Place> place = HomeOf(copy.tensor)) {
    storages_[*place].copies.erase(copy.id);
    FreeIfUnused(*place);
  }
}

std::string ReferenceMemory::NameOf(TensorId tensor) const {
  const sim::Tensor& made = graph_.tensor(tensor);
  return graph_.op(made.producer).name + ":" + std::to_string(made.output_index);
}

std::vector<sim::Resident> ReferenceMemory::Residents(DeviceId device) const {
  std::vector<sim::Resident> residents;
  for (const auto& [place, storage] : storages_) {
    if (Share(place.device, device) && storage.is_allocated) {
      const bool is_copy = DeviceOf(graph_.tensor(place.tensor).producer) != place.device;
      residents.push_back({(is_copy ? "copy of " : "") + NameOf(place.tensor), storage.bytes});
    }
  }
  for (const OpId op : booked_) {
    if (Share(DeviceOf(op), device)) {
      residents.push_back({"parameters of " + graph_.op(op).name, graph_.op(op).param_bytes});
    }
  }
  for (const std::size_t kernel : running_) {
    if (Share(kernels_[kernel].device, device)) {
      residents.push_back({"workspace of " + kernels_[kernel].name, WorkspaceOf(kernel)});
    }
  }
  std::erase_if(residents, [](const sim::Resident& entry) { return entry.bytes == Bytes{0}; });
  std::ranges::sort(residents, [](const sim::Resident& a, const sim::Resident& b) {
    return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name);
  });
  return residents;
}

}  // namespace opyard::testing
