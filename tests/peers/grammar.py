#!/usr/bin/env python3
"""A probabilistic context-free grammar read off a treebank, and CKY: what a parser has to beat.

usage: grammar.py TRAIN.trees DEV.words OUTPUT [--right-branching] [--longest 70] [--processes 2]
TRAIN.trees has a tree a line without traces and function tags (as prepared/dev.target.txt has them), DEV.words a sentence
a line. OUTPUT gets a tree a line. Rules are binarised to the right and remember two sisters (horizontal order 2), and no
parent. Words that training has once are known by their form alone: ending, digits, capitals. With --right-branching each
tree is a chain of noun phrases to the right. Sentences of more than --longest words are parsed so, too."""
import argparse
import collections
import multiprocessing
import re

import numpy as np

NONE = np.float32(-1e30)


def read_tree(line):
    tokens = re.findall(r"[()]|[^ \n()]+", line)

    def node(i):
        label, i = tokens[i + 1], i + 2
        if tokens[i] != "(":
            return (label, tokens[i]), i + 2
        children = []
        while tokens[i] == "(":
            child, i = node(i)
            children.append(child)
        return (label, children), i + 1

    return node(0)[0]


def form(word):
    """The class of a word that is not known."""
    shape = "9" if any(c.isdigit() for c in word) else "A" if word[:1].isupper() else "a"
    letters = word.lower()[-3:] if word[-1:].isalpha() else word[-1:]
    return f"<{shape}{'-' if '-' in word else ''}{letters}>"


