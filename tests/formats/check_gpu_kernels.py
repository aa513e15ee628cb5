#!/usr/bin/env python3
"""The kernels of GPUs (transformer/gpu/source) compile for every card since 2018, without a warning and without registers
that are kept in memory. It prints the registers of a thread and the shared memory of a block on an H100. And LibTorch's
library for CUDA has the functions that graphs look up by name (transformer/gpu/graph.cpp).

usage: check_gpu_kernels.py BIN_DIR WORK_DIR, of which it needs the first one's place alone"""
import ctypes
import mmap
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).parents[2] / "transformer" / "gpu" / "source"
HEADERS = ("phases", "row_mask", "products", "head_rows")
CARDS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
SHOWN = "sm_90"


def nvrtc():
    found = [path for folder in sys.path for path in pathlib.Path(folder).glob("nvidia/*/lib/libnvrtc.so.*")]
    if not found:
        sys.exit("expected NVRTC (PyPI's nvidia-cuda-nvrtc), found none")
    return ctypes.CDLL(str(found[0]))


def compiled(library, name, card):
    """→ what the compiler says"""
    headers = dict.fromkeys((*HEADERS, name))
    names = [f"transformer/gpu/source/{header}.h".encode() for header in headers]
    texts = [(SOURCES / f"{header}.h").read_bytes() for header in headers]
    strings = ctypes.c_char_p * len(names)
    program = ctypes.c_void_p()
    main = f'#include "transformer/gpu/source/{name}.h"\n'.encode()
    library.nvrtcCreateProgram(ctypes.byref(program), main, b"main.cu", len(names), strings(*texts), strings(*names))
    options = [f"--gpu-architecture={card}".encode(), b"--std=c++17", b"--ptxas-options=-v"]
    status = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    log = log.value.decode()
    if status != 0 or "warning" in log or "error" in log:
        sys.exit(f"{name} for {card}: {log}")
    return log


def check_graphs():
    names = re.findall(r'library\.find\(\w+, "(\w+)"\)', (SOURCES.parent / "graph.cpp").read_text())
    if not names:
        sys.exit("expected names of functions in graph.cpp, found none")
    libraries = list(pathlib.Path(sys.argv[1]).resolve().parents[1].glob(".deps/libtorch/torch/lib/libtorch_cuda.so"))
    if not libraries:
        print("skipped: this LibTorch has no library for CUDA, or is not in .deps, so its graphs are not looked up")
        return
    cuda = libraries[0]
    with cuda.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        missing = [name for name in names if content.find(b"\0" + name.encode() + b"\0") < 0]
    if missing:
        sys.exit(f"{cuda}: expected the functions of LibTorch's graphs, found no {', '.join(missing)}")
    print(f"{len(names)} functions of graphs in {cuda.name}")


check_graphs()
library = nvrtc()
kernels = 0
for source in sorted(SOURCES.glob("*.h")):
    text = source.read_text()
    expected = set(re.findall(r"TRANSFORMER_GPU_KERNEL\((\w+),", text)) - {"name"}
    if source.stem in HEADERS:
        continue
    for card in CARDS:
        log = compiled(library, source.stem, card)
        found = re.findall(r"entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores.*?Used (\d+) registers"
                           r"(?:.*?(\d+) bytes smem)?", log.replace("\n", " ").replace("Compiling", "\n"))
        names = {name for name, *_ in found}
        if names != expected:
            sys.exit(f"{source.stem} for {card}: expected the kernels {sorted(expected)}, found {sorted(names)}")
        for name, stack, spilled, registers, shared in found:
            if stack != "0" or spilled != "0":
                sys.exit(f"{name} for {card}: expected all in registers, found {stack} bytes of stack, {spilled} spilled")
            if card == SHOWN:
                kernels += 1
                print(f"{name}: {registers} registers, {shared or 0} bytes of shared memory")
if kernels == 0:
    sys.exit(f"expected kernels in {SOURCES}, found none")
print(f"{kernels} kernels for {', '.join(CARDS)}")
