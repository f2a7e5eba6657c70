// The Python module opyard._core: the C++ layers without LibTorch.
#include "agents/missing_learned.h"
#include "bindings/bindings.h"
#include "sim/base/error.h"

#if !defined(OPYARD_VERSION) || !defined(OPYARD_TORCH_VERSION)
#error "the build defines OPYARD_VERSION and OPYARD_TORCH_VERSION (empty without LibTorch)"
#endif

namespace opyard::bindings {

namespace py = pybind11;

void BindErrors(py::module_& module) {
  // As they are imported by users: opyard.InputError.
  const auto add =
      [&]<class T>(const char* name, py::handle base, const char* meaning, std::type_identity<T>) {
        py::exception<T>& type = py::register_exception<T>(module, name, base);
        type.attr("__module__") = "opyard";
        type.doc() = meaning;
        return py::handle(type);
      };
  const py::handle error = add("Error",
                               PyExc_ValueError,
                               "Wrong input: says where, what was found and what was expected.",
                               std::type_identity<Error>());
  add("InputError",
      error,
      "A file or an argument cannot be read, or breaks the rules of its format.",
      std::type_identity<InputError>());
  add("PlanError",
      error,
      "A plan or an action does not fit its graph and machine.",
      std::type_identity<PlanError>());
  add("UnsupportedError",
      error,
      "Legal input that asks for something that this version does not simulate.",
      std::type_identity<UnsupportedError>());
}

}  // namespace opyard::bindings

PYBIND11_MODULE(_core, module) {
  module.doc() = "The simulator, the environments and the agents of opyard, in C++.";
  module.attr("__version__") = OPYARD_VERSION;
  module.attr("torch_version") = OPYARD_TORCH_VERSION;
  module.attr("built_without_torch") = opyard::agents::kBuiltWithoutTorch;
  module.attr("learned_not_installed") = opyard::agents::kLearnedNotInstalled;
  opyard::bindings::BindErrors(module);
  opyard::bindings::PlanClass plan = opyard::bindings::BindSim(module);
  opyard::bindings::BindGraphs(module);
  opyard::bindings::BindFiles(module);
  opyard::bindings::BindBuilder(module);
  opyard::bindings::BindMicrobatches(module);
  opyard::bindings::BindSchedules(module);
  opyard::bindings::BindDeviceValues(module);
  opyard::bindings::BindTraces(module);
  opyard::bindings::BindLayouts(module);
  opyard::bindings::BindCosts(module);
  opyard::bindings::BindProblem(module);
  opyard::bindings::BindViews(module, plan);
  opyard::bindings::BindEnv(module);
  opyard::bindings::BindStepEnv(module);
  opyard::bindings::BindStepVectorEnv(module);
  opyard::bindings::BindSearch(module);
  opyard::bindings::BindExperiments(module);
  opyard::bindings::BindReplay(module);
  opyard::bindings::GuardClasses(module);
}
