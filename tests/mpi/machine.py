"""The MPI libraries of this machine: Debian's names of Open MPI and MPICH, each with its mpicc and launcher, or else what
CMake has found. At least one must be there."""
import os
import re
import shutil
import subprocess
from pathlib import Path

TIMEOUT_S = 120
# mpirun of Open MPI 4.1.4 sometimes ends with a signal of its own after an MPI_Abort, or, after both ranks have ended,
# waits in PMIx_server_finalize for a lock that its own thread holds; then the run is repeated.
LAUNCHER_CRASHED = re.compile(r"received signal.*mpirun", re.S)
LOOK_S = 5
N_TRIES = 4


def have_children_ended(pid):
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        states = [Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] for child in children]
    except OSError:
        return False  # one was asked for in this moment
    return bool(states) and set(states) == {"Z"}


def run_launcher(command, env, folder):
    """The finished launcher, or None: its ranks have ended, and LOOK_S later it has still not asked how."""
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=folder) as process:
        had_ended = False
        for _ in range(TIMEOUT_S // LOOK_S):
            try:
                out, err = process.communicate(timeout=LOOK_S)
                return subprocess.CompletedProcess(command, process.returncode, out, err)
            except subprocess.TimeoutExpired:
                have_ended = have_children_ended(process.pid)
                if have_ended and had_ended:
                    process.kill()
                    return None
                had_ended = have_ended
        process.kill()
        raise subprocess.TimeoutExpired(command, TIMEOUT_S)


class Mpi:
    def __init__(self, mpicc, launcher):
        self.mpicc, self.launcher = mpicc, launcher
        said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout
        self.name = "openmpi" if "Open MPI" in said or "OpenRTE" in said or "prte" in said.lower() else "mpich"

    def command(self, n):
        if self.name == "mpich":
            return [self.launcher, "-n", str(n)]
        return [self.launcher, "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n", str(n)]

    def run(self, n, program, *args, folder=None, **environment):
        env = {**os.environ, "OMP_NUM_THREADS": "1", "KDSL_MPI_TIMEOUT": "60", **environment}
        for _ in range(N_TRIES):
            done = run_launcher([*self.command(n), program, *args], env, folder)
            if done and not LAUNCHER_CRASHED.search(done.stderr):
                return done
        raise AssertionError(f"{self.launcher} itself failed {N_TRIES} times: {done.stderr if done else 'it did not end'}")


def libraries():
    found = []
    for family, launcher in (("openmpi", "mpirun"), ("mpich", "mpiexec")):
        mpicc, launcher = (shutil.which(f"{name}.{family}") for name in ("mpicc", launcher))
        if mpicc and launcher:
            found.append(Mpi(mpicc, launcher))
    if not found:
        found.append(Mpi(os.environ["KDSL_MPICC"], os.environ["KDSL_MPIEXEC"]))
    return found
