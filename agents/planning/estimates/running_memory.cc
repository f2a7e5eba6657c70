#include "agents/planning/estimates/running_memory.h"

#include <algorithm>

namespace opyard::agents {
namespace {

// `inputs` may name a tensor twice.
bool IsFirstMention(std::span<const TensorId> inputs, std::size_t i) {
  const auto before = inputs.first(i);
  return std::ranges::find(before, inputs[i]) == before.end();
}

}  // namespace

RunningMemory::RunningMemory(const env::Problem& problem, double share)
    : graph_(problem.graph()),
      storage_(graph_.num_tensors()),
      readers_(graph_.num_tensors()),
      storage_readers_(graph_.num_tensors()),
      home_(graph_.num_tensors()),
      copies_(graph_.num_tensors()) {
  for (std::size_t i = 0; i < problem.hardware().num_devices(); ++i) {
    const auto capacity = static_cast<double>(problem.hardware().capacity(DeviceId(i)).count);
    room_left_.push_back(Bytes{static_cast<std::int64_t>(capacity * share)});
  }
  for (const OpId op : graph_.topological_order()) {
    for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
      const TensorId id = graph_.output(op, k);
      const sim::Tensor& tensor = graph_.tensor(id);
      storage_[id.index()] =
          tensor.alias == sim::Alias::kInput ? storage_[tensor.aliased.index()] : id;
      readers_[id.index()] = graph_.consumers(id).size() + (tensor.keep ? 1 : 0);
      storage_readers_[storage_[id.index()].index()] += readers_[id.index()];
    }
  }
}

bool RunningMemory::IsOn(TensorId tensor, DeviceId device) const {
  return home_[tensor.index()] == device ||
         std::ranges::find(copies_[tensor.index()], device) != copies_[tensor.index()].end();
}

Bytes RunningMemory::NeedOfRun(OpId op, DeviceId device) const {
  Bytes need = graph_.op(op).workspace_bytes;
  for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
    const sim::Tensor& tensor = graph_.tensor(graph_.output(op, k));
    need += tensor.alias == sim::Alias::kNone ? tensor.bytes : Bytes{};
  }
  const auto inputs = graph_.inputs(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const sim::Tensor& tensor = graph_.tensor(inputs[i]);
    const bool is_made = home_[inputs[i].index()].has_value();
    const bool takes_room = is_made ? !IsOn(inputs[i], device) : tensor.alias == sim::Alias::kNone;
    need += takes_room && IsFirstMention(inputs, i) ? tensor.bytes : Bytes{};
  }
  return need;
}

void RunningMemory::Run(OpId op, DeviceId device) {
  CopyInputs(op, device);
  MakeOutputs(op, device);
  const auto inputs = graph_.inputs(op);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (IsFirstMention(inputs, i)) {
      EndReading(inputs[i]);
    }
  }
}

void RunningMemory::CopyInputs(OpId op, DeviceId device) {
  for (const TensorId input : graph_.inputs(op)) {
    if (!IsOn(input, device)) {
      copies_[input.index()].push_back(device);
      room_left_[device.index()] -= graph_.tensor(input).bytes;
    }
  }
}

void RunningMemory::MakeOutputs(OpId op, DeviceId device) {
  for (std::size_t k = 0; k < graph_.num_outputs(op); ++k) {
    const TensorId output = graph_.output(op, k);
    home_[output.index()] = device;
    if (graph_.tensor(output).alias == sim::Alias::kNone) {
      room_left_[device.index()] -= graph_.tensor(output).bytes;
      if (storage_readers_[output.index()] == 0) {
        FreeStorage(output);
      }
    }
  }
}

void RunningMemory::EndReading(TensorId tensor) {
  if (--readers_[tensor.index()] == 0) {
    for (const DeviceId device : copies_[tensor.index()]) {
      room_left_[device.index()] += graph_.tensor(tensor).bytes;
    }
  }
  const TensorId storage = storage_[tensor.index()];
  if (--storage_readers_[storage.index()] == 0) {
    FreeStorage(storage);
  }
}

void RunningMemory::FreeStorage(TensorId storage) {
  if (graph_.tensor(storage).alias == sim::Alias::kNone) {
    room_left_[home_[storage.index()]->index()] += graph_.tensor(storage).bytes;
  }
}

}  // namespace opyard::agents
