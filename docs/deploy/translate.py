import sys, sentencepiece, torch

files = {"tokenizer.model": ""}
model = torch.jit.load(sys.argv[1], _extra_files=files)  # map_location="cuda" for a GPU
tokenizer = sentencepiece.SentencePieceProcessor(model_proto=files["tokenizer.model"])

lines = [line.rstrip("\n") for line in sys.stdin]
for first in range(0, len(lines), 32):
    ids = [tokenizer.encode(line) + [tokenizer.eos_id()] for line in lines[first:first + 32]]
    source = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in ids], batch_first=True)
    lengths = torch.tensor([len(row) for row in ids])
    outputs, scores = model.translate(source, lengths, beam=4, alpha=0.6)
    for row in outputs.tolist():
        print(tokenizer.decode([token for token in row if token != tokenizer.pad_id()]))
