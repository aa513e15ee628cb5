#!/usr/bin/env python3
"""PyTorch's launcher, torchrun, begins trainings by several processes: what ends, dies, comes and goes under it makes the
same model as the project's own launcher.

usage: check_torchrun.py BIN_DIR WORK_DIR
"""
import contextlib
import filecmp
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

STEPS = 1500
EXPERIMENT = """
data: {source: en, target: de, train: corpus/train, dev: corpus/dev, vocabulary: 900, prepared: prepared}
model: {layers: 1, d_model: 32, d_ff: 64, heads: 2, d_k: 16, d_v: 16}
train: {steps: 1500, source_tokens: 400, target_tokens: 400, micro_tokens: 300, warmup: 10, eval_every: 500,
        save_every: 20, log_every: 100, keep: 5}
"""


class Trainings:
    """In a scratch folder, of a small corpus."""

    def __init__(self, bin_folder, work):
        self.bin, self.work = pathlib.Path(bin_folder).resolve(), pathlib.Path(work)
        self.work.joinpath("experiment.yaml").write_text(EXPERIMENT)
        self.run("transformer-demo-corpus", "--output", "corpus", "--train", "1500", "--dev", "50", "--test", "50")
        self.run("transformer-prepare", "--quiet", "--config", "experiment.yaml")

    def run(self, program, *arguments):
        result = subprocess.run([self.bin / program, *arguments], cwd=self.work, stdin=subprocess.DEVNULL,
                                capture_output=True, encoding="utf-8", env=os.environ | {"OMP_NUM_THREADS": "1"})
        if result.returncode != 0:
            raise SystemExit(f"{program} {' '.join(map(str, arguments))}: {result.stderr}")

    def train(self, run, *arguments):
        self.run("transformer-train", "--quiet", "--config", "experiment.yaml", "--run", run, *arguments)

    @contextlib.contextmanager
    def torchrun(self, run, *options):
        """An agent with its processes, which none of them outlives. What they say is in RUN.errors."""
        # The "--" is needed: its parser takes --run for a shortened --run-path of its own.
        command = [sys.executable, "-m", "torch.distributed.run", "--no-python", "--monitor-interval", "0.1", *options, "--",
                   self.bin / "transformer-train", "--quiet", "--config", "experiment.yaml", "--run", run, "--resume"]
        with open(self.work / f"{run}.errors", "a") as errors:
            agent = subprocess.Popen(command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                                     env=os.environ | {"OMP_NUM_THREADS": "1"})
        try:
            yield agent
        finally:
            if agent.poll() is None:
                kill_machine(agent)

    def errors(self, run):
        return self.work.joinpath(f"{run}.errors").read_text()

    def log(self, run):
        path = self.work / run / "log.txt"
        return path.read_text() if path.exists() else ""

    def last_step(self, run):
        link = self.work / run / "checkpoints" / "last"
        return int(link.readlink().name.removeprefix("step-")) if link.is_symlink() else 0

    def wait_for(self, agent, what, happened):
        deadline = time.monotonic() + 60
        while not happened():
            if time.monotonic() > deadline or agent.poll() is not None:
                raise SystemExit(f"expected {what}, found none; torchrun's status is {agent.poll()}")
            time.sleep(0.01)

    def wait_for_steps(self, agent, run, count):
        begin = self.last_step(run)
        self.wait_for(agent, f"{count} more steps of {run}", lambda: self.last_step(run) >= begin + count)

    def same(self, run, other):
        """Whether both ended with the same model and moments, to the bit."""
        return all(filecmp.cmp(*(self.work / r / "checkpoints" / "last" / name for r in (run, other)), shallow=False)
                   for name in ("model.safetensors", "optimizer.safetensors"))

    def ended_well(self, agent, run):
        status = agent.wait(timeout=120)
        if status != 0:
            print(f"  {run}: torchrun ended with status {status}: {self.errors(run)}")
        return status == 0 and self.last_step(run) == STEPS


