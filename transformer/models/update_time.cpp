#include "transformer/models/update_time.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "transformer/models/size.h"
#include "transformer/runtime/device_choices.h"

namespace transformer::models {
namespace {

/// Adds up operations by their kinds, in the order in which the kinds first come.
class Tally {
 public:
  explicit Tally(const Device& device) : device_(device) {}

  /// Returns the seconds on the device.
  double add(const std::string& name, double launches, double bytes, double flops = 0) {
    auto found = std::ranges::find(time_.operations, name, &OperationCost::name);
    if (found == time_.operations.end()) found = time_.operations.insert(found, {.name = name});
    const double seconds = std::max(flops / device_.flops_per_second, bytes / device_.bytes_per_second);
    found->launches += launches, time_.launches += launches;
    found->flops += flops, time_.flops += flops;
    found->bytes += bytes, time_.bytes += bytes;
    found->seconds += seconds, time_.device_seconds += seconds;
    return seconds;
  }

  UpdateTime finish(std::vector<BackwardPart> backward) {
    time_.backward = std::move(backward);
    time_.host_seconds = time_.launches * device_.launch_seconds;
    return std::move(time_);
  }

 private:
  Device device_;
  UpdateTime time_;
};

constexpr const char* kProducts = "products of layers";
constexpr const char* kOutput = "products of the output projection";
constexpr const char* kAttention = "attention";
constexpr const char* kNorms = "dropout, residual, norm";
constexpr const char* kActivation = "activation, biases' gradients";
constexpr const char* kGradients = "adding up gradients";
constexpr const char* kEmbeddings = "embeddings, positions";
constexpr const char* kLoss = "softmax and loss";
constexpr const char* kOptimizer = "optimiser, weights' copies";
constexpr double kFp32 = 4;

/// The forward and backward pass of one micro-batch.
class Pass {
 public:
  Pass(const ModelOptions& options, const VocabularySizes& vocabulary, const UpdateShape& shape, Tally& tally)
      : o_(options),
        tally_(tally),
        tokens_(shape.tokens / shape.micro_batches),
        length_(shape.length),
        element_(shape.element),
        d_model_(static_cast<double>(options.d_model)),
        source_vocabulary_(static_cast<double>(vocabulary.source)),
        target_vocabulary_(static_cast<double>(vocabulary.target)) {}

  /// The steps in the order of tensors.h. Returns what their backward passes take.
  std::vector<BackwardPart> run() {
    embedding(source_vocabulary_, /*is_shared=*/nn::ties_embeddings(o_.tie));
    for (std::int64_t i = 0; i < o_.encoder_layers; ++i) encoder_layer();
    embedding(target_vocabulary_, /*is_shared=*/nn::ties_output(o_.tie));
    for (std::int64_t i = 0; i < o_.decoder_layers; ++i) decoder_layer(/*first=*/i == 0);
    loss();
    return std::move(parts_);
  }

 private:
  bool half() const { return element_ < kFp32; }
  double keys() const { return static_cast<double>(o_.heads * o_.d_k); }
  double values() const { return static_cast<double>(o_.heads * o_.d_v); }
  /// Bytes of activations so many numbers wide.
  double rows(double width) const { return element_ * tokens_ * width; }

  void begin_part() { parts_.emplace_back(); }
  void forward(const char* name, double launches, double bytes, double flops = 0) {
    tally_.add(name, launches, bytes, flops);
  }
  void backward(const char* name, double launches, double bytes, double flops = 0) {
    parts_.back().launches += launches;
    parts_.back().seconds += tally_.add(name, launches, bytes, flops);
  }

  /// A product, and in backward one for each gradient, the weight's in fp32.
  void linear(double from, double to, bool bias, bool relu = false, const char* name = kProducts) {
    const double flops = 2 * tokens_ * from * to, weight = from * to;
    const double traffic = rows(from) + rows(to);
    forward(name, 1, traffic + element_ * weight, flops);
    backward(name, 1, traffic + element_ * weight, flops);
    backward(name, 1, traffic + kFp32 * weight, flops);
    if (relu)  // the gradient in front of it, and in the same pass sums for the bias
      backward(kActivation, 2, 3 * rows(to));
    else if (bias)
      backward(kActivation, 1, rows(to));
  }

  /// Whether the kernel for short sentences computes (ops/short_attention.h).
  bool is_short() const {
    const auto known = [](std::int64_t size) { return size % 16 == 0 && size <= 64; };
    return half() && length_ <= 64 && o_.attention_dropout == 0 && known(o_.d_k) && known(o_.d_v);
  }

  /// Whether the kernel writes the gradients of queries, keys and values behind each other
  /// (ops/device_attention.h).
  bool joins_gradients(bool self) const {
    const bool flash = half() && length_ > static_cast<double>(runtime::device_choices().short_attention);
    return is_short() || (self && o_.d_k == o_.d_v && !flash);
  }

  /// joined: how many of queries, keys and values one gradient is put together from.
  void attention(double joined) {
    const double flops = 2 * tokens_ * length_ * (keys() + values());
    const double inputs = rows(2 * keys() + values()), output = rows(values());
    forward(kAttention, 1, inputs + output, flops);
    backward(kAttention, 1, 2 * inputs + 2 * output, 2 * flops);  // and the weights once more, not counted
    if (joins_gradients(joined == 3)) return;
    backward(kGradients, 1, 2 * rows((joined - 1) * keys() + values()));
  }

