// A model's weights on their way to other programs' formats.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "transformer/models/model.h"

namespace transformer::formats {

/// By the model's own parameter names (a tied matrix once), on the CPU, fp32.
using Weights = std::map<std::string, torch::Tensor>;

Weights weights_of(const models::AnyModel& model);

/// Throws InputError, naming key and value, if the model has a variant from outside, since readers of
/// `format` cannot know it.
void check_no_variants(const models::ModelOptions& options, const char* format);

/// The same for layers with another structure than the paper's. Pre-norm is allowed.
void check_paper_layers(const models::ModelOptions& options, const char* format);

/// The same if positions are not vectors that are added to the embeddings, the only ones that `format` knows.
void check_vector_positions(const models::ModelOptions& options, const char* format);

/// Pads heads to `size` numbers for each of queries, keys and values. The function stays the same. New
/// numbers are zeros. Queries are multiplied by √(size / d_k), since scores are divided by the root of the
/// larger size. The options d_k and d_v become `size`, which must not be less than either.
void pad_heads(Weights& weights, models::ModelOptions& options, std::int64_t size);

/// The same where queries and keys must stay as wide as they are, for rotations or norms of them: values get
/// d_k numbers. Throws InputError, naming model.d_v, if they have more.
void pad_values(Weights& weights, models::ModelOptions& options, const char* format);

/// The same function with biases in attention, all zeros; options.attention_bias becomes true.
void add_attention_biases(Weights& weights, models::ModelOptions& options);

/// A model with these weights, in evaluation mode. `source` names their origin in messages. Throws InputError
/// unless names and shapes are exactly the model's.
models::AnyModel model_with(const Weights& weights, const models::ModelOptions& options,
                            const models::VocabularySizes& vocabulary, const std::string& source);

}  // namespace transformer::formats