def children(process):
    return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def rank_of(process):
    variables = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    return next((int(v.removeprefix(b"RANK=")) for v in variables if v.startswith(b"RANK=")), None)


def kill_machine(agent):
    """All at once, as when its power fails."""
    agent.send_signal(signal.SIGSTOP)  # or it would begin others
    for child in children(agent.pid):
        os.kill(child, signal.SIGKILL)
    agent.kill()
    agent.wait()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def check_alone(trainings):
    trainings.train("whole", "--processes", "2")
    with trainings.torchrun("alone", "--standalone", "--nproc-per-node", "2") as agent:
        return trainings.ended_well(agent, "alone") and trainings.same("whole", "alone")


def check_killed(trainings):
    passed = True
    for rank in 0, 1:
        run = f"killed-{rank}"
        with trainings.torchrun(run, "--standalone", "--nproc-per-node", "2", "--max-restarts", "1") as agent:
            trainings.wait_for_steps(agent, run, 20)
            os.kill(next(child for child in children(agent.pid) if rank_of(child) == rank), signal.SIGKILL)
            passed &= trainings.ended_well(agent, run) and trainings.same("whole", run)
        passed &= "going on after step" in trainings.log(run)
    return passed


class Machines:
    """Agents of one elastic run of one or two machines."""

    def __init__(self, trainings, run):
        self.trainings, self.run, self.address = trainings, run, f"127.0.0.1:{free_port()}"

    def begin(self, hosts):
        # Shorter than usual: for how long others may still join, and how soon a dead agent is noticed.
        return self.trainings.torchrun(
            self.run, "--nnodes", "1:2", "--nproc-per-node", "1", "--rdzv-backend", "c10d", "--rdzv-endpoint", self.address,
            "--rdzv-conf", f"is_host={int(hosts)},last_call_timeout=2,keep_alive_interval=1", "--max-restarts", "1")

    def widths(self):
        return [int(width or 1) for width in re.findall(r"training pairs, [^,]*(?:, (\d+) processes)?", self.trainings.log(self.run))]

    def repeated(self, widths):
        """Whether the run had so many processes, one after another, and is what comes of asking for just that."""
        steps = [int(step) for step in re.findall(r"going on after step (\d+)", self.trainings.log(self.run))]
        print(f"  {self.run}: processes {self.widths()}, changes after steps {steps}")
        if self.widths() != widths or len(steps) != len(widths) - 1:
            return False
        for width, step in zip(widths, [*steps, STEPS]):
            self.trainings.train(f"asked-{self.run}", "--resume", "--processes", str(width), "--set", f"train.steps={step}")
        return self.trainings.same(f"asked-{self.run}", self.run)


def check_fewer(trainings):
    """One of two machines dies."""
    machines = Machines(trainings, "fewer")
    with machines.begin(hosts=True) as first, machines.begin(hosts=False) as second:
        trainings.wait_for_steps(first, "fewer", 40)
        kill_machine(second)
        return trainings.ended_well(first, "fewer") and machines.repeated([2, 1])


def check_more(trainings):
    """A second machine comes."""
    # Else PyTorch 2.11's first agent keeps the address of the first round's store to itself, and the other waits for it.
    os.environ["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    machines = Machines(trainings, "more")
    with machines.begin(hosts=True) as first:
        trainings.wait_for_steps(first, "more", 20)
        with machines.begin(hosts=False) as second:
            return (trainings.ended_well(first, "more") and second.wait(timeout=60) == 0 and machines.repeated([1, 2]))


def main():
    trainings, failed = Trainings(*sys.argv[1:3]), False
    for check in check_alone, check_killed, check_fewer, check_more:
        passed = check(trainings)
        failed |= not passed
        print(f"  {check.__name__.removeprefix('check_'):<20} {'the same model' if passed else 'FAILED'}")
    return failed


sys.exit(main())
