import sys, sentencepiece, torch

files = {"tokenizer.model": ""}
model = torch.jit.load(sys.argv[1], _extra_files=files)  # map_location="cuda" for a GPU
tokenizer = sentencepiece.SentencePieceProcessor(model_proto=files["tokenizer.model"])

for line in sys.stdin:
    prompt = tokenizer.encode(line.rstrip("\n"))
    text = torch.tensor([[model.first] + prompt])  # what texts begin with, in front
    ids = model.generate(text, max_tokens=100)[0].tolist()  # or with temperature=0.8, top_k=40
    print(tokenizer.decode(prompt + ids))
