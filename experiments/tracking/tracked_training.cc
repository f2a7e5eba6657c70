#include "experiments/tracking/tracked_training.h"

#include <memory>
#include <utility>

#include "experiments/tracking/tracking_listener.h"

namespace opyard::experiments {

TrainingRequest Tracked(TrainingRequest request, Tracker& tracker) {
  const auto listener = std::make_shared<TrackingListener>(tracker);
  request.on_update = [listener,
                       agent = request.agent.label,
                       seed = request.seed,
                       others = std::move(request.on_update)](const TrainingSoFar& so_far,
                                                              const agents::TrainingPoint& point) {
    listener->TrainingWentOn(agent,
                             {.seed = seed,
                              .num_updates = so_far.num_updates,
                              .planned_updates = so_far.planned_updates,
                              .evaluations = so_far.evaluations,
                              .seconds = so_far.seconds,
                              .values = point.values});
    if (others) {
      others(so_far, point);
    }
  };
  return request;
}

}  // namespace opyard::experiments
