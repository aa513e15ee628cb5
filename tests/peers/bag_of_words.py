#!/usr/bin/env python3
"""A bag of words with logistic regression: what a classifier of sentences has to beat.

usage: bag_of_words.py TRAIN.tsv DEV.tsv [--predictions FILE] [--decay 1e-5] [--bigrams]
Both files have a text, a tab and a label in each line. Words (and pairs of them) count once a text. Prints the accuracy
on DEV. With --predictions, labels of another classifier, a line for each of DEV's, it prints that one's accuracy and the
two-sided p of McNemar's exact test."""
import argparse
import math
import warnings

import torch

warnings.filterwarnings("ignore", module="torch|__main__")
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("train")
parser.add_argument("dev")
parser.add_argument("--predictions")
parser.add_argument("--decay", type=float, default=1e-5)
parser.add_argument("--bigrams", action="store_true")
a = parser.parse_args()


def read(path):
    return [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]


def features(text):
    words = text.split()
    return set(words) | ({" ".join(pair) for pair in zip(words, words[1:])} if a.bigrams else set())


train, dev = read(a.train), read(a.dev)
labels = sorted({label for _, label in train})
places = {}
for text, _ in train:
    for feature in sorted(features(text)):
        places.setdefault(feature, len(places))


def matrix(rows):
    pairs = [(i, places[f]) for i, (text, _) in enumerate(rows) for f in sorted(features(text)) if f in places]
    return torch.sparse_coo_tensor(torch.tensor(pairs).t(), torch.ones(len(pairs)), (len(rows), len(places))).to_sparse_csr()


torch.manual_seed(1)
x, y = matrix(train), torch.tensor([labels.index(label) for _, label in train])
weight, bias = torch.zeros(len(places), len(labels), requires_grad=True), torch.zeros(len(labels), requires_grad=True)
optimizer = torch.optim.LBFGS([weight, bias], max_iter=200, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(x @ weight + bias, y) + a.decay * weight.square().sum()
    loss.backward()
    return loss


optimizer.step(closure)
with torch.no_grad():
    found = [labels[i] for i in (matrix(dev) @ weight + bias).argmax(1).tolist()]
right = [label == own for (_, label), own in zip(dev, found)]
print(f"bag of words: {len(places)} features, accuracy {100 * sum(right) / len(dev):.2f} of {len(dev)}")
if a.predictions:
    others = [line.split("\t")[0].strip() for line in open(a.predictions, encoding="utf-8")]
    assert len(others) == len(dev), f"{a.predictions}: expected {len(dev)} lines, found {len(others)}"
    theirs = [label == own for (_, label), own in zip(dev, others)]
    better = sum(t and not r for t, r in zip(theirs, right))
    worse = sum(r and not t for t, r in zip(theirs, right))
    n, k = better + worse, min(better, worse)
    p = min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)
    print(f"{a.predictions}: accuracy {100 * sum(theirs) / len(dev):.2f}, right alone {better}, wrong alone {worse}, p = {p:.3g}")
