"""Prints tests/eval/answer_scores_python.h: exact match and F1 of answers by transformers' copy of SQuAD 2's script.

Run: pip install "transformers<5"
     python tests/reference/answer_scores.py > tests/eval/answer_scores_python.h && clang-format -i tests/eval/answer_scores_python.h
"""

import random

import transformers
from transformers.data.metrics.squad_metrics import compute_exact, compute_f1

random.seed(11)
words = ["the", "a", "An", "cat", "Cat.", "dog", "dog's", "red", "RED,", "U.S.", "us", "1,000", "1000", "Ärger", "--", "well-known"]


def answer():
    return " ".join(random.choice(words) for _ in range(random.randint(1, 5)))


def lines(name, rows):
    print(f"inline const std::vector<std::string> {name}{{" + ", ".join(f'"{row}"' for row in rows) + "};")


def number(name, value):
    print(f"inline constexpr double {name} = {value:.15g};")


pairs = []
for _ in range(60):
    expected = [answer() for _ in range(random.randint(1, 3))]
    found = answer() if random.random() < 0.6 else random.choice(expected).replace("the ", "")
    pairs.append((found, expected))
print("// Answers, and their scores.")
print("// Made with transformers " + transformers.__version__ + " by:")
print("// python tests/reference/answer_scores.py\n#pragma once\n\n#include <string>\n#include <vector>\n")
print("namespace transformer::test {\n")
lines("found_answers", [found for found, _ in pairs])
lines("expected_answers", ["</s>".join(expected) for _, expected in pairs])
number("exact_match_of_answers", sum(max(compute_exact(e, f) for e in es) for f, es in pairs) / len(pairs))
number("answer_f1_of_answers", sum(max(compute_f1(e, f) for e in es) for f, es in pairs) / len(pairs))
print("\n}  // namespace transformer::test")
