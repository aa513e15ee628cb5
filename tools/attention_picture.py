#!/usr/bin/env python3
"""Draws attention like the paper's Figures 3 to 5, as SVG: queries left, keys right, a colour for each head, and lines that
are the stronger the larger a weight is.

    transformer-score --model M --source S --target T --attention attention.json
    attention_picture.py attention.json figure.svg --layer 5 --words making

A word of several pieces has the mean of their rows and the sum of their columns. A file that exists is replaced only if it
is such a picture.
"""
import argparse
import html
import json
import pathlib
import sys

COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#17becf"]
MARK = "<!-- attention_picture.py -->"
LINE, MARGIN, BETWEEN = 18, 12, 170


def stop(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def words_of(pieces, numbers):
    words = [""] * (max(numbers) + 1)
    for piece, number in zip(pieces, numbers):
        words[number] += piece.replace("▁", "")
    return words


def joined(weights, queries, keys):
    """Weights of pieces → of words, (queries, keys)."""
    sums = [[0.0] * (max(keys) + 1) for _ in range(max(queries) + 1)]
    for row, query in zip(weights, queries):
        for weight, key in zip(row, keys):
            sums[query][key] += weight / queries.count(query)
    return sums


def picture(left, right, heads, chosen):
    """heads: (colour, weights of words) of each."""
    width = 6.6 * max(len(word) for word in left + right) + 4
    height = LINE * max(len(left), len(right)) + 2 * MARGIN
    begin, end = MARGIN + width, MARGIN + width + BETWEEN
    middle = [MARGIN + LINE * (i + 0.5) for i in range(max(len(left), len(right)))]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{end + width + MARGIN:.0f}" height="{height}" '
             'font-family="sans-serif" font-size="12">', MARK, '<rect width="100%" height="100%" fill="white"/>']
    for colour, weights in heads:
        for query in chosen:
            for key, weight in enumerate(weights[query]):
                if weight >= 0.02:
                    parts.append(f'<line x1="{begin:.0f}" y1="{middle[query]}" x2="{end:.0f}" y2="{middle[key]}" '
                                 f'stroke="{colour}" stroke-width="2" stroke-opacity="{min(weight, 1):.2f}"/>')
    for i, word in enumerate(left):
        strength = ' font-weight="bold"' if i in chosen and len(chosen) < len(left) else ""
        parts.append(f'<text x="{begin - 4:.0f}" y="{middle[i] + 4}" text-anchor="end"{strength}>{html.escape(word)}</text>')
    for i, word in enumerate(right):
        parts.append(f'<text x="{end + 4:.0f}" y="{middle[i] + 4}">{html.escape(word)}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attention", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--sentence", type=int, default=1, help="from 1")
    parser.add_argument("--kind", choices=["encoder", "masked", "cross"], default="encoder")
    parser.add_argument("--layer", type=int, default=1, help="from 1")
    parser.add_argument("--heads", default="", help="such as 1,3, from 1; empty: all")
    parser.add_argument("--words", default="", help="queries that are drawn, such as its,law; empty: all")
    options = parser.parse_args()
    try:
        sentences = json.loads(options.attention.read_text(encoding="utf-8"))["sentences"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        stop(f"{options.attention}: expected attention as JSON, found {error!r}")
    if not 1 <= options.sentence <= len(sentences):
        stop(f"--sentence: expected 1 to {len(sentences)}, found {options.sentence}")
    sentence = sentences[options.sentence - 1]
    queries, keys = {"encoder": ("source", "source"), "masked": ("read", "read"), "cross": ("target", "source")}[options.kind]
    layers = sentence[options.kind]
    if not 1 <= options.layer <= len(layers):
        stop(f"--layer: expected 1 to {len(layers)}, found {options.layer}")
    count = len(layers[options.layer - 1])
    numbers = [int(number) for number in options.heads.split(",") if number.isdecimal()] or range(1, count + 1)
    if not all(1 <= number <= count for number in numbers):
        stop(f"--heads: expected numbers from 1 to {count}, found '{options.heads}'")
    left, right = (words_of(sentence[side], sentence[f"{side}_words"]) for side in (queries, keys))
    wanted = [word.lower() for word in options.words.split(",") if word]
    chosen = [i for i, word in enumerate(left) if not wanted or word.lower() in wanted]
    if not chosen:
        stop(f"--words: expected words of the sentence, found '{options.words}'")
    heads = [(COLOURS[(number - 1) % len(COLOURS)],
              joined(layers[options.layer - 1][number - 1], sentence[f"{queries}_words"], sentence[f"{keys}_words"]))
             for number in numbers]
    if options.output.exists() and MARK not in options.output.read_text(encoding="utf-8", errors="replace"):
        stop(f"{options.output}: expected nothing or a picture of attention, found another file, which is not replaced")
    options.output.write_text(picture(left, right, heads, set(chosen)), encoding="utf-8")


main()
