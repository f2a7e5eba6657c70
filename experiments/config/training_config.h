// Configuration of a training: the graphs that it samples, their tasks, its length and its teacher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/objective.h"

namespace opyard::experiments {

// An entry of `train` in an experiment's `split`: a family of `count` graphs, most often one graph
// alone.
struct TrainingGraphFamily {
  // The name or path of a graph, as everywhere (docs/formats.md). For a family, "{i}" in it stands
  // for the number of a member.
  std::string graph;
  double weight = 1.0;                // sampling weight of the family relative to other entries
  std::int64_t count = 1;             // members have the numbers 0 … count − 1
  std::vector<std::string> hardware;  // names or paths of its machines; empty: the experiment's
  std::string place;  // position in the configuration file, "FILE:LINE:COL", for messages
};

// The agent that searches each problem once, when it is first sampled. The network imitates the
// plan that it finds.
struct TeacherConfig {
  std::string agent = "auto";
  std::int64_t evaluations = 2048;  // budget of its search on each problem
  std::int64_t seed = 0;            // of each search
  std::string folder = "teacher";   // of its plans; relative to the parent of the training's folder
  std::string place;                // position in the configuration file, for messages
};

struct TrainingConfig {
  std::vector<TrainingGraphFamily> graphs;  // empty: the experiment trains nothing
  // Each graph is trained on, on each of its machines, with each of these sets of tasks; empty:
  // with the tasks of the problem alone.
  std::vector<env::TaskSet> tasks;
  // Updates of the network, which the learning-rate and entropy schedules of the agent span.
  std::int64_t num_updates = 1000;
  double save_seconds = 20.0;            // wall time from one saved state to the next
  std::optional<TeacherConfig> teacher;  // none: the network learns from its own plans alone
};

// The name or path of member `index`: `family.graph` with `index` in place of each "{i}". REQUIRES:
// 0 <= index < family.count.
[[nodiscard]] std::string NameOfMember(const TrainingGraphFamily& family, std::int64_t index);

// The graphs, weights, counts and machines of the training as a JSON list. Equal texts mean equal
// names and paths; what files hold is not compared.
[[nodiscard]] std::string TrainingGraphsJson(const TrainingConfig& training);

// The teacher as a JSON map; "null" for none. Its folder is left out, since it changes no plan.
[[nodiscard]] std::string TeacherJson(const TrainingConfig& training);

// The sets of tasks as a JSON list of strings, "placement,fusion"; "[]" for the problem's own
// alone.
[[nodiscard]] std::string TrainingTasksJson(const TrainingConfig& training);

}  // namespace opyard::experiments
