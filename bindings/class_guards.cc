// Guards for all classes of the module, however Python comes by their objects.
#include <algorithm>
#include <cstddef>
#include <exception>
#include <string_view>
#include <utility>

#include "bindings/bindings.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

constexpr const char* kNoValue =
    "found an object made by __new__ alone, expected one that its class has made";

// Called where pybind11 would read an object that has no value: one of `__new__` without
// `__init__`, to which it would give bytes that nobody wrote.
void* RefuseObjectWithoutValue(std::size_t /*size*/) {
  throw py::type_error(kNoValue);
}

// Where such an object should be shared, pybind11 speaks of its own types.
void TranslateObjectWithoutValue(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const py::cast_error& error) {
    if (!std::string_view(error.what()).starts_with("Unable to cast from non-held")) {
      throw;
    }
    py::set_error(PyExc_TypeError, kNoValue);
  }
}

// The first two protocols of pickle make an object of the base of all bound classes, which has
// no constructor: pybind11 ends the process there. The third can hold what they hold.
py::object ReduceByProtocolTwo(const py::object& self, int protocol) {
  return py::module_::import("builtins")
      .attr("object")
      .attr("__reduce_ex__")(self, std::max(protocol, 2));
}

}  // namespace

void GuardClasses(py::module_& module) {
  py::register_local_exception_translator(&TranslateObjectWithoutValue);
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    if (!py::isinstance<py::type>(value)) {
      continue;
    }
    py::detail::type_info* info =
        py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (info == nullptr) {
      continue;  // an exception
    }
    info->operator_new = &RefuseObjectWithoutValue;
    value.attr("__reduce_ex__") = py::cpp_function(&ReduceByProtocolTwo,
                                                   py::name("__reduce_ex__"),
                                                   py::is_method(value),
                                                   py::arg("protocol"),
                                                   py::pos_only());
  }
}

}  // namespace opyard::bindings
