// Examples of one text or of two, known by their numbers, from which batches are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/data/batching.h"
#include "transformer/data/dataset.h"
#include "transformer/data/length_order.h"

namespace transformer::data {

/// The examples of one epoch, or of an evaluation. Nothing of them changes, so that any thread may ask for
/// any batch.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;

  virtual std::int64_t size() const = 0;

  /// Tokens of example i, end tokens counted; the source's are 0 where there is none. This and make_batch
  /// throw std::out_of_range for an example that there is not.
  virtual Tokens<std::int64_t> length(std::int64_t i) const = 0;
  virtual Batch make_batch(std::span<const std::int64_t> indices) const = 0;

  BatchSize size_of(std::span<const std::int64_t> indices) const;
  std::vector<Length> lengths() const;  ///< of all
};

/// Those of a data set, as they are.
class StoredExamples : public ExampleSource {
 public:
  /// The data set is used as long as this lives.
  explicit StoredExamples(const Dataset& data) : data_(data) {}

  std::int64_t size() const override { return data_.size(); }
  Tokens<std::int64_t> length(std::int64_t i) const override;
  Batch make_batch(std::span<const std::int64_t> indices) const override {
    return data::make_batch(data_, indices);
  }

 private:
  const Dataset& data_;
};

}  // namespace transformer::data
