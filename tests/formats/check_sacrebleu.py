"""transformer-evaluate against sacreBLEU: every option that both have, on real and on awkward sentences.

Run: ./dev test --interop check_sacrebleu
"""

import itertools
import json
import pathlib
import random
import subprocess
import sys

import sacrebleu

PROGRAMS, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
WORDS = "the a cat dog sat on mat , . ! it's U.S. 3.5 1,000 naïve 東京 – «no» (so) in-to x".split()


def sentences(seed, count, shortest):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) for _ in range(draw.randint(shortest, 12))) for _ in range(count)]


def near(lines, seed):
    """Some words of each line are others."""
    draw = random.Random(seed)
    return [" ".join(word if draw.random() < 0.7 else draw.choice(WORDS) for word in line.split()) for line in lines]


def corpora():
    for seed, (count, shortest) in enumerate([(60, 1), (200, 4), (1, 2), (1, 9)]):
        references = [sentences(10 * seed + r, count, shortest) for r in range(2)]
        yield near(references[0], 10 * seed + 7), references
    yield ["x"], [["the cat"]]          # no word in common
    yield ["the cat sat", ""], [["the cat sat on", "dog"]]


def write(name, lines):
    path = WORK / name
    path.write_text("".join(line + "\n" for line in lines))
    return str(path)


def ours(hypotheses, references, metric, options):
    command = [str(PROGRAMS / "transformer-evaluate"), "--hypothesis", write("hypothesis", hypotheses)]
    for number, lines in enumerate(references):
        command += ["--reference", write(f"reference{number}", lines)]
    run = subprocess.run(command + ["--metrics", metric, "--json"] + options, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"transformer-evaluate {options}: {run.stderr}")
    return json.loads(run.stdout)[0]


def compare(hypotheses, references, metric, options, scorer):
    global cases
    expected = scorer.corpus_score(hypotheses, references)
    signature = str(scorer.get_signature()).rsplit("|version:", 1)[0]
    found = ours(hypotheses, references, metric, options)
    if abs(found["score"] - expected.score) > 1e-5 or found["signature"].rsplit("|version:", 1)[0] != signature:
        sys.exit(f"{metric} {options}: expected {expected.score} {signature}, found {found}")
    cases += 1


cases = 0
for hypotheses, references in corpora():
    smoothing = [("exp", None), ("none", None), ("floor", None), ("floor", 0.3), ("add-k", None), ("add-k", 0.5)]
    for (method, value), effective, lowercase in itertools.product(smoothing, (False, True), (False, True)):
        options = ["--smooth-method", method] + (["--smooth-value", str(value)] if value else [])
        options += ["--effective-order"] * effective + ["--lowercase"] * lowercase
        compare(hypotheses, references, "bleu", options,
                sacrebleu.BLEU(smooth_method=method, smooth_value=value, effective_order=effective,
                               lowercase=lowercase))
    for order, beta, whitespace, eps in itertools.product((0, 1, 2), (1, 2, 3), (False, True), (False, True)):
        options = ["--chrf-word-order", str(order), "--chrf-beta", str(beta)]
        options += ["--chrf-whitespace"] * whitespace + ["--chrf-eps-smoothing"] * eps
        compare(hypotheses, references, "chrf", options,
                sacrebleu.CHRF(word_order=order, beta=beta, whitespace=whitespace, eps_smoothing=eps))
print(f"equal to sacreBLEU {sacrebleu.__version__} in {cases} cases")
