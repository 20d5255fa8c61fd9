#!/usr/bin/env python3
# Each program of C in a page, with the output that follows it: it compiles, and prints that.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_examples_pages.py SOURCE CC LIBRARY
import glob
import os
import re
import subprocess
import sys
import tempfile

source, compiler, library = sys.argv[1:]
PROGRAM = re.compile(r"^```c\n((?:(?!^```).)*?int main\((?:(?!^```).)*)^```\n\n```text\n(.*?)^```$", re.M | re.S)
FLAGS = ["-std=c17", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", f"-I{source}/integrator"]
LIBRARIES = [library, "-lsundials_cvode", "-lsundials_nvecserial", "-lm"]
faults, count = [], 0
with tempfile.TemporaryDirectory() as room:
    program = os.path.join(room, "program")
    for page in sorted(glob.glob(f"{source}/docs/**/*.md", recursive=True)):
        with open(page) as file:
            text = file.read()
        for found in PROGRAM.finditer(text):
            count += 1
            place = f"{os.path.relpath(page, source)}:{text.count(chr(10), 0, found.start()) + 2}"
            with open(f"{program}.c", "w") as file:
                file.write(found[1])
            built = subprocess.run([compiler, *FLAGS, f"{program}.c", *LIBRARIES, "-o", program],
                                   capture_output=True, text=True)
            if built.returncode:
                faults.append(f"{place}: does not compile\n{built.stderr}")
                continue
            ran = subprocess.run([program], capture_output=True, text=True, timeout=60)
            if ran.returncode or ran.stdout != found[2]:
                faults.append(f"{place}: ends with {ran.returncode}, and prints\n{ran.stdout}")
if count < 2:
    faults.append(f"{count} programs were found: too few")
print("\n".join(faults) or f"{count} programs")
sys.exit(bool(faults))
