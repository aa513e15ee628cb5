#!/usr/bin/env python3
"""transformer-evaluate --metrics parseval against PYEVALB and against a second count, on trees with errors put in.

usage: check_parseval.py BIN_DIR WORK_DIR
TREES may name a file of trees, one a line; by default some are drawn. PYEVALB knows no deleted tags or labels and counts
equal brackets once, so it sees trees without these.
"""
import collections
import json
import os
import pathlib
import random
import subprocess
import sys

import PYEVALB.parser
import PYEVALB.scorer

PROGRAMS, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
DELETED = {",", ":", "``", "''", ".", "-NONE-"}


def parse(line):
    """→ [label, children] or [tag, word]"""
    tokens = line.replace("(", " ( ").replace(")", " ) ").split()

    def node(i):
        label, i = ("", i + 1) if tokens[i + 1] in "()" else (tokens[i + 1], i + 2)
        if tokens[i] not in "()":
            return [label, tokens[i]], i + 2
        children = []
        while tokens[i] == "(":
            child, i = node(i)
            children.append(child)
        return [label, children], i + 1

    return node(0)[0]


def text(tree):
    label, content = tree
    return f"({label} {content if isinstance(content, str) else ' '.join(map(text, content))})"


def plain(label):
    return label if label.startswith("-") else label.split("-")[0].split("=")[0]


def cleaned(tree, unique):
    """Without what does not count; with unique, without a bracket in one of the same label and words."""
    label, content = tree
    if isinstance(content, str):
        return [] if label in DELETED else [[label, content]]
    children = [c for child in content for c in cleaned(child, unique)]
    label = "ADVP" if plain(label) == "PRT" else plain(label)
    if not children or label in ("", "TOP", "S1"):
        return children
    if unique and len(children) == 1 and not isinstance(children[0][1], str) and label in chain(children[0]):
        return children
    return [[label, children]]


def chain(tree):
    """The labels of a bracket and of those in it that hold the same words."""
    labels = {tree[0]}
    while len(tree[1]) == 1 and not isinstance(tree[1][0][1], str):
        tree = tree[1][0]
        labels.add(tree[0])
    return labels


def spans(tree, begin=0):
    label, content = tree
    if isinstance(content, str):
        return [], begin + 1, [label]
    found, tags, end = [], [], begin
    for child in content:
        inside, end, own = spans(child, end)
        found += inside
        tags += own
    return found + [(label, begin, end)], end, tags


def counts(trees):
    """Of (found, gold) trees of the same words: matched, found, gold, crossing, equal tags."""
    total = [0] * 5
    for found, gold in trees:
        (f, _, own), (g, _, tags) = spans(found), spans(gold)
        cross = sum(any(a < c < b < d or c < a < d < b for _, c, d in g) for _, a, b in f)
        total = [t + n for t, n in zip(total, (
            sum((collections.Counter(f) & collections.Counter(g)).values()), len(f), len(g), cross,
            sum(a == b for a, b in zip(own, tags))))]
    return total


def ours(pairs):
    for name, column in ("found", 0), ("gold", 1):
        (WORK / name).write_text("".join(text(pair[column]) + "\n" for pair in pairs), encoding="utf-8")
    run = subprocess.run([PROGRAMS / "transformer-evaluate", "--hypothesis", WORK / "found", "--reference", WORK / "gold",
                          "--metrics", "parseval", "--json"], capture_output=True, encoding="utf-8", check=True)
    return json.loads(run.stdout)[0]["score"]


def drawn_tree(draw, depth=0):
    if depth > 5 or (depth > 1 and draw.random() < 0.4):
        return [draw.choice(["NN", "DT", "VB", "IN", ",", "."]), draw.choice("abcdefgh")]
    return [draw.choice(["NP-SBJ", "VP", "PP=2", "S", "ADVP", "PRT", "NP"]),
            [drawn_tree(draw, depth + 1) for _ in range(draw.randint(1, 4))]]


def with_errors(tree, draw):
    """Other labels and tags, brackets removed and put in: the words stay."""
    label, content = tree
    if isinstance(content, str):
        return [[draw.choice(["NN", "VB"]) if label not in DELETED and draw.random() < 0.05 else label, content]]
    children = [c for child in content for c in with_errors(child, draw)]
    if len(children) > 2 and draw.random() < 0.15:
        cut = draw.randint(1, len(children) - 1)
        children = [["NP", children[:cut]]] + children[cut:]
    if draw.random() < 0.1:
        return children
    return [[draw.choice(["NP", "VP", "X"]) if draw.random() < 0.1 else label, children]]


def main():
    draw, pairs = random.Random(1), []
    if file := os.environ.get("TREES"):
        gold = [parse(line) for line in open(file, encoding="utf-8") if line.strip()]
    else:
        gold = [["TOP", [drawn_tree(draw)]] for _ in range(2000)]
    for tree in gold:
        pairs.append((["TOP", with_errors(tree, draw)], tree))
    clean = [([f for f in cleaned(a, False)], cleaned(b, False)) for a, b in pairs]
    usable = [(["ROOT", a], ["ROOT", b], pair) for (a, b), pair in zip(clean, pairs) if a and b]
    matched, found, of_gold, crossing, tags = counts([(a, b) for a, b, _ in usable])
    root = len(usable)  # the bracket that holds them all here is no bracket there
    expected = 200 * (matched - root) / (found + of_gold - 2 * root)
    score = ours([pair for _, _, pair in usable])
    print(f"  {len(usable)} trees: F1 {score:.6f}, a second count {expected:.6f}")
    failed = abs(score - expected) > 1e-6

    unique = []
    for a, b in pairs:
        a, b = cleaned(a, True), cleaned(b, True)
        if a and b:
            unique.append((["ROOT", a], ["ROOT", b]))
    results = [PYEVALB.scorer.Scorer().score_trees(*(PYEVALB.parser.create_from_bracket_string(text(t)) for t in (gold, test)))
               for test, gold in unique]
    their = 200 * sum(r.matched_brackets for r in results) / sum(r.gold_brackets + r.test_brackets for r in results)
    score = ours(unique)
    print(f"  without equal brackets: F1 {score:.6f}, PYEVALB {their:.6f}")
    sys.exit(failed or abs(score - their) > 1e-6)


if __name__ == "__main__":
    main()
