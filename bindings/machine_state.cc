#include "bindings/machine_state.h"

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/error.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

template <class Value, class Struct>
concept Is = std::same_as<std::remove_const_t<Value>, Struct>;

// The fields of each struct. A structured binding names all of them or does not compile, so that a
// new field cannot be forgotten here.
template <class T>
auto Fields(Id<T>& id) {
  return std::tie(id.value);
}
template <class T>
auto Fields(const Id<T>& id) {
  return std::tie(id.value);
}
auto Fields(Is<Bytes> auto& bytes) {
  auto& [count] = bytes;
  return std::tie(count);
}
auto Fields(Is<SimTime> auto& time) {
  auto& [picoseconds] = time;
  return std::tie(picoseconds);
}
auto Fields(Is<sim::GemmEfficiency> auto& gemm) {
  auto& [e_max, h_m, h_n, h_k] = gemm;
  return std::tie(e_max, h_m, h_n, h_k);
}
auto Fields(Is<sim::ConvEfficiency> auto& conv) {
  auto& [gemm, winograd_gain] = conv;
  return std::tie(gemm, winograd_gain);
}
auto Fields(Is<sim::ClassEfficiency> auto& of_class) {
  auto& [efficiency, memory_efficiency] = of_class;
  return std::tie(efficiency, memory_efficiency);
}
auto Fields(Is<sim::CacheTier> auto& tier) {
  auto& [size, bandwidth] = tier;
  return std::tie(size, bandwidth);
}
auto Fields(Is<sim::CostParameters> auto& cost) {
  auto& [sustained, default_sustained, softmax_q, memory, l2, gemm, conv, rnn, classes] = cost;
  return std::tie(sustained, default_sustained, softmax_q, memory, l2, gemm, conv, rnn, classes);
}
auto Fields(Is<sim::Device> auto& device) {
  auto& [name, type, kind, memory, bandwidth, peaks, overhead, cost] = device;
  return std::tie(name, type, kind, memory, bandwidth, peaks, overhead, cost);
}
auto Fields(Is<sim::Link> auto& link) {
  auto& [name, between, bandwidth, latency, duplex] = link;
  return std::tie(name, between, bandwidth, latency, duplex);
}
auto Fields(Is<sim::ExplicitRoute> auto& route) {
  auto& [from, to, links, latency] = route;
  return std::tie(from, to, links, latency);
}
auto Fields(Is<sim::ExecutionRules> auto& rules) {
  auto& [dispatch, gap_after_op, trailing_gaps_count] = rules;
  return std::tie(dispatch, gap_after_op, trailing_gaps_count);
}
auto Fields(Is<sim::FusionLimits> auto& limits) {
  auto& [max_ops, max_depth_span] = limits;
  return std::tie(max_ops, max_depth_span);
}
auto Fields(Is<sim::ChannelKinds> auto& kinds) {
  auto& [links, egress, ingress, pair] = kinds;
  return std::tie(links, egress, ingress, pair);
}
auto Fields(Is<sim::TransferRules> auto& rules) {
  auto& [sharing, channels, one_per, gap_after] = rules;
  return std::tie(sharing, channels, one_per, gap_after);
}
auto Fields(Is<sim::MemoryRules> auto& rules) {
  auto& [on_exceed, reserve] = rules;
  return std::tie(on_exceed, reserve);
}
auto Fields(Is<sim::Provenance> auto& provenance) {
  auto& [key, kind, source, median_error, date, software] = provenance;
  return std::tie(key, kind, source, median_error, date, software);
}
auto Fields(Is<sim::HardwareProfile> auto& machine) {
  auto& [name,
         devices,
         switches,
         links,
         routes,
         rules,
         execution,
         fusion,
         transfers,
         memory,
         provenance] = machine;
  return std::tie(name,
                  devices,
                  switches,
                  links,
                  routes,
                  rules,
                  execution,
                  fusion,
                  transfers,
                  memory,
                  provenance);
}

template <class T>
inline constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

// What can be walked: vectors, arrays, maps.
template <class T>
concept Sequence = !kIsPlain<T> && requires(const T& values) { values.begin(); };

template <class T>
concept Map = Sequence<T> && requires { typename T::mapped_type; };

struct ToState {
  template <class T>
  py::object operator()(const T& value) const {
    if constexpr (kIsPlain<T>) {
      return py::cast(value);
    } else if constexpr (std::is_enum_v<T>) {
      return py::cast(static_cast<std::int64_t>(value));
    } else if constexpr (Sequence<T>) {
      py::list items;
      for (const auto& item : value) {
        items.append((*this)(item));
      }
      return py::tuple(items);
    } else {
      return std::apply(
          [this](const auto&... fields) { return py::make_tuple((*this)(fields)...); },
          Fields(value));
    }
  }
  template <class T>
  py::object operator()(const std::optional<T>& value) const {
    return value.has_value() ? (*this)(*value) : py::none();
  }
  template <class Key, class T>
  py::object operator()(const std::pair<Key, T>& entry) const {
    return py::make_tuple((*this)(entry.first), (*this)(entry.second));
  }
};

py::tuple TupleOf(py::handle state, std::size_t size) {
  auto tuple = py::cast<py::tuple>(state);
  if (tuple.size() != size) {
    throw InputError("pickled machine: found " + std::to_string(tuple.size()) +
                     " values, expected " + std::to_string(size) +
                     "; it was pickled by another version of opyard");
  }
  return tuple;
}

struct FromState {
  template <class T>
  void operator()(py::handle state, T& value) const {
    if constexpr (kIsPlain<T>) {
      value = py::cast<T>(state);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(py::cast<std::int64_t>(state));
    } else if constexpr (Map<T>) {
      for (const py::handle item : state) {
        const py::tuple entry = TupleOf(item, 2);
        typename T::key_type key{};
        (*this)(entry[0], key);
        (*this)(entry[1], value[key]);
      }
    } else if constexpr (Sequence<T>) {
      ReadItems(state, value);
    } else {
      ReadFields(state, Fields(value));
    }
  }
  template <class T>
  void operator()(py::handle state, std::optional<T>& value) const {
    if (!state.is_none()) {
      (*this)(state, value.emplace());
    }
  }

 private:
  template <class T>
  void ReadItems(py::handle state, std::vector<T>& values) const {
    for (const py::handle item : state) {
      (*this)(item, values.emplace_back());
    }
  }
  template <class T, std::size_t size>
  void ReadItems(py::handle state, std::array<T, size>& values) const {
    const py::tuple items = TupleOf(state, size);
    for (std::size_t i = 0; i < size; ++i) {
      (*this)(items[i], values[i]);
    }
  }
  template <class... T>
  void ReadFields(py::handle state, std::tuple<T&...> fields) const {
    const py::tuple items = TupleOf(state, sizeof...(T));
    std::size_t i = 0;
    std::apply([&](T&... field) { ((*this)(items[i++], field), ...); }, fields);
  }
};

}  // namespace

py::tuple StateOf(const sim::HardwareProfile& machine) {
  return ToState()(machine);
}

std::shared_ptr<sim::HardwareProfile> MachineOf(const py::tuple& state) {
  auto machine = std::make_shared<sim::HardwareProfile>();
  try {
    FromState()(state, *machine);
  } catch (const py::cast_error&) {
    throw InputError(
        "pickled machine: found a value of another type; it was pickled by another version of "
        "opyard");
  }
  return machine;
}

}  // namespace opyard::bindings
