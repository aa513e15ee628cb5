#!/usr/bin/env python3
"""Writes a made-up parallel corpus for measuring: words of syllables, as frequent as Zipf's law says, in sentences as
long as those of news. It is the same on every machine.

usage: text.py FOLDER
train.xx, train.yy: sentences of all lengths. length-N.xx, length-N.yy for N of 12, 24, 48, 96: sentences of N - 1
frequent words, N tokens with the end, as each of these words is one piece. dev.xx, dev.yy: 64 of the first kind."""
import itertools
import os
import random
import sys

PAIRS = 15_000  # of train: some 14 updates of 25 000 tokens
WORDS = 40_000  # of each language
FREQUENT = 2_000
TOKENS = 52_000  # of a side of length-N: two updates
LENGTHS = (12, 24, 48, 96)


def lexicon(draw, consonants, vowels):
    """Different words, the frequent ones shorter."""
    words = {}
    while len(words) < WORDS:
        syllables = 1 + sum(len(words) > limit for limit in (60, 2500, 15_000))
        words["".join(draw.choice(consonants) + draw.choice(vowels) for _ in range(syllables + draw.randint(0, 1)))] = 0
    return list(words)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(1)
    languages = {"xx": lexicon(draw, ["b", "d", "k", "l", "m", "n", "st", "tr", "g"], ["a", "e", "i", "o", "u", "an"]),
                 "yy": lexicon(draw, ["p", "t", "sch", "l", "m", "r", "v", "z", "f"], ["ä", "e", "i", "o", "ü", "er"])}
    weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(WORDS)))

    def write(name, lengths, most=WORDS):
        """lengths: words of the source and of the target, for each pair."""
        files = {side: open(f"{folder}/{name}.{side}", "w", encoding="utf-8") for side in languages}
        words_of = {side: words[:most] for side, words in languages.items()}
        shares = weights[:most]
        for pair in lengths:
            for side, length in zip(languages, pair):
                words = draw.choices(words_of[side], cum_weights=shares, k=length)
                files[side].write(" ".join(words) + "\n")
        for file in files.values():
            file.close()

    def news():
        words = min(120, max(1, round(draw.lognormvariate(2.95, 0.55))))
        return words, max(1, round(words * draw.uniform(0.8, 1.25)))

    write("train", [news() for _ in range(PAIRS)])
    write("dev", [news() for _ in range(64)])
    for length in LENGTHS:
        write(f"length-{length}", [(length - 1, length - 1)] * (TOKENS // length), FREQUENT)


main()
