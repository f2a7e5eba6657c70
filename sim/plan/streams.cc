#include "sim/plan/streams.h"

#include <numeric>

#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

class StreamFinder {
 public:
  StreamFinder(const OpGraph& graph, const Plan& plan, std::size_t num_devices, Streams& streams)
      : graph_(graph), plan_(plan), num_devices_(num_devices), s_(streams) {
    s_.stream_of.assign(graph.num_ops(), Streams::kNone);
    s_.next.assign(graph.num_ops(), Streams::kNone);
    s_.first.clear();
    s_.device_of.clear();
  }

  [[nodiscard]] bool FollowProgram() {
    s_.first.assign(num_devices_, Streams::kNone);
    s_.device_of.resize(num_devices_);
    std::iota(s_.device_of.begin(), s_.device_of.end(), 0);
    last_.assign(num_devices_, Streams::kNone);
    for (const OpId op : graph_.topological_order()) {
      const std::int32_t device = plan_.placement[op.index()].value;
      Append(device, graph_.topological_index(op), last_[At(device)]);
    }
    return true;
  }

  [[nodiscard]] bool FollowOrder() {
    if (plan_.order.size() != num_devices_) {
      return false;
    }
    std::size_t num_found = 0;
    for (std::size_t device = 0; device < num_devices_; ++device) {
      for (const Stream& stream : plan_.order[device]) {
        if (!AddStream(DeviceId(device), stream)) {
          return false;
        }
        num_found += stream.size();
      }
    }
    return num_found == graph_.num_ops();
  }

 private:
  void Append(std::int32_t stream, std::int32_t op, std::int32_t& last) {
    (last == Streams::kNone ? s_.first[At(stream)] : s_.next[At(last)]) = op;
    s_.stream_of[At(op)] = stream;
    last = op;
  }

  // False if an op is not of this device, or has been found before.
  [[nodiscard]] bool AddStream(DeviceId device, const Stream& stream) {
    const auto number = static_cast<std::int32_t>(s_.first.size());
    s_.first.push_back(Streams::kNone);
    s_.device_of.push_back(device.value);
    std::int32_t last = Streams::kNone;
    for (const OpId op : stream) {
      // Negative indices are greater than any.
      if (op.index() >= graph_.num_ops() || plan_.placement[op.index()] != device ||
          s_.stream_of[At(graph_.topological_index(op))] != Streams::kNone) {
        return false;
      }
      Append(number, graph_.topological_index(op), last);
    }
    return true;
  }

  const OpGraph& graph_;
  const Plan& plan_;
  std::size_t num_devices_;
  Streams& s_;
  std::vector<std::int32_t> last_;  // [num_devices], of a program
};

}  // namespace

bool FindStreams(const OpGraph& graph,
                 const Plan& plan,
                 std::size_t num_devices,
                 Streams& streams) {
  StreamFinder finder(graph, plan, num_devices, streams);
  return plan.queue == QueueDiscipline::kProgram ? finder.FollowProgram() : finder.FollowOrder();
}

}  // namespace opyard::sim
