#include "env/padded_observation.h"

#include <algorithm>
#include <string>

#include "sim/base/error.h"

namespace opyard::env {
namespace {

// `values` filled up with zeros to `size`.
template <class T>
std::vector<T> Padded(const std::vector<T>& values, std::int64_t size) {
  std::vector<T> padded = values;
  padded.resize(static_cast<std::size_t>(size), T{0});
  return padded;
}

// Rows of `width` numbers, filled up to `count` rows.
std::vector<float> PaddedRows(const std::vector<float>& rows,
                              std::int64_t count,
                              std::size_t width) {
  return Padded(rows, count * static_cast<std::int64_t>(width));
}

// `num_rows` rows of `row_size`, each filled up to `padded_row_size`, and then up to `num_padded`
// rows.
template <class T>
std::vector<T> PaddedMatrix(const std::vector<T>& values,
                            std::int64_t num_rows,
                            std::int64_t num_padded,
                            std::int64_t padded_row_size) {
  std::vector<T> padded(static_cast<std::size_t>(num_padded * padded_row_size), T{0});
  const std::int64_t row_size =
      num_rows > 0 ? static_cast<std::int64_t>(values.size()) / num_rows : 0;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    std::copy_n(values.begin() + row * row_size, row_size, padded.begin() + row * padded_row_size);
  }
  return padded;
}

std::vector<std::uint8_t> MaskOf(std::int64_t used, std::int64_t size) {
  return Padded(std::vector<std::uint8_t>(static_cast<std::size_t>(used), 1), size);
}

void EnsureRoom(const std::string& what,
                const std::string& owner,
                std::int64_t needed,
                std::int64_t room) {
  if (needed > room) {
    throw InputError("max_" + what + ": found " + std::to_string(room) + ", but the " + owner +
                     " has " + std::to_string(needed) + " " + what);
  }
}

void AppendRow(const std::vector<float>& rows,
               std::size_t row,
               std::size_t width,
               std::vector<float>& flat) {
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row * width);
  flat.insert(flat.end(), first, first + static_cast<std::ptrdiff_t>(width));
}

void AppendOps(const PaddedObservation& padded, std::vector<float>& flat) {
  const auto room = static_cast<float>(padded.room.max_ops);
  for (std::size_t op = 0; op < padded.op_type.size(); ++op) {
    flat.push_back(static_cast<float>(padded.op_mask[op]));
    flat.push_back(static_cast<float>(padded.op_type[op]) / static_cast<float>(kTypeVocabulary));
    flat.push_back(static_cast<float>(padded.group_id[op]) / room);
    AppendRow(padded.x, op, kNumFeatures, flat);
  }
}

void AppendEdges(const PaddedObservation& padded, std::vector<float>& flat) {
  const auto room = static_cast<float>(padded.room.max_ops);
  const std::size_t num_edges = padded.edge_mask.size();
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    flat.push_back(static_cast<float>(padded.edge_mask[edge]));
    flat.push_back(static_cast<float>(padded.edge_index[edge]) / room);
    flat.push_back(static_cast<float>(padded.edge_index[num_edges + edge]) / room);
    AppendRow(padded.edge_x, edge, kNumEdgeFeatures, flat);
  }
}

void AppendDevices(const PaddedObservation& padded, std::vector<float>& flat) {
  for (std::size_t device = 0; device < padded.machine_mask.size(); ++device) {
    flat.push_back(static_cast<float>(padded.machine_mask[device]));
    AppendRow(padded.device_x, device, kNumDeviceFeatures, flat);
  }
  flat.insert(flat.end(), padded.pair_x.begin(), padded.pair_x.end());
}

}  // namespace

PaddedObservation Pad(const Observation& observation, const Room& room) {
  EnsureRoom("ops", "graph", observation.num_ops, room.max_ops);
  EnsureRoom("edges", "graph", observation.num_edges, room.max_edges);
  EnsureRoom("devices", "machine", observation.num_devices, room.max_devices);
  return {.room = room,
          .op_type = Padded(observation.op_type, room.max_ops),
          .x = PaddedRows(observation.x, room.max_ops, kNumFeatures),
          .edge_index = PaddedMatrix(observation.edge_index, 2, 2, room.max_edges),
          .edge_x = PaddedRows(observation.edge_x, room.max_edges, kNumEdgeFeatures),
          .device_x = PaddedRows(observation.device_x, room.max_devices, kNumDeviceFeatures),
          .pair_x = PaddedMatrix(observation.pair_x,
                                 observation.num_devices,
                                 room.max_devices,
                                 room.max_devices * static_cast<std::int64_t>(kNumPairFeatures)),
          .topological_order = Padded(observation.topological_order, room.max_ops),
          .group_id = Padded(observation.group_id, room.max_ops),
          .op_mask = MaskOf(observation.num_ops, room.max_ops),
          .edge_mask = MaskOf(observation.num_edges, room.max_edges),
          .machine_mask = MaskOf(observation.num_devices, room.max_devices)};
}

std::size_t FlatSize(const Room& room, std::size_t action_mask_size) {
  const auto num_devices = static_cast<std::size_t>(room.max_devices);
  return static_cast<std::size_t>(room.max_ops) * (kNumFeatures + 3) +
         static_cast<std::size_t>(room.max_edges) * (kNumEdgeFeatures + 3) +
         num_devices * (kNumDeviceFeatures + 1) + num_devices * num_devices * kNumPairFeatures +
         action_mask_size;
}

std::vector<float> Flatten(const PaddedObservation& padded,
                           const std::vector<std::uint8_t>& action_mask) {
  std::vector<float> flat;
  flat.reserve(FlatSize(padded.room, action_mask.size()));
  AppendOps(padded, flat);
  AppendEdges(padded, flat);
  AppendDevices(padded, flat);
  flat.insert(flat.end(), action_mask.begin(), action_mask.end());
  return flat;
}

}  // namespace opyard::env
