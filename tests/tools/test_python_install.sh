#!/bin/bash
# make python, from a clone that has nothing: the commands of README.md. What has been installed runs. It needs a
# network: pip fetches what it builds with. The same sources are not built twice.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_python_install.sh SOURCES KEPT
. "$(dirname "$0")/../support/check.sh"
cd "$1" || exit 1
git rev-parse --verify --quiet HEAD >/dev/null || { echo 'SKIP: no git repository'; exit 77; }
sources=$(git rev-parse HEAD:python HEAD:integrator HEAD:mujoco_bridge HEAD:cmake HEAD:pyproject.toml HEAD:Makefile \
  HEAD:tools HEAD:tests/tools)
[ "$sources" = "$(cat "$2" 2>/dev/null)" ] && { echo 'as it should be before, of the same sources'; exit 0; }
python3 -c 'import venv, ensurepip' 2>/dev/null || { echo 'SKIP: no python3-venv'; exit 77; }
python3 -m venv "$room/probe"
"$room/probe/bin/pip" download --quiet --disable-pip-version-check --retries 0 --timeout 10 --no-deps --no-cache-dir \
  --dest "$room/probe" nanobind 2>/dev/null || { echo 'SKIP: no network'; exit 77; }

git clone --quiet . "$room/clone"
make -C "$room/clone" python >"$room/said" 2>&1
check 'make python ends with 0' $?
grep -qxF 'python: building ess into env (a few minutes)' "$room/said"
check 'it says what takes so long' $?
version=$(sed -n 's/.*define ESS_VERSION *"\(.*\)".*/\1/p' integrator/ess.h)
grep -qxF "python: env/bin/python has ess $version" "$room/said"
check 'it says what has been installed' $?
# of the installed package alone: a folder that has nothing else to import, and no name of a folder of the build
(cd "$room" && clone/env/bin/python - >"$room/ran" 2>&1) <<'END'
import math, ess
ball = ess.solve_ivp(
    lambda t, y, s: [y[1], -9.81], (0, 1), [1, 0], guards=lambda t, y: y[0],
    impact=lambda t, y, s, k: [0, -y[1]], impacts_at=[(0, -1)], rtol=1e-9,
)
assert ball.success and abs(ball.t_impacts[0] - math.sqrt(2 / 9.81)) < 1e-9, ball
assert ess.__file__.endswith("clone/env/lib/python%d.%d/site-packages/ess/__init__.py" % __import__("sys").version_info[:2])
END
check 'it imports and runs' $?
[ -z "$(git -C "$room/clone" status --porcelain)" ]
check 'the clone has nothing that git does not ignore' $?
if [ $failures -ne 0 ]; then
  cat "$room/said" "$room/ran" 2>/dev/null
  tail -n 20 "$room/clone/build/python-install.log" 2>/dev/null
else
  echo "$sources" >"$2"
fi
finish
