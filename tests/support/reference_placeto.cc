#include "tests/support/reference_placeto.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>

namespace opyard::testing {
namespace {

// The events of one instant, in this order.
enum class Kind : std::uint8_t { kOpEnds, kRelease, kBus, kDevice };

struct Event {
  SimTime time;
  Kind kind = Kind::kDevice;
  std::string first;      // name of the op that ends, of the producer, or of the device
  std::string second;     // name of the consumer
  std::size_t index = 0;  // op that ends or is released, or device
  friend auto operator<=>(const Event&, const Event&) = default;
};

// An output on its way to the bus.
struct Parcel {
  SimTime entry;
  TensorId tensor;
};

class PlacetoRun {
 public:
  PlacetoRun(const sim::OpGraph& graph,
             const sim::HardwareProfile& hardware,
             const sim::CostTable& costs,
             const sim::Plan& plan)
      : graph_(graph),
        hardware_(hardware),
        costs_(costs),
        plan_(plan),
        consumers_(graph.num_tensors()),
        reads_(graph.num_ops()),
        pending_(graph.num_ops()),
        readers_left_(graph.num_tensors()),
        queue_(hardware.num_devices()),
        bus_(hardware.num_devices()),
        device_free_(hardware.num_devices()),
        bus_free_(hardware.num_devices()),
        in_use_(hardware.num_devices()) {
    result_.starts.resize(graph.num_ops());
    result_.peak_memory.resize(hardware.num_devices());
    FindDependencies();
  }

  PlacetoResult Run() {
    for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
      Hold(DeviceOf(OpId(op)), graph_.op(OpId(op)).param_bytes);
    }
    for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
      if (pending_[op] == 0) {
        Enter(OpId(op), SimTime{});
      }
    }
    while (!events_.empty()) {
      const Event event = *events_.begin();
      events_.erase(events_.begin());
      result_.makespan = event.time;
      Handle(event);
    }
    return result_;
  }

 private:
  // The dependency of a consumer on one producer is the last listed of what it reads; control
  // inputs come last and mean output 0.
  void FindDependencies() {
    for (std::size_t op = 0; op < graph_.num_ops(); ++op) {
      std::map<std::size_t, TensorId> last;
      for (const TensorId tensor : graph_.inputs(OpId(op))) {
        last[graph_.tensor(tensor).producer.index()] = tensor;
      }
      for (const OpId producer : graph_.control_inputs(OpId(op))) {
        last[producer.index()] = graph_.output(producer, 0);
      }
      for (const auto& [producer, tensor] : last) {
        consumers_[tensor.index()].push_back(OpId(op));
        reads_[op].push_back(tensor);
        ++readers_left_[tensor.index()];
        ++pending_[op];
      }
    }
  }

  void Handle(const Event& event) {
    switch (event.kind) {
      case Kind::kOpEnds:
        EndOp(OpId(event.index));
        break;
      case Kind::kRelease:
        if (--pending_[event.index] == 0) {
          Enter(OpId(event.index), event.time);
        }
        break;
      case Kind::kBus:
        RunBus(event.index, event.time);
        break;
      case Kind::kDevice:
        RunDevice(event.index, event.time);
        break;
    }
  }

  void Enter(OpId op, SimTime now) {
    const std::size_t device = DeviceOf(op);
    queue_[device].push_back(op);
    Wake(Kind::kDevice, device, now);
  }

