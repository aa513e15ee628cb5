// Labels, and their scores.
// Made with scikit-learn 1.9.1, SciPy 1.17.1 and seqeval by:
// python tests/reference/label_scores.py
#pragma once

#include <string>
#include <vector>

namespace transformer::test {

inline const std::vector<std::string> expected_classes{
    "bad",  "bad",   "so-so", "good", "good", "good", "bad",   "good",  "bad",  "good",
    "good", "so-so", "so-so", "good", "bad",  "good", "so-so", "good",  "good", "bad",
    "good", "so-so", "good",  "bad",  "good", "bad",  "bad",   "so-so", "bad",  "good",
    "bad",  "bad",   "good",  "bad",  "bad",  "good", "good",  "good",  "bad",  "so-so"};
inline const std::vector<std::string> found_classes{
    "bad",  "bad",   "so-so", "good", "good", "none", "good",  "good", "bad",  "none",
    "good", "good",  "so-so", "good", "good", "bad",  "so-so", "none", "good", "bad",
    "good", "so-so", "good",  "good", "bad",  "bad",  "good",  "bad",  "none", "bad",
    "none", "bad",   "bad",   "bad",  "bad",  "good", "good",  "bad",  "bad",  "good"};
inline constexpr double accuracy_of_classes = 0.575;
inline constexpr double macro_f1_of_classes = 0.478877005347594;
inline constexpr double matthews_of_classes = 0.364666583958041;
inline constexpr double matthews_of_two = 0.36;
inline const std::vector<std::string> expected_numbers{
    "1.0",  "1.8",  "-0.2", "1.1", "-2.3", "1.1",  "-1.6", "-5.6", "-0.8", "-1.8",
    "0.1",  "0.8",  "1.7",  "2.4", "3.8",  "0.3",  "0.7",  "1.5",  "1.5",  "2.0",
    "-1.4", "-1.1", "2.8",  "2.8", "2.8",  "-0.9", "-0.1", "-2.2", "3.4",  "-3.6"};
inline const std::vector<std::string> found_numbers{
    "0.2",  "0.1",  "-0.9", "1.4", "-2.6", "0.9",  "-0.1", "-1.2", "-1.0", "-1.1",
    "-0.3", "0.3",  "0.1",  "1.2", "4.0",  "-0.2", "1.1",  "1.3",  "0.0",  "2.4",
    "0.3",  "-1.1", "1.5",  "2.0", "-0.8", "-0.4", "-0.9", "-1.4", "3.4",  "-1.2"};
inline constexpr double pearson_of_numbers = 0.757460015381798;
inline constexpr double spearman_of_numbers = 0.819022167903736;
inline const std::vector<std::string> expected_words{
    "B-LOC S-ORG B-PER I-ORG O I-PER I-ORG I-LOC B-PER I-ORG O I-ORG",
    "O B-LOC I-ORG I-LOC B-PER",
    "I-PER I-ORG I-ORG I-ORG I-LOC I-PER",
    "I-PER I-PER E-LOC I-PER I-PER I-ORG S-ORG I-LOC O O",
    "S-ORG B-LOC I-PER I-LOC S-ORG",
    "I-LOC I-LOC O I-PER O I-PER S-ORG I-PER I-LOC I-PER S-ORG O",
    "I-LOC O O E-LOC I-PER S-ORG B-PER E-LOC",
    "I-LOC O E-LOC S-ORG E-LOC O B-PER B-PER B-PER O B-PER",
    "S-ORG B-PER S-ORG I-LOC B-PER I-ORG I-ORG B-PER O O",
    "O I-ORG B-PER E-LOC I-PER I-PER O B-LOC I-PER B-LOC I-ORG I-PER",
    "I-LOC B-LOC I-ORG E-LOC B-PER O I-LOC S-ORG I-ORG E-LOC",
    "B-PER I-ORG B-PER I-ORG I-ORG O S-ORG B-PER O",
    "B-PER B-PER S-ORG",
    "O I-ORG O I-LOC I-ORG I-ORG I-ORG S-ORG O I-ORG",
    "I-PER",
    "B-LOC O O I-ORG",
    "I-ORG O O S-ORG I-LOC I-ORG I-ORG I-PER",
    "B-LOC S-ORG I-ORG I-ORG S-ORG I-ORG I-PER I-ORG B-LOC I-ORG I-PER S-ORG",
    "E-LOC O E-LOC",
    "I-LOC O I-PER E-LOC O I-PER B-LOC O",
    "I-LOC B-PER B-LOC",
    "S-ORG I-PER O",
    "S-ORG B-PER I-PER B-PER E-LOC I-ORG E-LOC",
    "E-LOC I-PER I-LOC I-LOC O I-LOC",
    "I-LOC",
    "S-ORG S-ORG O E-LOC I-LOC I-ORG B-LOC I-ORG O",
    "I-PER O",
    "B-LOC B-LOC",
    "B-PER",
    "B-PER E-LOC B-LOC E-LOC B-PER",
    "I-ORG S-ORG I-LOC O B-LOC O B-PER E-LOC O",
    "O O B-LOC O I-PER",
    "B-LOC O",
    "O I-LOC I-ORG E-LOC B-LOC B-PER O I-ORG",
    "I-PER O B-PER B-LOC O B-PER I-PER B-LOC B-LOC I-ORG I-PER B-LOC",
    "I-ORG B-PER B-LOC I-LOC O B-LOC O O",
    "I-ORG",
    "I-PER I-ORG S-ORG I-PER S-ORG O E-LOC S-ORG I-ORG",
    "I-ORG B-LOC I-PER I-PER I-LOC I-PER B-PER",
    "I-LOC O B-PER O O B-LOC E-LOC",
    "O O E-LOC",
    "B-LOC I-PER B-LOC O S-ORG B-PER B-PER B-LOC S-ORG",
    "B-LOC",
    "I-LOC I-ORG I-LOC I-PER O B-LOC",
    "I-LOC B-PER O I-LOC",
    "O S-ORG B-LOC I-ORG I-PER I-PER I-ORG",
    "O",
    "O B-PER E-LOC O E-LOC",
    "B-LOC",
    "I-PER O I-ORG B-PER E-LOC",
    "S-ORG B-PER B-LOC B-PER O I-ORG",
    "E-LOC I-ORG B-PER I-ORG I-ORG O I-PER O O O B-PER",
    "I-LOC O E-LOC S-ORG I-ORG O O I-ORG I-PER S-ORG B-LOC",
    "S-ORG",
    "I-ORG I-ORG",
    "I-ORG O",
    "S-ORG B-LOC O B-LOC I-PER I-PER I-PER S-ORG S-ORG E-LOC O S-ORG",
    "B-LOC O I-PER O B-PER I-LOC B-LOC B-LOC B-PER O S-ORG",
    "S-ORG",
    "O I-PER S-ORG B-LOC I-ORG"};
inline const std::vector<std::string> found_words{
    "B-LOC S-ORG B-PER I-ORG O S-ORG I-ORG I-LOC S-ORG E-LOC O I-PER",
    "O B-LOC I-ORG I-LOC B-PER",
    "I-PER I-ORG I-ORG I-ORG I-LOC I-PER",
    "E-LOC I-PER E-LOC I-PER I-PER I-ORG S-ORG I-LOC O O",
    "S-ORG B-LOC I-PER I-PER S-ORG",
    "B-LOC I-LOC O I-PER O I-PER S-ORG I-PER I-LOC I-PER B-LOC O",
    "I-LOC E-LOC O E-LOC I-PER O E-LOC I-ORG",
    "I-LOC O E-LOC S-ORG E-LOC O B-PER B-PER B-PER B-PER B-PER",
    "S-ORG B-PER S-ORG I-LOC B-PER I-ORG I-ORG B-PER O O",
    "O I-ORG B-PER I-ORG I-PER S-ORG O B-LOC I-PER B-LOC I-ORG I-PER",
    "I-LOC I-PER E-LOC E-LOC B-PER O I-LOC S-ORG I-ORG E-LOC",
    "B-PER I-ORG B-PER I-ORG O O S-ORG B-PER O",
    "O B-PER S-ORG",
    "O S-ORG O I-LOC I-ORG S-ORG I-ORG S-ORG O I-ORG",
    "I-PER",
    "S-ORG O O I-ORG",
    "I-ORG O O S-ORG B-LOC I-ORG I-ORG I-PER",
    "B-LOC S-ORG I-PER I-ORG S-ORG I-ORG I-PER I-ORG B-LOC I-PER I-PER S-ORG",
    "E-LOC B-LOC E-LOC",
    "I-LOC E-LOC I-PER E-LOC O I-PER B-LOC O",
    "I-LOC B-PER B-LOC",
    "S-ORG I-PER O",
    "S-ORG B-LOC I-PER B-PER E-LOC I-ORG O",
    "S-ORG I-PER S-ORG I-LOC O B-PER",
    "O",
    "S-ORG B-PER O E-LOC I-LOC I-ORG B-LOC I-ORG O",
    "I-PER O",
    "B-LOC B-LOC",
    "B-PER",
    "B-PER E-LOC B-LOC I-LOC B-PER",
    "I-ORG S-ORG I-LOC O I-ORG I-PER B-PER E-LOC O",
    "O O B-LOC O I-PER",
    "B-LOC O",
    "O I-LOC I-ORG E-LOC B-LOC B-PER O O",
    "I-PER O I-LOC B-LOC O O I-PER B-LOC B-LOC I-ORG I-PER B-LOC",
    "O B-PER B-LOC I-LOC E-LOC B-LOC S-ORG O",
    "I-ORG",
    "I-PER B-LOC B-PER I-PER S-ORG O E-LOC S-ORG I-ORG",
    "I-ORG B-LOC I-PER I-PER I-LOC I-PER B-PER",
    "O B-LOC B-PER O O S-ORG E-LOC",
    "O O I-PER",
    "B-LOC O B-LOC O S-ORG B-PER B-PER B-LOC S-ORG",
    "B-LOC",
    "I-LOC I-ORG I-PER I-PER O I-ORG",
    "I-LOC B-PER O I-LOC",
    "O S-ORG I-PER I-LOC I-PER I-PER I-ORG",
    "O",
    "I-PER I-LOC E-LOC O E-LOC",
    "B-LOC",
    "I-PER O I-ORG B-PER E-LOC",
    "S-ORG B-PER B-LOC O O I-ORG",
    "E-LOC I-ORG B-PER I-ORG I-ORG O I-PER O O O B-PER",
    "I-LOC O E-LOC S-ORG I-ORG O O I-ORG I-PER B-LOC B-LOC",
    "E-LOC",
    "I-ORG I-LOC",
    "I-ORG O",
    "S-ORG E-LOC E-LOC B-LOC I-PER I-PER I-PER S-ORG S-ORG E-LOC O E-LOC",
    "B-LOC O I-PER O B-PER I-LOC B-LOC O B-PER O S-ORG",
    "B-LOC",
    "O S-ORG S-ORG B-LOC I-ORG"};
inline constexpr double entity_f1_of_words = 0.775280898876405;
inline constexpr double accuracy_of_words = 0.821621621621622;

}  // namespace transformer::test
