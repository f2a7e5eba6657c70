// Configuration of a training: the graphs that it samples, and how long it goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/objective.h"

namespace opyard::experiments {

// An entry of a split's `train`: a graph, or a family of them.
struct TrainingGraphs {
  std::string graph;                  // a reference; of a family with "{i}", the number of a member
  double weight = 1.0;                // how often it is sampled, against the other entries
  std::int64_t count = 1;             // members of a family, 0 … count − 1
  std::vector<std::string> hardware;  // machines that it is sampled on; empty: the experiment's
  std::string place;                  // where it stands, for messages: "FILE:LINE:COL"
};

// Whose plans are imitated first.
struct TeacherConfig {
  std::string agent = "auto";
  std::int64_t evaluations = 2048;  // of its search on each problem
  std::int64_t seed = 0;
  std::string folder = "teacher";  // of its plans, beside the folder of the training
  std::string place;               // where it stands, for messages
};

struct TrainingConfig {
  std::vector<TrainingGraphs> graphs;    // empty: the experiment trains nothing
  std::vector<env::TaskSet> tasks;       // what is decided of each; empty: what the problem says
  std::int64_t num_updates = 1000;       // schedules stretch over them
  double save_seconds = 20.0;            // of wall time, from one saved state to the next
  std::optional<TeacherConfig> teacher;  // none: the network learns from its own plans alone
};

// The reference of one member. REQUIRES: 0 <= index < graphs.count.
[[nodiscard]] std::string MemberOf(const TrainingGraphs& graphs, std::int64_t index);

// The graphs of the training as a JSON list: equal text, equal graphs by name.
[[nodiscard]] std::string TrainingGraphsJson(const TrainingConfig& training);

// The teacher as a JSON map without its folder, which changes no plan; null for none.
[[nodiscard]] std::string TeacherJson(const TrainingConfig& training);

// The tasks decided for each graph, as a JSON list of texts; [] for what the problem says.
[[nodiscard]] std::string TrainingTasksJson(const TrainingConfig& training);

}  // namespace opyard::experiments