  /// The residual connection around a sublayer, with the sum of the two gradients of what it reads.
  void residual_norm() {
    const double activations = rows(d_model_);
    forward(kNorms, 1, 4 * activations);
    backward(kNorms, 1, (o_.dropout > 0 ? 4 : 3) * activations);
    backward(kNorms, 2, 2 * activations);  // those of its weights: of chunks of rows, and their sum
    backward(kGradients, 1, 3 * activations);
  }

  void self_attention() {
    begin_part();
    linear(d_model_, 2 * keys() + values(), o_.attention_bias);
    attention(/*joined=*/3);
    linear(values(), d_model_, o_.attention_bias);
    residual_norm();
  }

  void cross_attention(bool first) {
    begin_part();
    linear(d_model_, keys(), o_.attention_bias);
    linear(d_model_, keys() + values(), o_.attention_bias);
    attention(/*joined=*/2);
    linear(values(), d_model_, o_.attention_bias);
    residual_norm();
    if (!first) backward(kGradients, 1, 3 * rows(d_model_));  // those of the encoder's output
  }

  void feed_forward() {
    begin_part();
    const auto d_ff = static_cast<double>(o_.d_ff);
    linear(d_model_, d_ff, /*bias=*/true, /*relu=*/true);
    linear(d_ff, d_model_, /*bias=*/true);
    residual_norm();
  }

  void encoder_layer() {
    self_attention();
    feed_forward();
  }

  void decoder_layer(bool first) {
    self_attention();
    cross_attention(first);
    feed_forward();
  }

  /// is_shared: its matrix is that of a later part, too.
  void embedding(double vocabulary, bool is_shared) {
    begin_part();
    const double numbers = tokens_ * d_model_, fp32 = kFp32 * numbers, matrix = kFp32 * vocabulary * d_model_;
    forward(kEmbeddings, 1, 2 * fp32);                                          // looked up
    forward(kEmbeddings, 1, 2 * fp32);                                          // times √d_model
    forward(kEmbeddings, 1, 2 * fp32);                                          // positions looked up
    forward(kEmbeddings, 1, 3 * fp32);                                          // added
    backward(kEmbeddings, 1, 2 * fp32);                                         // the gradient of the scale
    backward(kEmbeddings, 2, 2 * fp32 + matrix);                                // of the matrix, from zeros
    if (nn::are_learned_vectors(o_.positions)) backward(kEmbeddings, 1, fp32);  // their gradient
    if (half()) {
      forward(kEmbeddings, 1, fp32 + rows(d_model_));
      backward(kEmbeddings, 1, fp32 + rows(d_model_));
    }
    if (o_.dropout > 0) {
      forward(kEmbeddings, 1, 2 * rows(d_model_));
      backward(kEmbeddings, 1, 2 * rows(d_model_));
    }
    if (is_shared) backward(kGradients, 1, 3 * matrix);
  }

  void loss() {
    begin_part();
    linear(d_model_, target_vocabulary_, o_.output_bias, /*relu=*/false, kOutput);
    forward(kLoss, 1, 3 * rows(target_vocabulary_));  // two passes over the logits, in place
    forward(kLoss, half() ? 29 : 26, 0);              // on labels, sums and single numbers
  }

  const ModelOptions& o_;
  Tally& tally_;
  std::vector<BackwardPart> parts_;
  double tokens_, length_, element_, d_model_, source_vocabulary_, target_vocabulary_;
};

}  // namespace

std::optional<std::string> unpredicted(const ModelOptions& options) {
  using O = ModelOptions;
  // Of other choices than these the paper's value alone.
  const auto knows = [](auto value) {
    if constexpr (std::is_same_v<decltype(value), nn::Positions>)
      return nn::are_vectors(value);
    else
      return std::is_same_v<decltype(value), nn::Tie>;
  };
  return other_option(options, knows, &O::attention_bias, &O::output_bias, &O::norm_epsilon, &O::rotary_base,
                      &O::max_positions, &O::relative_distance);
}

UpdateTime predict_update(const ModelOptions& options, const VocabularySizes& vocabulary,
                          const UpdateShape& shape, const Device& device) {
  Tally tally(device);
  std::vector<BackwardPart> backward;
  for (double i = 0; i < shape.micro_batches; ++i) backward = Pass(options, vocabulary, shape, tally).run();
  const auto parameters = static_cast<double>(count_parameters(options, vocabulary).total());
  const double added = shape.buckets > 0 ? shape.micro_batches : shape.micro_batches - 1;
  if (shape.buckets > 0) tally.add(kGradients, shape.buckets, kFp32 * parameters);  // zeros
  const double tensors = static_cast<double>(tensors_of(options, vocabulary).size());
  tally.add(kGradients, added * tensors, added * 3 * kFp32 * parameters);
  tally.add(kOptimizer, 19, kFp32 * parameters);  // the norm, and what follows from it
  // One kernel for matrices and one for the rest: weights and what is kept are read and written, gradients
  // read.
  tally.add(kOptimizer, 2, (2 * (1 + shape.kept_numbers) + 1) * kFp32 * parameters);
  tally.add(kOptimizer, 1, (kFp32 + shape.element) * parameters);
  return tally.finish(std::move(backward));
}

}  // namespace transformer::models
