// Output files of the Python subcommands, written like those of the C++ ones.
#include <filesystem>
#include <string_view>

#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "sim/base/data_root.h"
#include "sim/base/output_file.h"

namespace opyard::bindings {

namespace py = pybind11;

void BindFiles(py::module_& module) {
  module.def(
      "write_output",
      [](const std::filesystem::path& path, const py::bytes& data) {
        const std::string_view bytes = data;
        const py::gil_scoped_release released;
        WriteOutputFile(path, [bytes](std::ostream& out) { out << bytes; });
      },
      py::arg("path"),
      py::arg("data"),
      "Writes `data` to where `path` leads: a regular file is replaced whole and keeps its mode,\n"
      "links are followed, a pipe or device is written through, \"-\" is standard output. Raises\n"
      "InputError if that cannot be done.");
  module.def("find_output_problem",
             &FindOutputProblem,
             py::arg("path"),
             "Why nothing can be written to `path`, as far as it shows beforehand, or None.");
  module.def("is_standard_output",
             &IsStandardOutput,
             py::arg("path"),
             "True for \"-\" and for /dev/stdout.");
  module.def(
      "data_root", &DataRoot, "The folder of the shipped data, which holds hardware_profiles.");
}

}  // namespace opyard::bindings
