#include "bindings/python_values.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostLevels = 32;
constexpr std::size_t kMostValues = std::size_t{1} << 24U;

class ValueReader {
 public:
  Json Read(py::handle value, const std::string& place, std::size_t depth) {
    if (depth > kMostLevels) {
      throw InputError(place + ": found dicts and lists nested deeper than " +
                       std::to_string(kMostLevels) + " levels, expected fewer");
    }
    if (++num_values_ > kMostValues) {
      throw InputError(place + ": found more than " + std::to_string(kMostValues) +
                       " values, expected fewer; write a file instead");
    }
    if (py::isinstance<py::dict>(value)) {
      return ReadDict(value, place, depth);
    }
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
      return ReadList(value, place, depth);
    }
    if (py::isinstance<py::str>(value)) {
      return ReadText(value, place);
    }
    if (py::isinstance<py::type>(value) || !py::hasattr(value, "tolist")) {
      return ReadNumber(value, place);
    }
    return Read(value.attr("tolist")(), place, depth + 1);
  }

  void ThrowIfAny() const { diagnostics_.ThrowIfAny(); }

 private:
  Json ReadDict(py::handle dict, const std::string& place, std::size_t depth) {
    Json::object_t members;  // appended to, as a search for each key would be quadratic
    // Pairs of their own: to read a value may run code that changes the dict.
    for (const py::handle pair : py::reinterpret_steal<py::list>(PyDict_Items(dict.ptr()))) {
      const auto items = py::reinterpret_borrow<py::tuple>(pair);
      if (!py::isinstance<py::str>(items[0])) {
        diagnostics_.AddError(place,
                              "found a key of the type " + TypeOf(items[0]) + ", expected text");
        continue;
      }
      const Json key = ReadText(items[0], place);
      if (key.is_string()) {
        const auto& name = key.get_ref<const std::string&>();
        members.push_back({name, Read(items[1], place + "/" + PointerToken(name), depth + 1)});
      }
    }
    return members;
  }

  Json ReadList(py::handle list, const std::string& place, std::size_t depth) {
    Json json = Json::array();
    std::size_t index = 0;
    for (const py::handle item : py::reinterpret_steal<py::tuple>(PySequence_Tuple(list.ptr()))) {
      json.push_back(Read(item, place + "/" + std::to_string(index++), depth + 1));
    }
    return json;
  }

  Json ReadText(py::handle text, const std::string& place) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) {
      PyErr_Clear();
      diagnostics_.AddError(place,
                            "found text with half a character (a surrogate), expected Unicode");
      return nullptr;
    }
    return std::string(data, static_cast<std::size_t>(size));
  }

  Json ReadNumber(py::handle value, const std::string& place) {
    if (value.is_none()) {
      return nullptr;
    }
    if (PyBool_Check(value.ptr())) {
      return value.ptr() == Py_True;
    }
    if (PyLong_Check(value.ptr())) {
      int overflow = 0;
      const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
      if (overflow != 0) {
        diagnostics_.AddError(place, "found a whole number beyond 64 bits, expected a smaller one");
        return nullptr;
      }
      return static_cast<std::int64_t>(number);
    }
    if (PyFloat_Check(value.ptr())) {
      const double number = PyFloat_AS_DOUBLE(value.ptr());
      if (!std::isfinite(number)) {
        diagnostics_.AddError(place, "found " + ToText(number) + ", expected a finite number");
      }
      return number;
    }
    diagnostics_.AddError(place,
                          "found a value of the type " + TypeOf(value) +
                              ", expected a dict, a list, text, a number, a bool or None");
    return nullptr;
  }

  static std::string TypeOf(py::handle value) {
    return Quoted(py::cast<std::string>(py::type::of(value).attr("__name__")));
  }

  Diagnostics diagnostics_;
  std::size_t num_values_ = 0;
};

}  // namespace

nlohmann::ordered_json JsonOf(py::handle value, const std::string& place) {
  ValueReader reader;
  Json json = reader.Read(value, place, 0);
  reader.ThrowIfAny();
  return json;
}

py::object PythonOf(const nlohmann::ordered_json& json) {
  return py::module_::import("json").attr("loads")(json.dump());
}

}  // namespace opyard::bindings
