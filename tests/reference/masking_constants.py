"""Prints tests/data/masked_texts_python.h: which tokens of texts are masked, by a second implementation.

Run: python tests/reference/masking_constants.py > tests/data/masked_texts_python.h
     && clang-format -i tests/data/masked_texts_python.h
"""

ALL = 2 ** 64
INCREMENT = 0x9E3779B97F4A7C15


def splitmix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % ALL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % ALL
    return z ^ (z >> 31)


def mix(seed, number):
    return splitmix((seed + (number + 1) * INCREMENT) % ALL)


class Random:
    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        while True:
            self.state = (self.state + INCREMENT) % ALL
            value = splitmix(self.state)
            if value >= (ALL - bound) % bound:
                return value % bound


def masked(text, share, mask, vocabulary, seed):
    candidates = [i for i, token in enumerate(text) if token > 3 and token != mask]
    most = max(1, int(share * len(candidates) + 0.5))
    chosen = sorted(sorted(candidates, key=lambda i: mix(seed, i))[:most])
    ordinary = [token for token in range(4, vocabulary) if token != mask]
    for i in chosen:
        random = Random(mix(seed, i))
        part = random.below(10)
        shown = mask if part < 8 else ordinary[random.below(len(ordinary))] if part == 8 else text[i]
        yield i, text[i], shown


print("// Masked tokens, as place, hidden and shown ones.")
print("// Made by: python tests/reference/masking_constants.py")
print('#pragma once\n\n#include <cstdint>\n#include <vector>\n\n#include "transformer/data/masked_texts.h"\n')
print("namespace transformer::test {\n")
print("/// Of the text 2, 10, 11 … 59, 3 with a share of 0.5, the mask 5 and 90 tokens: for the seeds 7 and 8.")
print("inline const std::vector<std::vector<data::MaskedToken>> masked_by_python{")
for seed in (7, 8):
    print("{" + ", ".join("{%d, %d, %d}" % token for token in masked([2, *range(10, 60), 3], 0.5, 5, 90, seed)) + "},")
print("};\n\n}  // namespace transformer::test")
