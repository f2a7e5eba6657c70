// opyard._core.Problem, and the simulation of single plans.
#include <optional>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "bindings/bindings.h"
#include "env/action_codec.h"
#include "env/baseline_plans.h"
#include "env/problem_fields.h"
#include "env/problem_words.h"
#include "experiments/explain/memory_needs.h"
#include "experiments/explain/report_json.h"
#include "sim/base/error.h"
#include "sim/cost/cost_models.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/plan/queue_name.h"
#include "sim/plan/validate.h"

namespace opyard::bindings {

namespace py = pybind11;

namespace {

std::shared_ptr<env::Problem> MakeProblemOf(const GraphOrReference& graph,
                                            const MachineOrReference& hardware,
                                            const SettingArguments& arguments) {
  const py::gil_scoped_release released;
  env::ProblemSettings settings = ToSettings(arguments);
  return std::make_shared<env::Problem>(env::ProblemSpec{
      .graph = ToGraph(graph), .hardware = ToMachine(hardware), .settings = std::move(settings)});
}

std::shared_ptr<env::Problem> MakeProblem(const GraphOrReference& graph,
                                          const MachineOrReference& hardware,
                                          const std::vector<std::string>& tasks,
                                          const ObjectiveSpec& objective,
                                          const env::UnitsWord& group,
                                          const std::string& fusion,
                                          const std::string& queue,
                                          const MaybeNames& devices,
                                          const std::string& cost_model,
                                          bool contiguous) {
  return MakeProblemOf(graph,
                       hardware,
                       ArgumentsOf(ProblemWords{.tasks = tasks,
                                                .objective = objective,
                                                .group = group,
                                                .fusion = fusion,
                                                .queue = queue,
                                                .devices = devices,
                                                .cost_model = cost_model,
                                                .contiguous = contiguous}));
}

// A problem whose default plan fuses if `plan` does.
std::shared_ptr<env::Problem> ProblemOfPlan(const GraphOrReference& graph,
                                            const MachineOrReference& hardware,
                                            const sim::Plan& plan) {
  const py::gil_scoped_release released;
  return std::make_shared<env::Problem>(
      env::ProblemSpec{.graph = ToGraph(graph),
                       .hardware = ToMachine(hardware),
                       .settings = {.default_fusion = plan.fusion_priority.empty()
                                                          ? env::DefaultFusion::kNone
                                                          : env::DefaultFusion::kFramework}});
}

// The output of `opyard simulate --ops --json`, by the same code.
py::dict Simulate(const env::Problem& problem, const sim::Plan& plan) {
  std::string json;
  {
    const py::gil_scoped_release released;
    sim::Workspace workspace;
    const sim::SimReport report = problem.simulator().RunReport(plan, workspace);
    const std::vector<experiments::MemoryNeed> needs =
        report.failure.has_value() ? experiments::NeedsBeyondCapacity(problem, plan)
                                   : std::vector<experiments::MemoryNeed>();
    json = experiments::ReportJson(
        report, plan, problem.graph(), problem.hardware(), experiments::OpDetail::kWithOps, needs);
  }
  return py::module_::import("json").attr("loads")(json);
}

// The codec of a problem that outlives it.
env::ActionCodec CodecOf(const env::Problem& problem) {
  return env::ActionCodec(
      std::shared_ptr<const env::Problem>(std::shared_ptr<const void>(), &problem));
}

std::vector<std::int32_t> NumChoices(const env::Problem& problem) {
  const env::ActionCodec codec = CodecOf(problem);
  return {codec.num_choices().begin(), codec.num_choices().end()};
}

sim::Plan PlanOfAction(const env::Problem& problem, const py::object& action) {
  const auto numbers = FindAction(action);
  if (!numbers.has_value()) {
    throw PlanError("action#: expected a flat list of whole numbers");
  }
  return CodecOf(problem).Decode(*numbers);
}

// A part that is not given is as in the plans of agents.
sim::Plan MakePlan(const env::Problem& problem,
                   const std::optional<std::vector<std::int64_t>>& placement,
                   const std::optional<std::vector<std::int64_t>>& op_priority,
                   const std::optional<std::vector<std::int64_t>>& fusion_priority,
                   const std::optional<std::string>& queue) {
  const sim::Plan given =
      ToPlan({.placement = placement.value_or(std::vector<std::int64_t>()),
              .queue = queue,
              .op_priority = op_priority.value_or(std::vector<std::int64_t>()),
              .fusion_priority = fusion_priority.value_or(std::vector<std::int64_t>())});
  sim::Plan plan = env::DefaultPlan(problem);
  plan.op_priority = given.op_priority;
  if (queue.has_value() || !given.op_priority.empty()) {
    plan.queue = given.queue;
  }
  if (placement.has_value()) {
    plan.placement = given.placement;
  }
  if (fusion_priority.has_value()) {
    plan.fusion_priority = given.fusion_priority;
  }
  sim::ValidatePlan(problem.graph(), problem.hardware(), plan);
  return plan;
}

// The state that makes an equal problem: its graph, its machine, and its settings.
py::tuple StateOf(const env::Problem& problem) {
  const env::ProblemSpec& spec = problem.spec();
  return py::make_tuple(std::const_pointer_cast<sim::OpGraph>(spec.graph),
                        std::const_pointer_cast<sim::HardwareProfile>(spec.hardware)) +
         SettingsTuple(spec.settings);
}

// The settings as text, comparable and hashable: equal problems are those of equal graphs, machines
// and settings.
py::tuple KeyOf(const env::Problem& problem) {
  py::list key;
  key.append(problem.graph().name());
  key.append(problem.graph().num_ops());
  key.append(problem.hardware().name);
  for (const auto& [at, value] : env::PrintSettings(env::Door::kCaller, problem.settings())) {
    key.append(env::SettingText(value));
  }
  return py::tuple(key);
}

bool AreEqual(const env::Problem& a, const env::Problem& b) {
  return KeyOf(a).equal(KeyOf(b)) && StateOf(a).equal(StateOf(b));
}

std::string ProblemText(const env::Problem& problem) {
  std::string text = "<opyard.Problem " + ProblemTitle(problem) + ": " +
                     env::TasksText(problem.tasks()) + " of " +
                     CountText(static_cast<std::size_t>(problem.grouping().num_groups), "group");
  text += ", " + env::ObjectiveText(problem.objective());
  const env::ProblemSettings& settings = problem.settings();
  text += settings.devices.empty() ? "" : ", on " + JoinNames(settings.devices) + " only";
  text += settings.cost_model == sim::kDefaultCostModel ? "" : ", costs of " + settings.cost_model;
  text += settings.contiguous ? ", contiguous" : "";
  return text + ">";
}

std::shared_ptr<env::Problem> ProblemOf(const py::tuple& state) {
  if (state.size() < 2) {
    throw InputError("pickled problem: it was pickled by another version of opyard");
  }
  return MakeProblemOf(py::cast<GraphOrReference>(state[0]),
                       py::cast<MachineOrReference>(state[1]),
                       ArgumentsIn(py::tuple(state[py::slice(2, state.size(), 1)])));
}

// A getter of the setting that has this keyword.
auto Setting(const char* name) {
  return [name](const env::Problem& self) { return ArgumentsOf(self.settings()).at(name); };
}

void BindMaking(ProblemClass& problem) {
  const env::ProblemSettings defaults = env::DefaultsAt(env::Door::kCaller);
  problem.def(py::init(&MakeProblem),
              py::arg("graph"),
              py::arg("hardware"),
              py::kw_only(),
              py::arg("tasks") = env::NamesOf(defaults.tasks),
              py::arg("objective") = env::ObjectiveText(defaults.objective),
              py::arg("group") = kDefaultGroup,
              py::arg("fusion") = NameOf(defaults.default_fusion),
              py::arg("queue") = NameOf(defaults.default_queue),
              py::arg("devices") = py::none(),
              py::arg("cost_model") = defaults.cost_model,
              py::arg("contiguous").noconvert() = defaults.contiguous,
              R"(Poses a problem.

Args:
    graph: A graph, or its reference: a path or a name as `load_graph` takes it.
    hardware: A machine, or its reference as `load_machine` takes it.
    tasks: What is decided, some of ``"placement"``, ``"scheduling"`` and ``"fusion"``.
    objective: ``"makespan"``, ``"peak_memory"`` or
        ``{"weighted": {"makespan": 1, "peak_memory": 0.1}}``, for which ``"weighted:1:0.1"`` is
        short.
    group: What is decided together: ``"colocation"`` (co-located ops, coarsened to 512 groups),
        ``"none"`` (single ops, co-located ones together), or the greatest number of groups. The
        words of `decide_per` in experiments, ``"group"`` and ``"op"``, mean the same two.
        ``"module"`` decides the ops of an innermost module together, ``"module:2"`` those of a
        module at depth 2.
    fusion: What fuses where fusion is no task: ``"framework"`` is all that may, ``"none"`` nothing,
        as in an eager runtime, ``"module"`` what may inside of the modules of `group`.
    queue: The queues of devices where scheduling is no task: ``"fifo"``, in the order in which ops
        become ready, or ``"priority"``, which orders alike as long as a plan has no priorities. Or
        that of all plans: ``"program"``, each device its ops by topological index, or ``"order"``,
        in an order that is decided where scheduling is a task, and else by topological index.
    devices: Names of the devices that ops may be placed on, by default all of the machine. Copies
        may pass over the others; observations and `arrays` still have them, masked.
    cost_model: What ops take: ``"roofline"``, or ``"peak_roofline"``, that of the data sheet, which
        is too fast.
    contiguous: Whether devices follow the network's order: each has one run of modules, or of
        groups. Other plans are evaluated as the nearest one that does (docs/formats.md).

Raises:
    InputError: An argument, the graph or the machine is not legal, or an op may run on no device.
        All errors of the arguments are reported at once.
    UnsupportedError: The machine asks for what is not simulated.
)");
  BindCopies(problem);
  BindEquality(problem, &AreEqual, &KeyOf);
  problem.def("__repr__", &ProblemText);
  BindNotebook(problem, "problem_html");
  problem.def(py::pickle(&StateOf, &ProblemOf));
}

std::vector<std::string> DevicesForOps(const env::Problem& problem) {
  std::vector<std::string> names;
  for (const DeviceId device : problem.devices()) {
    names.push_back(problem.hardware().devices[device.index()].name);
  }
  return names;
}

void BindFigures(ProblemClass& problem) {
  problem
      .def_property_readonly(
          "graph",
          [](const env::Problem& self) {
            return std::const_pointer_cast<sim::OpGraph>(self.shared_graph());
          },
          "The graph.")
      .def_property_readonly(
          "hardware",
          [](const env::Problem& self) {
            return std::const_pointer_cast<sim::HardwareProfile>(self.shared_hardware());
          },
          "The machine.")
      .def_property_readonly("tasks", Setting("tasks"), "What is decided.")
      .def_property_readonly("objective", Setting("objective"), "What is made small.")
      .def_property_readonly(
          "group",
          Setting("group"),
          "What is decided together: the greatest number of groups, or ``\"op\"``.")
      .def_property_readonly("fusion", Setting("fusion"), "What fuses where fusion is no task.")
      .def_property_readonly(
          "queue", Setting("queue"), "The queues of devices where scheduling is no task.")
      .def_property_readonly(
          "devices",
          &DevicesForOps,
          "The names of the devices that ops may be placed on, in the order of the machine.")
      .def_property_readonly(
          "cost_model",
          [](const env::Problem& self) { return self.settings().cost_model; },
          "What ops take, by the name of a model.")
      .def_property_readonly(
          "contiguous",
          [](const env::Problem& self) { return self.settings().contiguous; },
          "Whether devices follow the network's order.")
      .def_property_readonly(
          "problem_bound_s",
          [](const env::Problem& self) { return self.problem_bound().seconds(); },
          "A step time in seconds that no plan beats.")
      .def_property_readonly(
          "num_groups",
          [](const env::Problem& self) { return self.grouping().num_groups; },
          "How many groups of ops are decided together.")
      .def_property_readonly(
          "group_of_op",
          [](const env::Problem& self) { return self.grouping().group_of; },
          "The group of each op.")
      .def_property_readonly(
          "num_choices",
          &NumChoices,
          "How many choices each decision of an action has: devices of the groups, then priority "
          "levels, then fusion levels, as far as they are tasks.");
}

void BindPlans(ProblemClass& problem) {
  problem
      .def("plan",
           &MakePlan,
           py::arg("placement") = py::none(),
           py::arg("op_priority") = py::none(),
           py::kw_only(),
           py::arg("fusion_priority") = py::none(),
           py::arg("queue") = py::none(),
           R"(Makes a plan for this problem; what is not given is as in the plans of agents.

Args:
    placement: One device index per op; by default all on the first accelerator, where they may.
    op_priority: One whole number in ±2^53 per op, higher runs first; by default all are equal.
    fusion_priority: One whole number from 0 to 1,000,000 per op, higher fuses first, 0 never. By
        default the problem's `fusion`: 1 for each op under ``"framework"``. Empty: nothing fuses.
    queue: ``"fifo"`` or ``"priority"``; by default ``"priority"`` if op_priority is given, else
        the problem's `queue`.

Raises:
    InputError: A number that no plan holds, by its list and index.
    PlanError: The plan does not fit the graph and the machine.
)")
      .def("plan_of_action",
           &PlanOfAction,
           py::arg("action"),
           R"(The plan that an action stands for.

Args:
    action: One choice per decision, as `num_choices` counts them: an array of any integer type, or
        a sequence of ints.

Raises:
    PlanError: The action is not legal.
)")
      .def("baseline_plans", &env::BaselinePlans, R"(Simple rule-based plans, none of them searched.

Returns:
    Everything on one device, for each device, and the graph cut into one run of ops per
    accelerator.
)")
      .def("simulate", &Simulate, py::arg("plan"), R"(Simulates one plan.

Returns:
    A dict with the fields of ``opyard simulate --ops --json``. Running out of memory is an outcome.

Raises:
    PlanError: The plan does not fit the graph and the machine.
)");
}

}  // namespace

void BindProblem(py::module_& module) {
  ProblemClass problem(
      module, "Problem", R"(A graph, a machine, the open decisions and the objective.

Immutable; threads may share it. Problems that ask the same of equal graphs and machines are equal,
with equal hashes. Can be pickled, with its graph and machine: no file is needed to load it again.
)");
  BindMaking(problem);
  BindFigures(problem);
  BindPlans(problem);
  BindProblemArrays(problem);
  module.def(
      "simulate",
      [](const GraphOrReference& graph, const MachineOrReference& hardware, const sim::Plan& plan) {
        return Simulate(*ProblemOfPlan(graph, hardware, plan), plan);
      },
      py::arg("graph"),
      py::arg("hardware"),
      py::arg("plan"),
      R"(Simulates one plan.

Args:
    graph: A graph, or its reference.
    hardware: A machine, or its reference.
    plan: What is executed. Nothing fuses if it has no fusion priorities.

Returns:
    A dict with the fields of ``opyard simulate --ops --json``. Running out of memory is an outcome.

Raises:
    InputError: The graph or the machine is not legal.
    PlanError: The plan does not fit them.
)");
}

}  // namespace opyard::bindings
