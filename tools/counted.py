# What tools/plain-cost and tools/run-cost share: instructions of a program, which valgrind counts.
# SPDX-License-Identifier: GPL-3.0-or-later
import re
import shutil
import subprocess
import tempfile

from page import fail


def output(*words):
    """Both outputs of a command that has to succeed."""
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        last = (done.stdout.strip().splitlines() or [f"status {done.returncode}"])[-1]
        fail(f"{words[0]}: {last}")
    return done.stdout


def built(build, name):
    """A program of the tests."""
    if not shutil.which("valgrind"):
        fail("valgrind is not installed; tools/setup names the package")
    output("cmake", "--build", build, "--target", name)
    return f"{build}/tests/{name}"


def instructions(*words):
    """Of the run alone, without what comes before and after."""
    with tempfile.NamedTemporaryFile() as counts:
        said = output("valgrind", "--tool=callgrind", "--toggle-collect=race", f"--callgrind-out-file={counts.name}", *words)
    found = re.search(r"Collected : (\d+)", said)
    if not found or found[1] == "0":
        fail(f"valgrind has counted nothing in {' '.join(words)}")
    return int(found[1])
