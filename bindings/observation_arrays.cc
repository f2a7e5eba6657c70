#include "bindings/observation_arrays.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>

#include "env/environments/vector_env.h"
#include "env/features/columns.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

constexpr std::size_t kAlignment = 16;     // of NumPy's own arrays, in bytes
constexpr std::size_t kNumConstants = 11;  // the arrays of a PaddedObservation

}  // namespace

ObservationArrays::ObservationArrays(const env::Environment& lane) {
  const env::Room& room = lane.stages().room();
  const bool observes_steps = lane.observes_steps();
  const py::ssize_t ops = room.max_ops;
  const py::ssize_t edges = room.max_edges;
  const py::ssize_t devices = room.max_devices;
  const auto columns = [](std::size_t count) { return static_cast<py::ssize_t>(count); };
  Add<std::int64_t>("op_type", {ops});
  Add<float>("x", {ops, columns(env::kNumFeatures)});
  Add<std::int64_t>("edge_index", {2, edges});
  Add<float>("edge_x", {edges, columns(env::kNumEdgeFeatures)});
  Add<float>("device_x", {devices, columns(env::kNumDeviceFeatures)});
  Add<float>("pair_x", {devices, devices, columns(env::kNumPairFeatures)});
  Add<std::int64_t>("topological_order", {ops});
  Add<std::int64_t>("group_id", {ops});
  Add<std::int8_t>("op_mask", {ops});
  Add<std::int8_t>("edge_mask", {edges});
  Add<std::int8_t>("machine_mask", {devices});
  Add<std::int64_t>("plan", {3, ops}, observes_steps);
  Add<std::int8_t>("current", {ops}, observes_steps);
  Add<float>("device_load", {devices}, observes_steps);
  Add<float>("device_memory", {devices}, observes_steps);
  Add<float>("progress", {2}, observes_steps);
  Add<std::int8_t>("action_mask", {columns(env::MaskSizeOf(lane))});
  for (const Part& part : parts_) {
    if (part.is_observed) {
      names_[part.name] = py::none();
    }
  }
}

template <class T>
void ObservationArrays::Add(const char* name, std::vector<py::ssize_t> shape, bool is_observed) {
  const std::size_t offset = block_.size();
  std::vector<py::ssize_t> strides(shape.size());
  auto stride = static_cast<py::ssize_t>(sizeof(T));
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  parts_.push_back({.name = py::str(name),
                    .type = py::dtype::of<T>(),
                    .shape = std::move(shape),
                    .strides = std::move(strides),
                    .offset = offset,
                    .is_observed = is_observed});
  const auto num_bytes = static_cast<std::size_t>(stride);
  block_.resize(offset + (num_bytes + kAlignment - 1) / kAlignment * kAlignment);
}

template <class T>
std::span<T> ObservationArrays::PartOf(std::size_t index) {
  const Part& part = parts_[index];
  const py::ssize_t size =
      std::accumulate(part.shape.begin(), part.shape.end(), py::ssize_t{1}, std::multiplies<>());
  return {reinterpret_cast<T*>(block_.data() + part.offset), static_cast<std::size_t>(size)};
}

void ObservationArrays::WriteConstants(const env::PaddedObservation& padded) {
  std::size_t index = 0;
  const auto write = [&]<class T>(const std::vector<T>& values) {
    using Written = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int8_t, T>;
    std::ranges::copy(values, PartOf<Written>(index++).begin());
  };
  write(padded.op_type);
  write(padded.x);
  write(padded.edge_index);
  write(padded.edge_x);
  write(padded.device_x);
  write(padded.pair_x);
  write(padded.topological_order);
  write(padded.group_id);
  write(padded.op_mask);
  write(padded.edge_mask);
  write(padded.machine_mask);
  constants_ = &padded;
}

env::StepObservation ObservationArrays::StepPart() {
  return {.plan = PartOf<std::int64_t>(kNumConstants),
          .current = PartOf<std::int8_t>(kNumConstants + 1),
          .device_load = PartOf<float>(kNumConstants + 2),
          .device_memory = PartOf<float>(kNumConstants + 3),
          .progress = PartOf<float>(kNumConstants + 4),
          .action_mask = PartOf<std::int8_t>(kNumConstants + 5)};
}

void ObservationArrays::Update(const env::Environment& lane) {
  if (is_present_) {
    lane.Update(StepPart());
  }
}

py::object ObservationArrays::ViewOf(const Part& part, py::array_t<std::uint8_t>& block) {
  const auto& numpy = py::detail::npy_api::get();
  auto view = py::reinterpret_steal<py::object>(
      numpy.PyArray_NewFromDescr_(numpy.PyArray_Type_,
                                  py::dtype(part.type).release().ptr(),
                                  static_cast<int>(part.shape.size()),
                                  part.shape.data(),
                                  part.strides.data(),
                                  block.mutable_data() + part.offset,
                                  py::detail::npy_api::NPY_ARRAY_WRITEABLE_,
                                  nullptr));
  if (!view || numpy.PyArray_SetBaseObject_(view.ptr(), py::object(block).release().ptr()) != 0) {
    throw py::error_already_set();
  }
  return view;
}

py::dict ObservationArrays::Make(const env::Environment& lane) {
  if (const env::PaddedObservation& padded = lane.stage().padded; constants_ != &padded) {
    WriteConstants(padded);
  }
  if (!is_present_) {
    lane.Write(StepPart());
    is_present_ = true;
  }
  py::array_t<std::uint8_t> block(static_cast<py::ssize_t>(block_.size()));
  std::memcpy(block.mutable_data(), block_.data(), block_.size());
  auto arrays = py::reinterpret_steal<py::dict>(PyDict_Copy(names_.ptr()));
  for (const Part& part : parts_) {
    if (!part.is_observed) {
      continue;
    }
    const py::object view = ViewOf(part, block);
    if (PyDict_SetItem(arrays.ptr(), part.name.ptr(), view.ptr()) != 0) {
      throw py::error_already_set();
    }
  }
  return arrays;
}

}  // namespace opyard::bindings