  void RunDevice(std::size_t device, SimTime now) {
    if (now < device_free_[device] || queue_[device].empty()) {
      return;
    }
    const OpId op = queue_[device].front();
    queue_[device].pop_front();
    const SimTime cost = costs_.time(op, DeviceId(device));
    const SimTime end = now + cost;
    result_.starts[op.index()] = now;
    device_free_[device] = cost > SimTime{} ? end + hardware_.execution.gap_after_op : end;
    events_.insert({end, Kind::kOpEnds, NameOf(op), "", op.index()});
    Wake(Kind::kDevice, device, device_free_[device]);
    Hold(device, graph_.op(op).workspace_bytes);
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const TensorId tensor = graph_.output(op, i);
      Hold(device, HeldBytes(tensor));
      Publish(tensor, device, end);
    }
  }

  void Publish(TensorId tensor, std::size_t device, SimTime end) {
    bool is_sent = false;
    for (const OpId consumer : consumers_[tensor.index()]) {
      if (DeviceOf(consumer) == device) {
        Release(tensor, consumer, end);
      }
      is_sent = is_sent || DeviceOf(consumer) != device;
    }
    if (is_sent) {
      bus_[device].push_back({end, tensor});
      Wake(Kind::kBus, device, end);
    }
  }

  void RunBus(std::size_t device, SimTime now) {
    if (now < bus_free_[device] || bus_[device].empty() || now < bus_[device].front().entry) {
      return;
    }
    const TensorId tensor = bus_[device].front().tensor;
    bus_[device].pop_front();
    ++result_.num_transfers;
    const double seconds = static_cast<double>(ReadBytes(tensor).count) /
                           hardware_.links.front().bandwidth_bytes_per_s;
    const SimTime end = now + SimTime::FromSeconds(seconds);
    for (const OpId consumer : consumers_[tensor.index()]) {
      if (DeviceOf(consumer) != device) {
        Release(tensor, consumer, end);
      }
    }
    bus_free_[device] = end + hardware_.transfers.gap_after;
    Wake(Kind::kBus, device, bus_free_[device]);
  }

  void Release(TensorId tensor, OpId consumer, SimTime time) {
    const OpId producer = graph_.tensor(tensor).producer;
    events_.insert({time, Kind::kRelease, NameOf(producer), NameOf(consumer), consumer.index()});
  }

  void Wake(Kind kind, std::size_t device, SimTime time) {
    events_.insert({time, kind, hardware_.devices[device].name, "", device});
  }

  void EndOp(OpId op) {
    for (const TensorId tensor : reads_[op.index()]) {
      if (--readers_left_[tensor.index()] == 0) {
        in_use_[DeviceOf(graph_.tensor(tensor).producer)] -= HeldBytes(tensor);
      }
    }
    in_use_[DeviceOf(op)] -= graph_.op(op).workspace_bytes;
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const TensorId tensor = graph_.output(op, i);
      const bool is_read = !consumers_[tensor.index()].empty();
      in_use_[DeviceOf(op)] -= is_read ? Bytes{} : HeldBytes(tensor);
    }
  }

  void Hold(std::size_t device, Bytes bytes) {
    in_use_[device] += bytes;
    result_.peak_memory[device] = std::max(result_.peak_memory[device], in_use_[device]);
  }

  [[nodiscard]] Bytes ReadBytes(TensorId tensor) const { return graph_.tensor(tensor).bytes; }
  // Parameters are counted by their op.
  [[nodiscard]] Bytes HeldBytes(TensorId tensor) const {
    const bool is_param = graph_.tensor(tensor).alias == sim::Alias::kParams;
    return is_param ? Bytes{} : ReadBytes(tensor);
  }
  [[nodiscard]] std::size_t DeviceOf(OpId op) const { return plan_.placement[op.index()].index(); }
  [[nodiscard]] const std::string& NameOf(OpId op) const { return graph_.op(op).name; }

  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  const sim::CostTable& costs_;
  const sim::Plan& plan_;
  std::vector<std::vector<OpId>> consumers_;  // by tensor
  std::vector<std::vector<TensorId>> reads_;  // by op
  std::vector<int> pending_;
  std::vector<int> readers_left_;
  std::vector<std::deque<OpId>> queue_;
  std::vector<std::deque<Parcel>> bus_;
  std::vector<SimTime> device_free_;
  std::vector<SimTime> bus_free_;
  std::vector<Bytes> in_use_;
  std::set<Event> events_;
  PlacetoResult result_;
};

}  // namespace

PlacetoResult SimulatePlaceto(const sim::OpGraph& graph,
                              const sim::HardwareProfile& hardware,
                              const sim::CostTable& costs,
                              const sim::Plan& plan) {
  return PlacetoRun(graph, hardware, costs, plan).Run();
}

}  // namespace opyard::testing
