// Examples of one text or of two as a model takes them.
#pragma once

#include <memory>
#include <utility>

#include "transformer/data/examples.h"
#include "transformer/data/piece_links.h"
#include "transformer/models/model.h"
#include "transformer/train/task.h"

namespace transformer::tasks {

class TextExamples : public train::Examples {
 public:
  /// The model says where batches go, and what they cost. linker: null, or finds the links of each batch.
  TextExamples(models::AnyModel model, std::shared_ptr<const data::ExampleSource> source,
               std::shared_ptr<const data::PieceLinker> linker = nullptr)
      : model_(std::move(model)), source_(std::move(source)), linker_(std::move(linker)) {}

  const data::ExampleSource& source() const { return *source_; }
  std::shared_ptr<const data::ExampleSource> shared_source() const { return source_; }

  data::BatchSize size_of(const MicroBatch& examples) const override { return source_->size_of(examples); }
  double flops(const Update& update) const override;
  /// A BatchTensors.
  std::any make_batch(const MicroBatch& examples) const override;

 private:
  models::AnyModel model_;
  std::shared_ptr<const data::ExampleSource> source_;
  std::shared_ptr<const data::PieceLinker> linker_;
};

}  // namespace transformer::tasks
