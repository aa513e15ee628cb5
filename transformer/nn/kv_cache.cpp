#include "transformer/nn/kv_cache.h"

namespace transformer::nn {

void KeyValue::append(const KeyValue& later) {
  if (!keys.defined()) {
    *this = later;
    return;
  }
  keys = torch::cat({keys, later.keys}, 2);
  values = torch::cat({values, later.values}, 2);
}

void KeyValue::select(const torch::Tensor& rows) {
  if (!keys.defined()) return;
  keys = keys.index_select(0, rows);
  values = values.index_select(0, rows);
}

void DecoderCache::select_hypotheses(const torch::Tensor& rows) {
  for (auto& layer : layers) layer.self.select(rows);
}

void DecoderCache::select_sentences(const torch::Tensor& rows) {
  source_mask = source_mask.index_select(0, rows);
  for (auto& layer : layers) layer.source.select(rows);
}

}  // namespace transformer::nn
