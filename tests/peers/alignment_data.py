#!/usr/bin/env python3
"""English and German with links of words: what docs/alignment is measured on.

usage: alignment_data.py DATA OUT
DATA has the folders multi30k, newstest and alignment. In OUT come, tokenised and in lower case,
  all.en all.de         Multi30k's training pairs, newstest2013, newstest2014 and the 508 pairs with links by hand
  all.links             what eflomal (Östling and Tiedemann 2016) finds in these: both directions, joined by grow-diag-final-and
  dev.en dev.de         Multi30k's val
  gold.en gold.de       the 508 pairs, gold.en-de their links by hand, gold.eflomal what eflomal finds
It needs the program eflomal-align, of PyPI's package eflomal."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("data", type=pathlib.Path)
parser.add_argument("out", type=pathlib.Path)
a = parser.parse_args()

LANGUAGES = ("en", "de")


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def tokenised(line):
    """Words and marks, in lower case. A mark within a word, as in 3.5 or it's, stays."""
    return " ".join(re.findall(r"\w+(?:[-.,'’:]\w+)*|[^\w\s]", line.lower()))


def pairs_of(folder, name, kind=tokenised):
    sides = [[kind(line) for line in lines_of(a.data / folder / f"{name}.{language}")] for language in LANGUAGES]
    assert len(sides[0]) == len(sides[1]), name
    return list(zip(*sides))


def gold_links(line):
    """From German-English, counted from 1, to English-German, counted from 0."""
    links = (re.fullmatch(r"(\d+)([-p])(\d+)", link).groups() for link in line.split())
    return " ".join(f"{int(english) - 1}{'-' if kind == '-' else 'p'}{int(german) - 1}" for german, kind, english in links)


def joined(forward, backward):
    """grow-diag-final-and (Koehn et al. 2003): the links of both directions, then those of one that lie beside a link and
    give a word its first one, then those between two words without any."""
    links, either = forward & backward, forward | backward
    grown = True
    while grown:
        grown = False
        for source, target in sorted(links):
            for i in (source - 1, source, source + 1):
                for j in (target - 1, target, target + 1):
                    if (i, j) not in either or (i, j) in links:
                        continue
                    if all(i != s for s, _ in links) or all(j != t for _, t in links):
                        links = links | {(i, j)}
                        grown = True
    for direction in (forward, backward):
        for i, j in sorted(direction):
            if all(i != s for s, _ in links) and all(j != t for _, t in links):
                links = links | {(i, j)}
    return links


def eflomal(pairs):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for side, language in enumerate(LANGUAGES):
            (folder / language).write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
        subprocess.run(["eflomal-align", "--overwrite", "-s", folder / "en", "-t", folder / "de", "-f", folder / "forward",
                        "-r", folder / "backward"], check=True, stdout=sys.stderr)
        directions = [[{tuple(map(int, link.split("-"))) for link in line.split()} for line in lines_of(folder / direction)]
                      for direction in ("forward", "backward")]
    return [" ".join(f"{i}-{j}" for i, j in sorted(joined(*both))) for both in zip(*directions)]


# The 508 pairs are tokenised already, as those who linked their words had them.
gold = pairs_of("alignment", "test", str)
pairs = pairs_of("multi30k", "train") + pairs_of("newstest", "newstest2013") + pairs_of("newstest", "newstest2014") + gold
pairs, dev = [[pair for pair in texts if all(pair)] for texts in (pairs, pairs_of("multi30k", "val"))]
links = eflomal(pairs)

files = {"all.links": links, "gold.eflomal": links[-len(gold):],
         "gold.en-de": map(gold_links, lines_of(a.data / "alignment" / "alignment.talp"))}
for name, texts in (("all", pairs), ("dev", dev), ("gold", gold)):
    for side, language in enumerate(LANGUAGES):
        files[f"{name}.{language}"] = [pair[side] for pair in texts]
a.out.mkdir(parents=True, exist_ok=True)
for name, content in files.items():
    (a.out / name).write_text("".join(line + "\n" for line in content), encoding="utf-8")
