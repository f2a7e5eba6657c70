#include "bindings/graph_arrays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <pybind11/numpy.h>

#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr const char* kType = "Task";
constexpr std::size_t kMostArrayOps = std::size_t{1} << 21U;

constexpr auto kRequired = std::to_array<std::string_view>(
    {"op_flops", "tensor_bytes", "tensor_producer", "edge_index", "edge_tensor"});
constexpr auto kOptional = std::to_array<std::string_view>({"op_bytes_accessed",
                                                            "op_param_bytes",
                                                            "op_weight_bytes",
                                                            "op_workspace_bytes",
                                                            "control_edge_index",
                                                            "topological_order"});

std::string PlaceOf(std::string_view key, std::size_t index) {
  return "arrays#/" + std::string(key) + "/" + std::to_string(index);
}

// Reads the arrays one by one; what is wrong goes to `diagnostics`, and the array is empty then.
class ArrayReader {
 public:
  ArrayReader(const py::dict& arrays, Diagnostics& diagnostics)
      : arrays_(arrays), diagnostics_(diagnostics) {}

  void CheckKeys() {
    for (const std::string_view key : kRequired) {
      if (!Has(key)) {
        diagnostics_.AddError("arrays#", "the key " + Quoted(key) + " is missing");
      }
    }
    std::vector<std::string> known(kRequired.begin(), kRequired.end());
    known.insert(known.end(), kOptional.begin(), kOptional.end());
    for (const auto& [key, value] : arrays_) {
      const auto text = py::cast<std::string>(py::str(key));
      if (std::ranges::find(known, text) == known.end()) {
        diagnostics_.AddError("arrays#",
                              "found the key " + Quoted(text) + ", expected one of " +
                                  JoinNames(known) + DidYouMean(text, known));
      }
    }
  }

  [[nodiscard]] bool Has(std::string_view key) const { return arrays_.contains(key); }

  // Whole numbers in [low, high] of an array [size], or of any size if that is not given.
  std::vector<std::int64_t> Whole(std::string_view key,
                                  std::optional<std::size_t> size,
                                  std::int64_t low = 0,
                                  std::int64_t high = kMost) {
    const std::optional<py::array> array = Find(key, "iu", "whole numbers");
    if (!array.has_value() || !HasShape(*array, key, size)) {
      return {};
    }
    return Checked(*array, key, low, high);
  }

  // The two rows of an array [2, edges], as `Whole`.
  std::array<std::vector<std::int64_t>, 2> Ends(std::string_view key, std::int64_t num_ops) {
    const std::optional<py::array> array = Find(key, "iu", "whole numbers");
    if (!array.has_value()) {
      return {};
    }
    if (array->ndim() != 2 || array->shape(0) != 2) {
      ReportShape(*array, key, "[2, edges]");
      return {};
    }
    const std::string rows = std::string(key) + "/";
    return {Checked(Row(*array, 0), rows + "0", 0, num_ops - 1),
            Checked(Row(*array, 1), rows + "1", 0, num_ops - 1)};
  }

