// Values of Python as JSON: dicts, lists, texts and numbers, those of NumPy included.
#pragma once

#include <string>

#include <nlohmann/json.hpp>
#include <pybind11/pybind11.h>

namespace opyard::bindings {

// `value` as JSON; dicts keep their order, tuples become lists, and arrays and numbers of NumPy
// what their `tolist` makes of them. Throws InputError "`place`/KEY/INDEX: found …, expected …"
// with all that JSON does not hold: other types, keys that are no text, NaN and infinity, whole
// numbers beyond 64 bits; also for nesting beyond 32 levels, which refuses what holds itself, and
// for more than 16 Mi values.
[[nodiscard]] nlohmann::ordered_json JsonOf(pybind11::handle value, const std::string& place);

// The way back.
[[nodiscard]] pybind11::object PythonOf(const nlohmann::ordered_json& json);

}  // namespace opyard::bindings