class Grammar:
    def __init__(self, trees):
        binary, unary, lexicon, roots = (collections.Counter() for _ in range(4))
        words = collections.Counter()
        for tree in trees:
            for word in leaves(tree):
                words[word] += 1
        self.known = {word for word, count in words.items() if count > 1}
        for tree in trees:
            roots[tree[0]] += 1
            self.count(tree, binary, unary, lexicon)
        self.names = sorted({n for a, b, c in binary for n in (a, b, c)} | {n for rule in unary for n in rule}
                            | {tag for tag, _ in lexicon} | set(roots))
        self.number = {name: i for i, name in enumerate(self.names)}
        totals = collections.Counter()
        for rules in (binary, unary, lexicon):
            for rule, count in rules.items():
                totals[rule[0]] += count
        rules = sorted(binary, key=lambda rule: [self.number[name] for name in rule])
        columns = np.array([[self.number[name] for name in rule] for rule in rules])
        self.parent, self.left, self.right = columns.T
        self.weight = np.log([binary[rule] / totals[rule[0]] for rule in rules]).astype(np.float32)
        self.starts = np.flatnonzero(np.r_[True, self.parent[1:] != self.parent[:-1]])
        self.close(unary, totals)
        self.tags = collections.defaultdict(list)
        forms = collections.Counter()
        for (tag, word), count in lexicon.items():
            self.tags[word].append((self.number[tag], np.log(count / totals[tag])))
            if word.startswith("<"):
                forms[tag] += count
        self.open = [(self.number[tag], np.log(count / totals[tag] / len(self.tags))) for tag, count in forms.items()]
        self.root = np.full(len(self.names), NONE, np.float32)
        for name, count in roots.items():
            self.root[self.number[name]] = np.log(count / len(trees))

    def count(self, tree, binary, unary, lexicon):
        label, children = tree
        if isinstance(children, str):
            lexicon[label, children if children in self.known else form(children)] += 1
            if children in self.known:
                lexicon[label, form(children)] += 1e-3  # a known word's form says a little, too
            return
        names = [child[0] for child in children]
        if len(names) == 1:
            unary[label, names[0]] += 1
        here = label
        for i in range(len(names) - 1):
            last = i == len(names) - 2
            rest = names[-1] if last else f"@{label}|{'-'.join(names[max(0, i - 1):i + 1])}"
            binary[here, names[i], rest] += 1
            here = rest
        for child in children:
            self.count(child, binary, unary, lexicon)

    def close(self, unary, totals):
        """chain[a, b]: the best probability of a chain of unary rules; step[a, b]: what comes after a in it."""
        n = len(self.names)
        self.chain = np.full((n, n), NONE, np.float32)
        self.step = np.tile(np.arange(n), (n, 1))
        np.fill_diagonal(self.chain, 0)
        for (a, b), count in unary.items():
            if a != b:
                self.chain[self.number[a], self.number[b]] = np.log(count / totals[a])
        for middle in sorted({self.number[name] for rule in unary for name in rule}):
            through = self.chain[:, middle, None] + self.chain[None, middle]
            better = through > self.chain
            self.step = np.where(better, self.step[:, middle, None], self.step)
            self.chain = np.where(better, through, self.chain)
        self.unary = [(a, np.flatnonzero((self.chain[a] > NONE / 2) & (np.arange(n) != a))) for a in range(n)]
        self.unary = [(a, below) for a, below in self.unary if len(below)]

    def add_unary(self, scores):
        """The best scores with chains above, and what is below each chain."""
        best, below = scores.copy(), np.arange(len(scores))
        for a, under in self.unary:
            through = self.chain[a, under] + scores[under]
            i = through.argmax()
            if through[i] > best[a]:
                best[a], below[a] = through[i], under[i]
        return best, below

    def parse(self, words):
        n, size = len(words), len(self.names)
        chart = np.full((n + 1, n + 1, size), NONE, np.float32)
        below, back = {}, {}
        for i, word in enumerate(words):
            scores = np.full(size, NONE, np.float32)
            for tag, weight in self.tags.get(word) or self.tags.get(form(word)) or self.open:
                scores[tag] = weight
            chart[i, i + 1], below[i, i + 1] = self.add_unary(scores)
        parents = self.parent[self.starts]
        for width in range(2, n + 1):
            for i in range(n - width + 1):
                j = i + width
                lefts, rights = chart[i, i + 1:j], chart[i + 1:j, j]
                sums = lefts[:, self.left] + rights[:, self.right]
                splits = sums.argmax(0)
                values = sums[splits, np.arange(sums.shape[1])] + self.weight
                scores = np.full(size, NONE, np.float32)
                scores[parents] = np.maximum.reduceat(values, self.starts)
                back[i, j] = (values, splits)
                chart[i, j], below[i, j] = self.add_unary(scores)
        top = (chart[0, n] + self.root).argmax()
        if chart[0, n, top] + self.root[top] < NONE / 2:
            return None
        return self.build(int(top), 0, n, words, below, back)[0]

    def build(self, name, i, j, words, below, back):
        """A list: of a name that binarisation made, the sisters."""
        bottom = int(below[i, j][name])
        if j == i + 1:
            inner = [f"({self.names[bottom]} {words[i]})"]
        else:
            values, splits = back[i, j]
            rules = np.flatnonzero(self.parent == bottom)
            rule = rules[values[rules].argmax()]
            k = i + 1 + int(splits[rule])
            inner = (self.build(int(self.left[rule]), i, k, words, below, back)
                     + self.build(int(self.right[rule]), k, j, words, below, back))
            if not self.names[bottom].startswith("@"):
                inner = [f"({self.names[bottom]} {' '.join(inner)})"]
        labels = []
        while name != bottom:
            labels.append(self.names[name])
            name = int(self.step[name, bottom])
        for label in reversed(labels):
            inner = [f"({label} {' '.join(inner)})"]
        return inner


def leaves(tree):
    return [tree[1]] if isinstance(tree[1], str) else [word for child in tree[1] for word in leaves(child)]


def right_branching(words):
    text = f"(XX {words[-1]})"
    for word in reversed(words[:-1]):
        text = f"(NP (XX {word}) {text})"
    return f"(S {text})"


def parse(line):
    words = line.split(" ")  # others than the blank belong to words
    tree = None if arguments.right_branching or len(words) > arguments.longest else grammar.parse(words)
    return tree or right_branching(words)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("words")
    parser.add_argument("output")
    parser.add_argument("--right-branching", action="store_true")
    parser.add_argument("--longest", type=int, default=70)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    with open(arguments.train, encoding="utf-8") as file:
        grammar = Grammar([read_tree(line) for line in file])
    print(f"{len(grammar.names)} symbols, {len(grammar.weight)} binary rules", flush=True)
    with open(arguments.words, encoding="utf-8") as file:
        lines = file.read().splitlines()
    with multiprocessing.Pool(arguments.processes) as pool, open(arguments.output, "w", encoding="utf-8") as output:
        for tree in pool.imap(parse, lines, chunksize=8):
            print(tree, file=output)
