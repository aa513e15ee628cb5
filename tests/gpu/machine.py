#!/usr/bin/env python3
"""Prints what a measurement was made on, as one JSON object: card, driver, processor, versions."""
import json
import os
import platform
import re
import shutil
import subprocess


def says(*command):
    """The command's output, or nothing where there is no such program or it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=15, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def of_torch(expression):
    return says("python3", "-c", f"import torch; print({expression})")


cards = says("nvidia-smi", "--query-gpu=name,driver_version,memory.total,clocks.max.sm", "--format=csv,noheader").splitlines()
processor = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
print(json.dumps({"machine": {
    "cards": cards,
    "cores": len(os.sched_getaffinity(0)),
    "processor": processor.group(1) if processor else platform.processor(),
    "kernel": platform.release(),
    "torch": of_torch("torch.__version__"),
    "capability": of_torch("torch.cuda.get_device_capability()") if cards else "",
    "nvcc": (re.search(r"V([\d.]+)", says("nvcc", "--version")) or [""] * 2)[1],
    "ncu": (re.search(r"Version ([\d.]+)", says("ncu", "--version")) or [""] * 2)[1] if shutil.which("ncu") else "",
}}))
