// Examples of one text or of two as a model takes them.
#pragma once

#include <memory>
#include <utility>

#include "transformer/data/examples.h"
#include "transformer/models/model.h"
#include "transformer/train/task.h"

namespace transformer::tasks {

class TextExamples : public train::Examples {
 public:
  /// The model says where batches go, and what they cost.
  TextExamples(models::AnyModel model, std::shared_ptr<const data::ExampleSource> source)
      : model_(std::move(model)), source_(std::move(source)) {}

  const data::ExampleSource& source() const { return *source_; }
  std::shared_ptr<const data::ExampleSource> shared_source() const { return source_; }

  data::BatchSize size_of(const MicroBatch& examples) const override { return source_->size_of(examples); }
  double flops(const Update& update) const override;
  /// A BatchTensors.
  std::any make_batch(const MicroBatch& examples) const override;

 private:
  models::AnyModel model_;
  std::shared_ptr<const data::ExampleSource> source_;
};

}  // namespace transformer::tasks
