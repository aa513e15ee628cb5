"""Prints tests/eval/label_scores_python.h: scores of labels by scikit-learn, SciPy and seqeval.

Run: pip install scikit-learn scipy seqeval
     python tests/reference/label_scores.py > tests/eval/label_scores_python.h && clang-format -i tests/eval/label_scores_python.h
"""

import random

import scipy
import seqeval.metrics
import sklearn
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

random.seed(7)


def lines(name, rows):
    print(f"inline const std::vector<std::string> {name}{{" + ", ".join(f'"{row}"' for row in rows) + "};")


def number(name, value):
    print(f"inline constexpr double {name} = {value:.15g};")


print("// Labels, and their scores.")
print("// Made with scikit-learn " + sklearn.__version__ + ", SciPy " + scipy.__version__ + " and seqeval by:")
print("// python tests/reference/label_scores.py\n#pragma once\n\n#include <string>\n#include <vector>\n")
print("namespace transformer::test {\n")

expected = [random.choice(["good", "bad", "bad", "so-so"]) for _ in range(40)]
found = [label if random.random() < 0.6 else random.choice(["good", "bad", "none"]) for label in expected]
lines("expected_classes", expected)
lines("found_classes", found)
number("accuracy_of_classes", accuracy_score(expected, found))
number("macro_f1_of_classes", f1_score(expected, found, average="macro"))
number("matthews_of_classes", matthews_corrcoef(expected, found))
number("matthews_of_two", matthews_corrcoef([label == "bad" for label in expected], [label == "bad" for label in found]))

expected = [round(random.gauss(0, 2), 1) for _ in range(30)]
found = [round(value * 0.7 + random.gauss(0, 1), 1) for value in expected]
lines("expected_numbers", expected)
lines("found_numbers", found)
number("pearson_of_numbers", pearsonr(found, expected)[0])
number("spearman_of_numbers", spearmanr(found, expected)[0])

tags = ["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-LOC", "S-ORG", "I-ORG"]
expected = [[random.choice(tags) for _ in range(random.randint(1, 12))] for _ in range(60)]
found = [[tag if random.random() < 0.8 else random.choice(tags) for tag in row] for row in expected]
lines("expected_words", [" ".join(row) for row in expected])
lines("found_words", [" ".join(row) for row in found])
number("entity_f1_of_words", seqeval.metrics.f1_score(expected, found))
number("accuracy_of_words", seqeval.metrics.accuracy_score(expected, found))
print("\n}  // namespace transformer::test")
