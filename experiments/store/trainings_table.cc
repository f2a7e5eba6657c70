#include "experiments/store/trainings_table.h"

#include "experiments/store/former_rows.h"
#include "experiments/store/schema.h"

namespace opyard::experiments {

std::vector<StoredTraining> TrainingsIn(Database& database) {
  std::vector<StoredTraining> trainings;
  const std::int64_t version = SchemaVersion(database);
  if (version < kFirstWithTrainings) {
    return trainings;
  }
  Statement row = database.Prepare(
      "SELECT id, agent, agent_name, params, settings, num_updates, evaluations, seconds,"
      " cpu_seconds, weights, weights_sha256, version, reproduce FROM trainings ORDER BY id");
  while (row.Step()) {
    trainings.push_back({.id = row.Int(0),
                         .agent = row.Text(1),
                         .agent_name = row.Text(2),
                         .params = row.Text(3),
                         .settings = row.Text(4),
                         .num_updates = row.Int(5),
                         .evaluations = row.Int(6),
                         .seconds = row.Double(7),
                         .cpu_seconds = row.Double(8),
                         .weights = row.Text(9),
                         .weights_sha256 = row.Text(10),
                         .version = row.Text(11),
                         .reproduce = row.Text(12)});
    if (version < kFirstWithNewNames) {
      UseNewNames(trainings.back());
    }
  }
  return trainings;
}

std::int64_t PutTraining(Database& database, const StoredTraining& training) {
  database
      .Prepare(
          "INSERT INTO trainings (agent, agent_name, params, settings, num_updates, evaluations,"
          " seconds, cpu_seconds, weights, weights_sha256, version, reproduce)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT (agent) DO"
          " UPDATE SET agent_name = ?2, params = ?3, settings = ?4, num_updates = ?5,"
          " evaluations = ?6, seconds = ?7, cpu_seconds = ?8, weights = ?9, weights_sha256 = ?10,"
          " version = ?11, reproduce = ?12")
      .Bind(1, training.agent)
      .Bind(2, training.agent_name)
      .Bind(3, training.params)
      .Bind(4, training.settings)
      .Bind(5, training.num_updates)
      .Bind(6, training.evaluations)
      .Bind(7, training.seconds)
      .Bind(8, training.cpu_seconds)
      .Bind(9, training.weights)
      .Bind(10, training.weights_sha256)
      .Bind(11, training.version)
      .Bind(12, training.reproduce)
      .Step();
  Statement id = database.Prepare("SELECT id FROM trainings WHERE agent = ?1");
  static_cast<void>(id.Bind(1, training.agent).Step());
  return id.Int(0);
}

std::vector<StoredBound> BoundsIn(Database& database) {
  std::vector<StoredBound> bounds;
  if (SchemaVersion(database) < kFirstWithTrainings) {
    return bounds;
  }
  Statement row = database.Prepare(
      "SELECT graph, hardware, kind, makespan_ps, source FROM bounds ORDER BY graph, hardware,"
      " kind");
  while (row.Step()) {
    bounds.push_back({.graph = row.Text(0),
                      .hardware = row.Text(1),
                      .kind = row.Text(2),
                      .makespan = SimTime{row.Int(3)},
                      .source = row.Text(4)});
  }
  return bounds;
}

void PutBounds(Database& database, const std::vector<StoredBound>& bounds) {
  Statement insert = database.Prepare("INSERT OR REPLACE INTO bounds VALUES (?1, ?2, ?3, ?4, ?5)");
  for (const StoredBound& bound : bounds) {
    insert.Reset()
        .Bind(1, bound.graph)
        .Bind(2, bound.hardware)
        .Bind(3, bound.kind)
        .Bind(4, bound.makespan.picoseconds)
        .Bind(5, bound.source)
        .Step();
  }
}

}  // namespace opyard::experiments
