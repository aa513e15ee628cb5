#include "transformer/train/phase_seconds.h"

namespace transformer::train {

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& other) {
  data += other.data;
  forward += other.forward;
  loss += other.loss;
  backward += other.backward;
  exchange += other.exchange;
  optimizer += other.optimizer;
  waiting += other.waiting;
  return *this;
}

std::vector<std::pair<std::string, double>> PhaseSeconds::parts() const {
  return {{"data", data},         {"forward", forward},     {"loss", loss},      {"backward", backward},
          {"exchange", exchange}, {"optimizer", optimizer}, {"waiting", waiting}};
}

}  // namespace transformer::train
