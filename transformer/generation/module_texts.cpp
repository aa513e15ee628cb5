#include "transformer/generation/module_texts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace transformer::generation {
namespace {

torch::Tensor to_ids(const std::vector<std::int64_t>& ids, std::int64_t rows, const torch::Device& device) {
  return torch::tensor(ids, torch::kLong).view({rows, -1}).to(device);
}

}  // namespace

ModuleTexts::ModuleTexts(models::AnyModel model)
    : model_(std::move(model)), language_(models::language_model(*model_)) {}

void ModuleTexts::keep(const torch::Tensor& logits, const std::vector<std::int64_t>& texts,
                       const Places& places) {
  const auto rows = logits.flatten(0, 1).to(torch::kCPU, torch::kFloat).contiguous();
  const auto width = static_cast<std::size_t>(vocabulary());
  const auto* row = rows.const_data_ptr<float>();
  for (const auto text : texts) {
    std::copy_n(row, width, logits_.data() + places.at(text) * width);
    row += width;
  }
}

/// All of these are new, and have as many tokens each.
void ModuleTexts::begin(std::span<const Reading> readings, const Places& places) {
  Group group;
  std::vector<std::int64_t> first, last;
  for (const auto& reading : readings) {
    group.rows.push_back(std::ssize(group.texts));
    group.texts.push_back(reading.text);
    first.insert(first.end(), reading.tokens.begin(), reading.tokens.end() - 1);
    last.push_back(reading.tokens.back());
  }
  const auto rows = std::ssize(group.texts);
  const auto device = model_->device();
  group.state = language_.start(first.empty() ? torch::empty({rows, 0}, torch::kLong).to(device)
                                              : to_ids(first, rows, device));
  keep(language_.step(to_ids(last, rows, device), *group.state), group.texts, places);
  groups_.push_back(std::move(group));
}

void ModuleTexts::go_on(Group& group, std::span<const Reading> readings, const Places& places) {
  const auto rows = std::ssize(group.texts);
  std::vector<std::int64_t> in_order(group.texts.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  if (group.rows != in_order || group.state->sentences() != rows) {
    const auto places = torch::tensor(group.rows).to(model_->device());
    group.state->select_hypotheses(places);
    group.state->select_sentences(places);
    group.rows = in_order;
  }
  const auto count = readings[places.at(group.texts.front())].tokens.size();
  torch::Tensor logits;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> ids;
    for (const auto text : group.texts) ids.push_back(readings[places.at(text)].tokens[i]);
    logits = language_.step(to_ids(ids, rows, model_->device()), *group.state);
  }
  keep(logits, group.texts, places);
}

std::span<const float> ModuleTexts::read(std::span<const Reading> readings) {
  Places places;
  std::map<std::size_t, std::vector<Reading>> beginnings;  // by their lengths
  for (const auto& reading : readings) places.emplace(reading.text, places.size());
  TORCH_CHECK(places.size() == readings.size(), "a text is read once at a time");
  logits_.resize(readings.size() * static_cast<std::size_t>(vocabulary()));
  auto unread = places;
  for (auto& group : groups_) {
    const auto here = std::ranges::count_if(group.texts, [&](auto text) { return places.contains(text); });
    if (here == 0) continue;
    TORCH_CHECK(here == std::ssize(group.texts), "the texts of a group are read together");
    go_on(group, readings, places);
    for (const auto text : group.texts) unread.erase(text);
  }
  for (const auto& reading : readings)
    if (unread.contains(reading.text)) beginnings[reading.tokens.size()].push_back(reading);
  for (const auto& [length, group] : beginnings) begin(group, places);
  return logits_;
}

ModuleTexts::Group& ModuleTexts::group_of(std::int64_t text) {
  const auto found = std::ranges::find_if(
      groups_, [&](const Group& group) { return std::ranges::count(group.texts, text) > 0; });
  TORCH_CHECK(found != groups_.end(), "expected a text that was read");
  return *found;
}

void ModuleTexts::fork(std::int64_t from, std::int64_t to) {
  auto& group = group_of(from);
  const auto place = std::ranges::find(group.texts, from) - group.texts.begin();
  group.rows.push_back(group.rows[static_cast<std::size_t>(place)]);
  group.texts.push_back(to);
}

void ModuleTexts::forget(std::int64_t text) {
  auto& group = group_of(text);
  const auto place = std::ranges::find(group.texts, text) - group.texts.begin();
  group.texts.erase(group.texts.begin() + place);
  group.rows.erase(group.rows.begin() + place);
  std::erase_if(groups_, [](const Group& any) { return any.texts.empty(); });
}

}  // namespace transformer::generation
