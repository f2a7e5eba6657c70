// The observations of one environment as arrays for Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "env/environments/environment.h"
#include "env/padded_observation.h"

namespace opyard::bindings {

// Makes the dictionaries of the observations of one lane. The arrays of one
// dictionary lie in one block of memory, which they keep alive together: to copy a block takes less
// time than to allocate 17 arrays.
class ObservationArrays {
 public:
  explicit ObservationArrays(const env::Environment& lane);

  // Fresh arrays of the lane's present observation. REQUIRES: it is always the lane of the
  // constructor, here and below.
  [[nodiscard]] pybind11::dict Make(const env::Environment& lane);
  // The lane has made a legal step: less is written than in full.
  void Update(const env::Environment& lane);
  // The lane has changed in another way: the next observation is written in full.
  void Forget() { is_present_ = false; }

 private:
  // One array: its name, and its place in a block.
  struct Part {
    pybind11::str name;
    pybind11::dtype type;
    std::vector<pybind11::ssize_t> shape;
    std::vector<pybind11::ssize_t> strides;  // in bytes
    std::size_t offset = 0;                  // in bytes
    bool is_observed = true;                 // whether Python sees it
  };

  // A view of the part in `block`: NumPy's own call, since py::array copies shape and strides.
  [[nodiscard]] static pybind11::object ViewOf(const Part& part,
                                               pybind11::array_t<std::uint8_t>& block);
  template <class T>
  void Add(const char* name, std::vector<pybind11::ssize_t> shape, bool is_observed = true);
  // Writes the arrays that stay the same through an episode.
  void WriteConstants(const env::PaddedObservation& padded);
  [[nodiscard]] env::StepObservation StepPart();
  // The array of part `index` in `block_`.
  template <class T>
  [[nodiscard]] std::span<T> PartOf(std::size_t index);

  std::vector<Part> parts_;
  pybind11::dict names_;                               // in order, with None for each array
  std::vector<std::byte> block_;                       // the observation that the last calls wrote
  bool is_present_ = false;                            // false if the lane has changed since
  const env::PaddedObservation* constants_ = nullptr;  // whose arrays are in `block_`
};

}  // namespace opyard::bindings
