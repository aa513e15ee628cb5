// Counting n-grams, exactly (no hashing that could collide) and for words and characters alike.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace transformer::eval {

/// A sentence as numbers: equal numbers mean equal words or characters.
using Units = std::vector<std::uint32_t>;

/// Numbers the words of several sentences, equal words alike; one result for each sentence.
std::vector<Units> number_words(const std::vector<std::vector<std::string>>& sentences);

/// Calls `visit(n, counts)` for n = 1 … max_order and for each n-gram that occurs in any of `sentences`,
/// where counts[i] says how often it occurs in sentences[i]. Time: max_order · L log L for a total length L.
void for_each_ngram(const std::vector<Units>& sentences, int max_order,
                    const std::function<void(int n, std::span<const std::int64_t> counts)>& visit);

}  // namespace transformer::eval