  // Numbers from 0 on; NaN only where `nan_is_legal`.
  std::vector<double> Numbers(std::string_view key,
                              const py::object& given,
                              std::optional<std::size_t> size,
                              bool nan_is_legal = false) {
    const std::optional<py::array> array = Find(key, given, "iuf", "numbers");
    if (!array.has_value() || !HasShape(*array, key, size)) {
      return {};
    }
    const auto wide = py::array_t<double, py::array::c_style | py::array::forcecast>(*array);
    std::vector<double> numbers(wide.data(), wide.data() + wide.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!(nan_is_legal && std::isnan(numbers[i])) &&
          !(std::isfinite(numbers[i]) && numbers[i] >= 0.0)) {
        diagnostics_.AddError(
            PlaceOf(key, i),
            "found " + ToText(numbers[i]) + ", expected a finite number that is not negative");
      }
    }
    return numbers;
  }
  std::vector<double> Numbers(std::string_view key) { return Numbers(key, Given(key), {}); }

 private:
  [[nodiscard]] py::object Given(std::string_view key) const {
    return Has(key) ? py::object(arrays_[py::str(key.data(), key.size())]) : py::none();
  }

  std::optional<py::array> Find(std::string_view key, std::string_view kinds, const char* what) {
    return Find(key, Given(key), kinds, what);
  }

  // Nothing for None; nothing, and an error, for what is no array of one of the kinds of dtypes.
  std::optional<py::array> Find(std::string_view key,
                                const py::object& given,
                                std::string_view kinds,
                                const char* what) {
    if (given.is_none()) {
      return std::nullopt;
    }
    const std::string place = "arrays#/" + std::string(key);
    const py::array array = py::array::ensure(given);
    if (!array) {
      PyErr_Clear();
      diagnostics_.AddError(place, std::string("found no array, expected one of ") + what);
      return std::nullopt;
    }
    const bool is_empty = array.size() == 0;  // np.array([]) is of floats
    if (!is_empty && kinds.find(array.dtype().kind()) == std::string_view::npos) {
      diagnostics_.AddError(place,
                            "found an array of " + py::cast<std::string>(py::str(array.dtype())) +
                                ", expected one of " + what);
      return std::nullopt;
    }
    return array;
  }

  void ReportShape(const py::array& array, std::string_view key, const std::string& expected) {
    diagnostics_.AddError("arrays#/" + std::string(key),
                          "found the shape " + py::cast<std::string>(py::str(array.attr("shape"))) +
                              ", expected " + expected);
  }

  bool HasShape(const py::array& array, std::string_view key, std::optional<std::size_t> size) {
    if (array.ndim() == 1 &&
        (!size.has_value() || static_cast<std::size_t>(array.size()) == *size)) {
      return true;
    }
    ReportShape(array, key, size.has_value() ? "[" + std::to_string(*size) + "]" : "one dimension");
    return false;
  }

  static py::array Row(const py::array& array, std::int64_t index) {
    return py::array(array[py::int_(index)]);
  }

  std::vector<std::int64_t> Checked(const py::array& array,
                                    std::string_view key,
                                    std::int64_t low,
                                    std::int64_t high) {
    const auto wide = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array);
    std::vector<std::int64_t> numbers(wide.data(), wide.data() + wide.size());
    const bool is_unsigned = array.dtype().kind() == 'u';  // beyond int64 they become negative
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < low || numbers[i] > high) {
        const std::string found = is_unsigned && numbers[i] < 0
                                      ? std::to_string(static_cast<std::uint64_t>(numbers[i]))
                                      : std::to_string(numbers[i]);
        diagnostics_.AddError(PlaceOf(key, i),
                              "found " + found + ", expected a whole number from " +
                                  std::to_string(low) + " to " + std::to_string(high));
      }
    }
    return numbers;
  }

  const py::dict& arrays_;
  Diagnostics& diagnostics_;
};

class GraphOfArraysReader {
 public:
  GraphOfArraysReader(const py::dict& arrays, const OpWords& words)
      : reader_(arrays, diagnostics_), words_(words) {}

  std::shared_ptr<const sim::OpGraph> Run() {
    reader_.CheckKeys();
    diagnostics_.ThrowIfAny();
    ReadOps();
    diagnostics_.ThrowIfAny();  // indices below are of these ops
    ReadTensors();
    diagnostics_.ThrowIfAny();  // and of these tensors
    ReadEdges();
    diagnostics_.ThrowIfAny();
    sim::OpGraphBuilder builder(words_.name);
    for (sim::OpSpec& op : ops_) {
      builder.AddOp(std::move(op));
    }
    return builder.Build("graph#");
  }

