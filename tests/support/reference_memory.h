// The reference simulator's books of memory: who holds which storage on which device, and until
// when.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/result/sim_result.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_kernels.h"

namespace opyard::testing {

class ReferenceMemory {
 public:
  // Nothing is in use yet.
  ReferenceMemory(const sim::OpGraph& graph,
                  const sim::HardwareProfile& hardware,
                  const ReferenceKernels& kernels,
                  const std::vector<ReferenceCopy>& copies);

  // The bytes that the start of `kernel` asks for: its outputs that have storage of their own, and
  // the largest workspace among its ops.
  [[nodiscard]] Bytes NeededBy(std::size_t kernel) const;
  // True if `bytes` more fit on `device`, or if nobody minds.
  [[nodiscard]] bool Fits(DeviceId device, Bytes bytes) const;

  // At time 0, for every op.
  void BookParameters(OpId op);
  void StartKernel(std::size_t kernel, SimTime now);
  void FinishKernel(std::size_t kernel);
  void StartCopy(const ReferenceCopy& copy, SimTime now);
  void FinishCopy(const ReferenceCopy& copy);

  [[nodiscard]] Bytes in_use(DeviceId device) const { return devices_[device.index()].in_use; }
  [[nodiscard]] Bytes resident(DeviceId device) const { return devices_[device.index()].resident; }
  [[nodiscard]] Bytes peak(DeviceId device) const { return devices_[device.index()].peak; }
  [[nodiscard]] SimTime peak_instant(DeviceId device) const {
    return devices_[device.index()].peak_instant;
  }
  // What all devices that share the memory of `device`, itself included, hold together.
  [[nodiscard]] Bytes in_use_beside(DeviceId device) const;
  // The reports of all memory pools.
  [[nodiscard]] std::vector<sim::MemoryPoolReport> Pools() const;
  // Everything that has bytes in the memory of `device`, which others may share, largest first,
  // then by name.
  [[nodiscard]] std::vector<sim::Resident> Residents(DeviceId device) const;

 private:
  // A storage is named by the tensor that it was allocated for, its device, and the edge if it is a
  // copy for that edge alone.
  struct Place {
    TensorId tensor;
    DeviceId device;
    std::optional<ReferenceEdge> edge;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Storage {
    Bytes bytes;
    bool is_allocated = false;
    bool is_held_to_the_end = false;
    std::set<std::size_t> users;   // kernels that make or read it and have not finished
    std::set<std::size_t> copies;  // outgoing, not yet ended: ReferenceCopy::id
  };
  struct DeviceBooks {
    Bytes in_use;
    Bytes resident;
    Bytes peak;
    SimTime peak_instant;
  };

  // Where `tensor` lies on the device of its producer, or what `reader` reads as its input
  // `position`; nothing if that lies in parameters.
  [[nodiscard]] std::optional<Place> HomeOf(TensorId tensor) const;
  [[nodiscard]] std::optional<Place> InputPlace(OpId reader, std::size_t position) const;
  [[nodiscard]] static std::vector<Place> PlacesOf(const ReferenceCopy& copy);
  [[nodiscard]] bool IsOfParameters(TensorId tensor) const;
  [[nodiscard]] DeviceId DeviceOf(OpId op) const { return kernels_[kernels_.Of(op)].device; }
  [[nodiscard]] std::set<Place> PlacesUsedBy(std::size_t kernel) const;
  [[nodiscard]] std::vector<TensorId> OutputsOf(std::size_t kernel) const;
  [[nodiscard]] std::vector<Place> OwnOutputs(std::size_t kernel) const;
  [[nodiscard]] Bytes WorkspaceOf(std::size_t kernel) const;
  [[nodiscard]] std::string NameOf(TensorId tensor) const;
  void Allocate(const Place& place);
  void Add(DeviceId device, Bytes bytes);
  void NotePeak(DeviceId device, SimTime now);
  // True if they have one memory.
  [[nodiscard]] bool Share(DeviceId a, DeviceId b) const;
  void FreeIfUnused(const Place& place);

  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  const ReferenceKernels& kernels_;
  std::map<Place, Storage> storages_;
  std::set<OpId> booked_;  // whose parameters are in memory
  std::set<std::size_t> running_;
  std::vector<DeviceBooks> devices_;
  std::vector<DeviceBooks> pools_;  // their peaks
};

}  // namespace opyard::testing