 private:
  void ReadOps() {
    const std::vector<double> flops = reader_.Numbers("op_flops");
    diagnostics_.ThrowIfAny();
    if (flops.empty() || flops.size() > kMostArrayOps) {
      diagnostics_.AddError("arrays#/op_flops",
                            "found " + std::to_string(flops.size()) + " ops, expected 1 to " +
                                std::to_string(kMostArrayOps));
      return;
    }
    ops_.resize(flops.size());
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      ops_[i].flops = Flops{flops[i]};
    }
    const auto read = [&](const char* key, auto sim::OpSpec::*field) {
      const std::vector<std::int64_t> bytes = reader_.Whole(key, ops_.size());
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        ops_[i].*field = Bytes{bytes[i]};
      }
    };
    read("op_bytes_accessed", &sim::OpSpec::bytes_accessed);
    read("op_param_bytes", &sim::OpSpec::param_bytes);
    read("op_weight_bytes", &sim::OpSpec::weight_bytes);
    read("op_workspace_bytes", &sim::OpSpec::workspace_bytes);
    ReadWords();
    const std::vector<double> seconds =
        reader_.Numbers("op_seconds", words_.seconds, ops_.size(), true);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      if (!std::isnan(seconds[i])) {
        ops_[i].seconds.push_back({.where = "*", .seconds = seconds[i]});
      }
    }
  }

  void ReadWords() {
    for (const auto& [key, words] :
         {std::pair("op_names", &words_.names), std::pair("op_types", &words_.types)}) {
      if (words->has_value() && (*words)->size() != ops_.size()) {
        diagnostics_.AddError(key,
                              "found " + std::to_string((*words)->size()) + " texts, expected " +
                                  std::to_string(ops_.size()) + ", one per op");
        return;
      }
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      ops_[i].name = words_.names.has_value() ? (*words_.names)[i] : "op" + std::to_string(i);
      ops_[i].type = words_.types.has_value() ? (*words_.types)[i] : kType;
    }
  }

  void ReadTensors() {
    const std::vector<std::int64_t> bytes = reader_.Whole("tensor_bytes", {});
    const std::vector<std::int64_t> producers =
        reader_.Whole("tensor_producer", bytes.size(), 0, NumOps() - 1);
    for (std::size_t t = 0; t < producers.size(); ++t) {
      if (t > 0 && producers[t] < producers[t - 1]) {
        diagnostics_.AddError(PlaceOf("tensor_producer", t),
                              "found " + std::to_string(producers[t]) + " after " +
                                  std::to_string(producers[t - 1]) +
                                  ", expected tensors in the order of the ops that make them");
      }
      if (producers[t] >= 0 && producers[t] < NumOps()) {
        std::vector<sim::OutputSpec>& outputs = ops_[Index(producers[t])].outputs;
        tensors_.push_back({producers[t], static_cast<std::int64_t>(outputs.size())});
        outputs.push_back({.bytes = Bytes{bytes[t]}, .shape = {}});
      }
    }
  }

  void ReadEdges() {
    const auto [producers, readers] = reader_.Ends("edge_index", NumOps());
    const auto num_tensors = static_cast<std::int64_t>(tensors_.size());
    const std::vector<std::int64_t> tensors =
        reader_.Whole("edge_tensor", producers.size(), 0, num_tensors - 1);
    const auto [before, after] = reader_.Ends("control_edge_index", NumOps());
    diagnostics_.ThrowIfAny();
    for (std::size_t e = 0; e < tensors.size(); ++e) {
      const sim::InputRef& tensor = tensors_[Index(tensors[e])];
      if (producers[e] != tensor.op) {
        diagnostics_.AddError(PlaceOf("edge_index/0", e),
                              "found " + std::to_string(producers[e]) + ", expected " +
                                  std::to_string(tensor.op) + ", the producer of tensor " +
                                  std::to_string(tensors[e]));
      }
      ops_[Index(readers[e])].inputs.push_back(tensor);
    }
    for (std::size_t e = 0; e < before.size(); ++e) {
      ops_[Index(after[e])].control_inputs.push_back(before[e]);
    }
  }

  [[nodiscard]] std::int64_t NumOps() const { return static_cast<std::int64_t>(ops_.size()); }
  static std::size_t Index(std::int64_t index) { return static_cast<std::size_t>(index); }

  Diagnostics diagnostics_;
  ArrayReader reader_;
  const OpWords& words_;
  std::vector<sim::OpSpec> ops_;
  std::vector<sim::InputRef> tensors_;  // by index
};

}  // namespace

std::shared_ptr<const sim::OpGraph> GraphOfArrays(const py::dict& arrays, const OpWords& words) {
  return GraphOfArraysReader(arrays, words).Run();
}

}  // namespace opyard::bindings
