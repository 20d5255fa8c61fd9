# SPDX-License-Identifier: Apache-2.0
"""MuJoCo robots integrated to a tolerance, and the errors of `mj_step`.

The right-hand side is that of MuJoCo's equations in continuous time. Event functions detect contacts
and limits. The version of MuJoCo is that of `import mujoco`.
"""

from __future__ import annotations

import copy
import ctypes
import glob
import math
import os
import textwrap
import threading
import time
import zipfile
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

try:
    import mujoco
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError("ess.mujoco needs the package mujoco: pip install mujoco") from absent

from . import _ivp, _native
from ._result import OdeResult

__all__ = [
    "Audit",
    "DerivativeAudit",
    "Robot",
    "TrajectoryAudit",
    "audit",
    "audit_derivative",
    "audit_trajectory",
    "releases",
    "simulate",
]

_MESSAGE_SIZE = 512
_NAME_SIZE = 128
_TREATMENTS = ("smooth", "guarded", "kink", "followed", "refused")
_Double = ctypes.POINTER(ctypes.c_double)


class _Sizes(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_size_t) for name in "nq nv na nu bodies dimension events".split()),
        ("time_step", ctypes.c_double),
        ("gravity", ctypes.c_double * 3),
        ("integrator", ctypes.c_char_p),
    ]


class _Finding(ctypes.Structure):
    _fields_ = [
        ("treatment", ctypes.c_int),
        ("kind", ctypes.c_char_p),
        ("name", ctypes.c_char * _NAME_SIZE),
        ("why", ctypes.c_char_p),
        ("first_event", ctypes.c_size_t),
        ("events", ctypes.c_size_t),
    ]


class _Start(ctypes.Structure):
    _fields_ = [
        ("qpos", ctypes.c_char_p),
        ("height", ctypes.c_double),
        ("tilt", ctypes.c_double),
        ("number", ctypes.c_size_t),
        ("seed", ctypes.c_ulong),
        ("state", ctypes.c_void_p),
    ]


def _load():
    """the library that is built for the MuJoCo that is there"""
    path = os.path.join(os.path.dirname(__file__), f"libess_mujoco_{mujoco.mj_version()}.so")
    if not os.path.exists(path):
        known = ", ".join(releases()) or "none"
        raise ImportError(
            f"ess.mujoco is not built for MuJoCo {mujoco.mj_versionString()}; this package has {known} "
            "(see docs/guide/python.md, Robots, for building it for another release)"
        )
    library = ctypes.CDLL(path)
    pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    for name, result, *arguments in (
        ("robot_open_model", ctypes.c_int, pointer, ctypes.POINTER(pointer), text),
        ("robot_close", None, pointer),
        ("robot_size", _Sizes, pointer),
        ("robot_system", pointer, pointer),
        ("robot_finding_count", size, pointer),
        ("robot_findings", ctypes.POINTER(_Finding), pointer),
        ("robot_event_name", text, pointer, size),
        ("robot_event_is_contact", ctypes.c_bool, pointer, size),
        ("robot_set_control", None, pointer, _Double),
        ("robot_forget", None, pointer),
        ("robot_normalise", None, pointer, _Double),
        ("robot_failure", text, pointer),
        ("robot_start_state", ctypes.c_int, pointer, ctypes.POINTER(_Start), _Double, text),
        ("robot_state_name", None, pointer, size, text),
        ("robot_state_unit", text, pointer, size),
        ("robot_state_counts", ctypes.c_bool, pointer, size),
        ("robot_body_counts", ctypes.c_bool, pointer, size),
        ("robot_set_precision", None, pointer, ctypes.c_double),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def releases() -> list[str]:
    """Return the releases of MuJoCo for which this package is built.

    Returns
    -------
    list of str
        In ascending order. The release of ``import mujoco`` must be one of them.

    Examples
    --------
    >>> import mujoco, ess.mujoco
    >>> print(mujoco.__version__ in ess.mujoco.releases())
    True
    """
    found = glob.glob(os.path.join(os.path.dirname(__file__), "libess_mujoco_*.so"))
    numbers = sorted(int(os.path.basename(path)[len("libess_mujoco_") : -len(".so")]) for path in found)
    return [".".join(map(str, _parts(number))) for number in numbers]


def _parts(number):
    base = 10 if number < 1000 else 1000
    return number // base // base, number // base % base, number % base


_library = _load()


def _pointer(array):
    return array.ctypes.data_as(_Double)


def _as_model(model):
    if isinstance(model, mujoco.MjModel):
        return model
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        load = (
            mujoco.MjModel.from_binary_path
            if path.endswith(".mjb")
            else mujoco.MjModel.from_xml_path
        )
        return load(path)
    raise ValueError("`model` must be a mujoco.MjModel or the path of an MJCF or MJB file")


_NEVER = 1e9  # a margin of that size, negative, has no contact


def _leave_out(model, without):
    """the model of a file, in which some pairs never touch"""
    if not isinstance(model, (str, os.PathLike)) or os.fspath(model).endswith(".mjb"):
        raise ValueError("`without` needs a path of an MJCF as `model`, which it leaves pairs out of")
    spec = mujoco.MjSpec.from_file(os.fspath(model))
    names = without.split(",")
    if without == "self":
        m = spec.compile()
        moving = [i for i in range(m.nbody) if m.body_geomnum[i] and m.body_weldid[i]]
        for k, a in enumerate(moving):
            for b in moving[k + 1 :]:
                if m.body_rootid[a] == m.body_rootid[b] and m.body(a).name and m.body(b).name:
                    spec.add_exclude(bodyname1=m.body(a).name, bodyname2=m.body(b).name)
        return spec.compile()
    if len(names) % 2 or not all(names):
        raise ValueError(f"`without` must be 'self' or pairs of names, A,B; it is {without!r}")
    geoms, bodies = ({one.name for one in of} for of in (spec.geoms, spec.bodies))
    for a, b in zip(names[::2], names[1::2]):
        if a in geoms and b in geoms:
            spec.add_pair(geomname1=a, geomname2=b, margin=-_NEVER, gap=_NEVER)
        elif a in bodies and b in bodies:
            spec.add_exclude(bodyname1=a, bodyname2=b)
        else:
            unknown = [name for name in (a, b) if name not in geoms | bodies]
            wrong = unknown[0] if unknown else f"{a},{b}"
            raise ValueError(f"`without` must name two geoms or two bodies; {wrong} is none of both")
    return spec.compile()


def _choose_keyframe(model, keyframe):
    """that keyframe in the place of keyframe 0, which initial conditions, controls and mocap bodies are of"""
    names = [model.key(k).name or str(k) for k in range(model.nkey)]
    if str(keyframe) not in names:
        there = "there are " + ", ".join(names) if names else "the model has none"
        raise ValueError(f"`keyframe` must be the name of a keyframe; {keyframe!r} is none: {there}")
    k = names.index(str(keyframe))
    for rows in (
        model.key_time, model.key_qpos, model.key_qvel, model.key_act, model.key_mpos, model.key_mquat, model.key_ctrl
    ):  # fmt: skip
        rows[0] = rows[k]


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _row(line, number, columns):
    """the numbers of a line of a csv"""
    fields = line.strip().split(",")
    if len(fields) != columns:
        raise ValueError(f"row {number} has {len(fields)} fields; the header has {columns}")
    for k, field in enumerate(fields):
        if not _is_number(field):
            raise ValueError(f"row {number} has {field!r} in column {k + 1}; it must be a number")
    return [float(field) for field in fields]


def _rows_of(file, sizes, names):
    """the arrays of a file of states by their names"""
    if not os.path.exists(file):
        raise ValueError(f"{file} cannot be read: there is no such file")
    rows: list[list[float]] = []
    try:
        if file.endswith(".npz"):
            with np.load(file) as found:
                return {name: np.asarray(found[name], dtype=float) for name in found.files}
        with open(file) as lines:
            header = next(lines, "").strip().split(",")
            for line in filter(str.strip, lines):
                rows.append(_row(line, len(rows) + 1, len(header)))
    except (OSError, ValueError, zipfile.BadZipFile) as wrong:
        # numpy takes what is no archive for a pickle
        why = "it is no archive of numpy" if "pickled" in str(wrong) else str(wrong).splitlines()[0]
        raise ValueError(f"{file} cannot be read: {why}") from wrong
    if header == [""]:
        raise ValueError(f"{file} is empty; a header line is needed")
    if all(map(_is_number, header)):
        raise ValueError(f"{file}: the first line must name the columns; it has numbers")
    if not rows:
        raise ValueError(f"{file} has no row below its header")
    if len(header) != len(names):
        raise ValueError(
            f"{file} must have a header and columns for {sizes['qpos']} positions, {sizes['qvel']} velocities "
            f"and {sizes['act']} activations; it has {len(header)} columns"
        )
    missing = [name for name in names if name not in header]
    if 0 < len(missing) < len(names):
        raise ValueError(
            f"{file} must have a column for each of {len(names)} states, by name or in their order; "
            f"'{missing[0]}' is missing"
        )
    order = slice(None) if missing else [header.index(name) for name in names]
    ends = np.cumsum(list(sizes.values()))[:-1]
    return dict(zip(sizes, np.split(np.array(rows)[:, order], ends, axis=1)))


def _vector(value, size, name):
    array = np.ascontiguousarray(_ivp._numbers(value, name))
    if array.shape != (size,) or not np.isfinite(array).all():
        raise ValueError(f"`{name}` must be {size} finite numbers")
    return array


_CALLBACKS = "control passive contactfilter act_bias act_dyn act_gain".split()


def _refuse_callbacks():
    """what MuJoCo calls is no part of the model, and unknown to the reference"""
    for name in _CALLBACKS:
        get = getattr(mujoco, f"get_mjcb_{name}", None)
        if get and get() is not None:
            instead = "; `policy` may have these controls" if name == "control" else ""
            raise ValueError(
                f"MuJoCo's callback mjcb_{name} is set, which the reference cannot call{instead}; "
                f"mujoco.set_mjcb_{name}(None) removes it"
            )


class _PolicyError(ValueError):
    pass


class _Controls:
    """what actuators are told: constant controls, or at each tick what a policy returns"""

    def __init__(self, robot, ctrl, policy, period):
        self.robot, self.policy = robot, policy
        if policy is None:
            self.constant = robot.control(ctrl)
            return
        if not callable(policy):
            raise ValueError("`policy` must be a function of t, qpos and qvel that returns controls")
        if ctrl is not None:
            raise ValueError("`ctrl` and `policy` exclude each other")
        self.period = _ivp._number(period, "period")
        if not 0 < self.period < np.inf:
            raise ValueError("`period` must be > 0 and finite")

    def ticks(self, t):
        """the times between 0 and t at which the policy is called again"""
        ticks = self.period * np.arange(1, math.ceil(t / self.period) + 1)
        return ticks[ticks < t - 1e-9 * self.period]

    def at(self, t, x):
        """the policy's controls from t on, in the state x there"""
        robot = self.robot
        x = robot.normalise(np.array(x))
        try:
            found = self.policy(t, x[: robot.nq], x[robot.nq : robot.nq + robot.nv])
            found = np.atleast_1d(np.asarray([] if found is None else found, dtype=float))
        except Exception as raised:
            first = (str(raised).splitlines() or [""])[0]
            raise _PolicyError(f"policy at {t:.6g} s: {type(raised).__name__}: {first}") from raised
        if found.shape != (robot.nu,):
            raise _PolicyError(
                f"policy at {t:.6g} s: it must return a control for each of {robot.nu} actuators; "
                f"it returned an array of shape {found.shape}"
            )
        if not np.isfinite(found).all():
            raise _PolicyError(f"policy at {t:.6g} s: it must return finite controls; it returned {found}")
        return found


class Robot:
    """A MuJoCo model for libess.

    Parameters
    ----------
    model : mujoco.MjModel or path of an MJCF
        It is copied, so later changes have no effect.
    without : str, optional
        Contacts to exclude: "A,B" between these geoms or bodies (more pairs may follow), or "self" between
        all bodies of one robot. The model must be a path then.
    keyframe : str, optional
        Keyframe that is the default initial state, with its velocities, activations, controls and mocap
        bodies; its number if it has no name. Default is keyframe 0, raised and tilted.

    Attributes
    ----------
    nq, nv, na, nu : int
    n : int
        Number of states, nq + nv + na: positions, velocities, activations.
    events : list of str
        Contact or limit of each event function, which is positive while it acts.
    findings : list of tuple
        (treatment, kind, name, reason) of each element that switches.

    Examples
    --------
    >>> import mujoco, ess.mujoco
    >>> xml = '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.3"><freejoint/>'
    >>> xml += '<geom type="sphere" size="0.1"/></body></worldbody></mujoco>'
    >>> robot = ess.mujoco.Robot(mujoco.MjModel.from_xml_string(xml))
    >>> print(robot.n, robot.events)
    13 ['geom 0 - body 1']
    """

    def __init__(
        self,
        model: mujoco.MjModel | str | os.PathLike[str],
        without: str | None = None,
        keyframe: str | None = None,
    ) -> None:
        _refuse_callbacks()
        # audits see no later changes, either
        self.model = copy.copy(_as_model(model) if without is None else _leave_out(model, without))
        self._keyframe = keyframe
        if keyframe is not None:
            _choose_keyframe(self.model, keyframe)
        message = ctypes.create_string_buffer(_MESSAGE_SIZE)
        handle = ctypes.c_void_p()
        self._handle = None
        status = _library.robot_open_model(self.model._address, ctypes.byref(handle), message)
        if status:
            raise ValueError(message.value.decode())
        self._handle = handle
        self._lock, self._is_running = threading.RLock(), False
        size = _library.robot_size(handle)
        self.nq, self.nv, self.na, self.nu = size.nq, size.nv, size.na, size.nu
        self.n, self.time_step = size.dimension, size.time_step
        self.integrator = size.integrator.decode()
        self.events: list[str] = [
            _library.robot_event_name(handle, k).decode() for k in range(size.events)
        ]
        self.is_contact = [_library.robot_event_is_contact(handle, k) for k in range(size.events)]
        found = _library.robot_findings(handle)
        self.findings = [
            (_TREATMENTS[f.treatment], f.kind.decode(), f.name.decode(), f.why.decode())
            for f in (found[i] for i in range(_library.robot_finding_count(handle)))
        ]

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            _library.robot_close(self._handle)

    def name(self, k: int) -> str:
        """Return the name of state k, such as "root z", "hip" or "d hip"."""
        text = ctypes.create_string_buffer(_NAME_SIZE)
        _library.robot_state_name(self._handle, k, text)
        return text.value.decode()

    def start(
        self, height: float = 0.05, tilt: float = 0.1, number: int = 0, seed: int = 1
    ) -> NDArray[Any]:
        """Return an initial state as in `essbench robot`. Number 0 is the pose of the model, raised and
        tilted; other numbers are random states around it."""
        x = np.zeros(self.n)
        message = ctypes.create_string_buffer(_MESSAGE_SIZE)
        start = _Start(None, float(height), float(tilt), int(number), int(seed), None)
        with self._lock:
            if _library.robot_start_state(self._handle, ctypes.byref(start), _pointer(x), message):
                raise ValueError(message.value.decode())
        return x

    def state(
        self,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        act: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Return these positions, velocities and activations as one state. Default is that of `start`, or
        of the chosen keyframe."""
        if qpos is None and qvel is None and act is None:
            if self._keyframe is None:
                return self.start()
            m = self.model
            return self.normalise(np.concatenate([m.key_qpos[0], m.key_qvel[0], m.key_act[0]]))
        qpos = self.model.qpos0 if qpos is None else qpos
        return np.concatenate([
            _vector(qpos, self.nq, "qpos"),
            np.zeros(self.nv) if qvel is None else _vector(qvel, self.nv, "qvel"),
            np.zeros(self.na) if act is None else _vector(act, self.na, "act"),
        ])  # fmt: skip

    def load_states(self, file: str | os.PathLike[str]) -> list[dict[str, NDArray[Any]]]:
        """Return the initial conditions of a file, each with `qpos`, `qvel` and `act`, the arguments of
        `simulate` and `audit`.

        An .npz file has arrays of these names with a row for each initial condition; `qvel` and `act` are
        optional, and 0. Any other file is a csv, as for ``essbench robot --states``: a header of the states'
        names in any order, or of other names in the order of the states, and a row for each."""
        file = os.fspath(file)
        sizes = {"qpos": self.nq, "qvel": self.nv, "act": self.na}
        found = _rows_of(file, sizes, [self.name(k) for k in range(self.n)])
        if "qpos" not in found or not len(np.atleast_2d(found["qpos"])):
            raise ValueError(f"{file} must have an array qpos with a row for each initial condition")
        count = len(np.atleast_2d(found["qpos"]))
        for name, size in sizes.items():
            rows = np.atleast_2d(found.get(name, np.zeros((count, size))))
            if rows.shape != (count, size):
                raise ValueError(
                    f"{file}: {name} has the shape {rows.shape}; the model's is ({count}, {size})"
                )
            if not np.isfinite(rows).all():
                row, k = np.argwhere(~np.isfinite(rows))[0]
                raise ValueError(f"{file}: row {row + 1} has {rows[row, k]} for {name}[{k}]; it must be finite")
            found[name] = rows
        return [{name: found[name][i] for name in sizes} for i in range(count)]

    def control(self, ctrl: ArrayLike | None = None) -> NDArray[Any]:
        """Return the given controls, or else those of the chosen keyframe or of keyframe 0, or else zeros."""
        if ctrl is not None:
            return _vector(np.broadcast_to(ctrl, self.nu), self.nu, "ctrl")
        return np.array(self.model.key_ctrl[0]) if self.model.nkey else np.zeros(self.nu)

    def normalise(self, states: NDArray[Any]) -> NDArray[Any]:
        """Normalise the quaternions of states[..., n], in place."""
        for x in states.reshape(-1, self.n):
            row = np.ascontiguousarray(x)
            _library.robot_normalise(self._handle, _pointer(row))
            x[:] = row
        return states

    def simulate(
        self,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        t: float = 1.0,
        tol: float = 1e-6,
        *,
        act: ArrayLike | None = None,
        ctrl: ArrayLike | None = None,
        policy: Callable[..., ArrayLike] | None = None,
        period: float = 0.02,
        t_eval: ArrayLike | None = None,
        dense_output: bool = False,
        tangents: bool | ArrayLike | None = None,
        base: str | None = None,
        locate: str = "all",
        max_step: float = np.inf,
        max_steps: int = 200_000,
        _atol: float = 1.0,
    ) -> OdeResult:
        """Simulate this robot. Arguments and result are those of the function `simulate`."""
        _refuse_callbacks()
        x0 = self.state(qpos, qvel, act)
        controls = ctrl if isinstance(ctrl, (_Controls, _Recorded)) else _Controls(self, ctrl, policy, period)
        t1 = _ivp._number(t, "t")
        if not (t1 >= 0 and np.isfinite(t1)):
            raise ValueError("`t` must be a finite duration, >= 0")
        tol = _ivp._number(tol, "tol")
        if not 0 < tol < 1:
            raise ValueError("`tol` must be > 0 and < 1")
        options = _ivp._options(
            None, 0.0, t1, x0, False, None, t_eval, dense_output, None, False, None, None, None,
            None, None, None, None, tangents, tol, _atol * tol, max_step, None, max_steps, 0.0, base, None,
            is_system=True, locate=locate,
        )  # fmt: skip
        options["guard_count"] = len(self.events)
        options["impact_at"] = bytes(2 * len(self.events))
        options["sliding"] = locate == "all"  # contacts that bounce ever less
        if controls.policy is not None and options["directions"].shape[1]:
            raise ValueError("`tangents` do not contain the derivative of a `policy`; give one of both alone")
        held: list[Any] = []  # time and controls of each tick; the line of a policy that fails

        def hold(t):
            try:
                held.append((t, controls.at(t, options["held_x"])))
            except _PolicyError as wrong:
                held.append(wrong)
                return False
            _library.robot_set_control(self._handle, _pointer(held[-1][1]))
            return True

        with self._lock:
            if self._is_running:
                raise ValueError("a policy must not simulate the Robot that it controls; it may have its own")
            options["system"] = _library.robot_system(self._handle)
            if controls.policy is None:
                _library.robot_set_control(self._handle, _pointer(controls.constant))
            else:
                options.update(hold=hold, held_x=np.zeros(self.n), holds=controls.ticks(t1))
            _library.robot_forget(self._handle)
            self._is_running = True
            try:
                run = _native.solve(0.0, t1, x0, options)
            finally:
                self._is_running = False
            failure = _library.robot_failure(self._handle).decode()
        if run["reason"] and "t" not in run:
            raise ValueError(run["reason"])
        guards = len(self.events)
        r = _ivp._result(run, _ivp._status(run), x0, 0.0, t1, None, guards, dense_output, False)
        if held and isinstance(held[-1], _PolicyError):
            r.message = str(held.pop())
        elif r.reason == "ECALLBACK" and failure:
            r.message = f"mujoco: {failure}"
        if controls.policy is not None:
            r.t_ctrl = np.array([t for t, _ in held])
            r.ctrl = np.array([u for _, u in held]).reshape(len(held), self.nu)
        r.qpos, r.qvel = r.y[: self.nq], r.y[self.nq : self.nq + self.nv]
        r.act = r.y[self.nq + self.nv :]
        r.crossings_of = [self.events[k] for k in r.crossings[:, 0]]
        return r


def simulate(
    model: Robot | mujoco.MjModel | str | os.PathLike[str],
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    t: float = 1.0,
    tol: float = 1e-6,
    **more: Any,
) -> OdeResult:
    """Simulate a robot for a time `t`, to a tolerance.

    Parameters
    ----------
    model : Robot, mujoco.MjModel or path of an MJCF
        The robot. A `Robot` saves its preparation in further runs.
    qpos, qvel : array_like, shapes (nq,) and (nv,), optional
        Initial state. Default is the keyframe that the `Robot` has been given, or else the model's own
        pose, raised by 0.05 m and tilted by 0.1 rad.
    t : float, optional
        Duration, s. Default is 1.
    tol : float, optional
        Relative and absolute tolerance of each state: tol + tol * abs(state). Default is 1e-6.
    act, ctrl : array_like, shapes (na,) and (nu,), optional
        Activations, and constant controls. Default is 0.
    policy : callable, optional
        ``policy(t, qpos, qvel)`` returns the controls. It is called at time 0 and at each multiple of
        `period`. The controls are constant in between, and steps end at these times, so that the solution
        is as accurate as with constant controls. It must depend on its arguments alone. If it raises, or
        returns anything but a finite number for each actuator, the run ends there with
        ``success=False``, and `message` is the reason.
    period : float, optional
        Control period of `policy`, s. Default is 0.02.
    t_eval, dense_output, tangents, base, max_step, max_steps
        As in `ess.solve_ivp`. `base` may also be 'ros2' or 'lit', for stiff joints at a loose `tol`.
    locate : str, optional
        'all' (default): the instants at which contacts and limits begin and cease to act are located.
        'none': steps pass over them, which on legged robots is cheaper at the error of MuJoCo's own time
        step, best with ``base="lit"``. 'chosen': whichever of both takes fewer evaluations. With 'none' and
        'chosen' the result has no crossings, and `unlocated` counts the steps that pass over events.

    Returns
    -------
    OdeResult
        As in `ess.solve_ivp`, with `qpos`, `qvel` and `act` (parts of `y`) and `crossings_of`, the names
        of the contacts and limits that begin or cease to act at `t_crossings`. With a `policy` also
        `ctrl`, its controls from each of the times `t_ctrl` on.

    Raises
    ------
    ValueError
        If an argument has a wrong value, or the model has an element that libess does not support. The
        message names it. A run that fails raises nothing: it
        returns with ``success=False`` and a `reason`.

    See Also
    --------
    ess.mujoco.audit : The errors of `mj_step` against such a run.
    ess.solve_ivp : Runs of your own equations.

    Notes
    -----
    The right-hand side is `mj_forward` in continuous time. Contacts and limits that begin or cease to act are
    crossings, which are located unless `locate` says otherwise; their forces are MuJoCo's.

    Examples
    --------
    A sphere falls on a plane:

    >>> import mujoco, ess.mujoco
    >>> xml = '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.3"><freejoint/>'
    >>> xml += '<geom type="sphere" size="0.1"/></body></worldbody></mujoco>'
    >>> model = mujoco.MjModel.from_xml_string(xml)
    >>> run = ess.mujoco.simulate(model, [0, 0, 0.3, 1, 0, 0, 0], t=0.25)
    >>> print(run.success, run.t_crossings.round(4), run.crossings_of)
    True [0.2019] ['geom 0 - body 1']
    """
    robot = model if isinstance(model, Robot) else Robot(model)
    return robot.simulate(qpos, qvel, t, tol, **more)


_INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicit": mujoco.mjtIntegrator.mjINT_IMPLICIT,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}


def _shown(error, reference):
    """an error's digits, as far as the reference's own error lets them be known"""
    if not math.isfinite(error):
        return "-"
    if not error > reference:
        return f"<{reference:.0e}" if math.isfinite(reference) else "-"
    digits = min(2, math.floor(math.log10(error / reference))) if reference > 0 else 2
    return f"{error:.{digits}e}"


def _upward(bound):
    """a bound to one digit, never a smaller one"""
    if not bound > 0:
        return bound
    digit = 10.0 ** math.floor(math.log10(bound))
    return digit * math.ceil(bound / digit * (1 - 1e-12))


def _known(error, bound, unit):
    """an error in mm or mrad with its bound"""
    unit = {"m": "mm", "rad": "mrad"}[unit]
    if not math.isfinite(error):
        return "not known"
    if math.isinf(bound):
        return f"{1e3 * error:.2g} {unit}, without a bound"
    if not error > bound:
        return f"less than {1e3 * (error + bound):.2g} {unit}"
    return f"{1e3 * error:.3g} +- {_upward(1e3 * bound):g} {unit}"


class Audit:
    """The errors of `mj_step`.

    `audit` returns it. `rows` are dictionaries, `frame()` a DataFrame, `plot()` a figure, and `render()` an
    animation.

    Attributes
    ----------
    rows : list of dict
        An integrator at a step: `bodies` (m) and `hinges` (rad) are root mean square errors of the bodies'
        origins and of the hinges' angles, `error` is that of all positions and velocities in SI units.
    reference : float
        Bound of the reference's own error, in the unit of `error`.
    how, until
        How the reference was obtained, and the time that it reaches, s.
    error, bound : dict
        At the model's own settings: `bodies` (m), `hinges` (rad) and `states`; and by how much the true
        errors may differ from these.
    worst : list of dict
        Joints, the worst first: `joint`, `unit` (m or rad), `error` (the largest over time), `bound`, `t`.
    times, over_time
        The times of the own run, and the error of its bodies at each, m.
    """

    def __init__(self, rows: list[dict[str, Any]], reference: float, **about: Any) -> None:
        self.rows, self.reference = rows, reference
        self.how: str = about.get("how", "")
        self.until: float = about.get("until", math.nan)
        self.error: dict[str, float] = about.get("error", {})
        self.bound: dict[str, float] = about.get("bound", {})
        self.worst: list[dict[str, Any]] = about.get("worst", [])
        self.times: NDArray[Any] = about.get("times", np.empty(0))
        self.over_time: NDArray[Any] = about.get("over_time", np.empty(0))
        self._motion: tuple[Any, ...] | None = about.get("motion")

    def frame(self) -> Any:
        """The rows as a table of pandas."""
        import pandas

        return pandas.DataFrame(self.rows)

    def _repr_html_(self) -> str | None:
        try:
            return self.frame().to_html()
        except ImportError:
            return None

    def __repr__(self) -> str:
        lines = []
        for part, unit in ("bodies", "m"), ("hinges", "rad"):
            if part in self.error and not math.isnan(self.bound[part]):
                said = _known(self.error[part], self.bound[part], unit)
                lines.append(f"{part:<13}{said}, root mean square")
        for k, one in enumerate(self.worst[:3]):
            said = _known(one["error"], one["bound"], one["unit"])
            lines.append(f"{'' if k else 'worst joints':<13}{one['joint']}: {said}, at {one['t']:.3g} s")
        lines.append("integrator    step, s      error  its own")
        for row in self.rows:
            own = "*" if row["own"] else ""
            error = _shown(row["error"], self.reference)
            lines.append(f"{row['integrator']:<12} {row['step']:>8.6g} {error:>10}  {own}".rstrip())
        lines.append(f"estimated error of the reference: {self.reference:.1e}")
        if self.how:
            lines.append(f"by {self.how}, to {self.until:g} s")
        return "\n".join(lines)

    def plot(self, axes: Any = None, over: str = "time") -> Any:
        """Plot the error over time at the model's own settings, or with `over="step"` that over the step by
        integrator, on `axes` of matplotlib."""
        if over not in ("time", "step"):
            raise ValueError("`over` must be 'time' or 'step'")
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots()[1]
        if over == "time":
            bound = 1e3 * self.bound["bodies"]
            axes.semilogy(self.times, 1e3 * self.over_time, label="bodies")
            bottom = axes.get_ylim()[0]
            axes.axhspan(bottom, bound, alpha=0.2, label="bound of the root mean square")
            axes.set_ylim(bottom=bottom)
            axes.set_xlabel("time, s")
            axes.set_ylabel("error, mm")
            axes.legend()
            return axes
        for name in dict.fromkeys(row["integrator"] for row in self.rows):
            rows = [row for row in self.rows if row["integrator"] == name]
            axes.loglog([r["step"] for r in rows], [r["error"] for r in rows], "o-", label=name)
        axes.set_xlabel("step, s")
        axes.set_ylabel("error")
        axes.legend()
        return axes


    def render(
        self,
        file: str | os.PathLike[str],
        *,
        magnify: float = 1.0,
        speed: float = 0.5,
        fps: float = 25.0,
        size: tuple[int, int] = (480, 360),
    ) -> None:
        """Write an animated GIF of the robot by `mj_step` at the model's own settings, with the reference
        as a translucent blue ghost.

        Parameters
        ----------
        file : path of a .gif
        magnify : float
            Factor by which the ghost's distance from the robot is enlarged, for errors of less than a
            pixel.
        speed : float
            Speed of the animation; 1 is real time.
        fps : float
            Images per second of the animation.
        size : (int, int)
            Width and height in pixels.
        """
        from ._overlay import Overlay, write_gif

        if not os.fspath(file).lower().endswith(".gif"):
            raise ValueError(f"`file` must end in .gif; it is {os.fspath(file)}")
        for name, value in ("magnify", magnify), ("speed", speed), ("fps", fps):
            if not (value > 0 and math.isfinite(value)):
                raise ValueError(f"`{name}` must be > 0 and finite")
        if len(size) != 2 or min(size) < 16 or max(size) > 4096:
            raise ValueError("`size` must be a width and a height from 16 to 4096")
        if self._motion is None or not len(self.times):
            raise ValueError("there is no motion to render: mj_step is unstable at the model's own settings")
        m, own, truth = self._motion
        shown = np.arange(0.0, self.times[-1], speed / fps)
        # the output at each of these times, or the next
        at = np.unique(np.minimum(np.searchsorted(self.times, shown), len(self.times) - 1))

        def ghost(k):
            apart = np.zeros(m.nv)
            mujoco.mj_differentiatePos(m, apart, 1.0, own[k], truth[k])
            q = own[k].copy()
            mujoco.mj_integratePos(m, q, apart, magnify)
            return q

        with Overlay(m, *map(int, size)) as overlay:
            overlay.frame([own[k] for k in at], _place_mocap)
            images = [overlay.render(own[k], ghost(k), _place_mocap) for k in at]
        write_gif(file, images, fps)


def _ends(step, times):
    """which of the times, but for the start, a step ends at"""
    return [i for i, t in enumerate(times) if i and abs(round(t / step) - t / step) <= 1e-6]


def _place_mocap(m, d):
    """Bodies that only a program moves are where keyframe 0 has them, as libess has it."""
    if m.nkey and m.nmocap:
        d.mocap_pos[:] = m.key_mpos[0].reshape(-1, 3)
        d.mocap_quat[:] = m.key_mquat[0].reshape(-1, 4)


def _steps(robot, x0, ctrl, integrator, step, times, ends):
    """states of mj_step at those ends of steps that it comes to"""
    m = copy.copy(robot.model)
    m.opt.timestep, m.opt.integrator = step, _INTEGRATORS[integrator]
    d = mujoco.MjData(m)
    _place_mocap(m, d)
    d.qpos[:] = x0[: robot.nq]
    d.qvel[:] = x0[robot.nq : robot.nq + robot.nv]
    d.act[:] = x0[robot.nq + robot.nv :]
    states, made, tick = [], 0, 0
    for i in ends:
        steps = round(times[i] / step)
        while made < steps:
            # the first step at a tick or behind it has the policy's new controls
            if ctrl.policy is None:
                d.ctrl[:], until = ctrl.constant, steps
            else:
                if made * step >= (tick - 1e-9) * ctrl.period:
                    tick = math.floor(made * step / ctrl.period + 1e-9) + 1
                    d.ctrl[:] = ctrl.at(made * step, np.concatenate([d.qpos, d.qvel, d.act]))
                until = min(steps, math.ceil((tick * ctrl.period) / step - 1e-9))
            mujoco.mj_step(m, d, until - made)
            made = until
            if any(w.number for w in d.warning) or not np.isfinite(d.qpos).all():
                break
        if any(w.number for w in d.warning) or not np.isfinite(d.qpos).all():
            break
        states.append(np.concatenate([d.qpos, d.qvel]))
    return np.array(states).reshape(len(states), robot.nq + robot.nv)


# The impedance of a contact or limit is a spline over a small depth (`solimp`). A fast contact may pass
# it within one step, and a step without a stage there misses it, at any tolerance. So one more run is
# in pieces, which get shorter towards each time at which a contact begins or ends: its distance, in
# seconds, of the nearest end of a piece and of the furthest.
_NEAREST, _FURTHEST = 1e-5, 1e-2
_CROSSINGS = 200  # the first of a run have such pieces


def _pieces(crossings, times):
    """ends of the pieces, among them these times"""
    away = _NEAREST * 2.0 ** np.arange(np.log2(_FURTHEST / _NEAREST) + 1)
    some = np.asarray(crossings)[:_CROSSINGS, None]
    ends = np.concatenate([(some - away).ravel(), (some + away).ravel()])
    ends = np.unique(ends[(ends > 0.0) & (ends < times[-1])])
    apart = np.diff(ends, prepend=0.0) > 0.5 * _NEAREST
    return np.unique(np.concatenate([ends[apart], times]))


def _by_pieces(robot, x0, ctrl, times, tol, tangents=None, atol=1.0):
    """states at these times, which ascend, and tangents there; None where a piece fails"""
    whole = robot.simulate(
        x0[: robot.nq], x0[robot.nq : robot.nq + robot.nv], times[-1], tol,
        act=x0[robot.nq + robot.nv :], ctrl=ctrl, t_eval=[],
    )  # fmt: skip
    found, x, t = [], x0, 0.0
    for end in _pieces(whole.t_crossings, times):
        if end > t:
            r = robot.simulate(
                x[: robot.nq], x[robot.nq : robot.nq + robot.nv], end - t, tol,
                act=x[robot.nq + robot.nv :], ctrl=ctrl, t_eval=[], tangents=tangents,
                max_step=(end - t) / 2, _atol=atol,
            )  # fmt: skip
            if not r.success or tangents is not None and "tangents" not in r:
                return None
            x, t, tangents = r.y_end, end, r.get("tangents")
        if end in times:
            found.append((x, tangents))
    return found


# ---- a reference that always ends ------------------------------------------------------------
#
# As in essbench robot: libess to ever smaller tolerances, beside MuJoCo's own steps, ever finer, until the
# bound is small or the budget is spent. Where libess does not come to the end, MuJoCo's finest steps are
# the reference.

_FIRST, _LAST = 1e-4, 1e-10  # tolerances
_GOOD, _NEGLIGIBLE = 0.1, 1e-6  # a bound, as a share of the error; and what nobody asks for, m, rad
_HALVINGS = 9
_LOOK = 300  # steps that tell what one takes


def _rms(x):
    return float(np.sqrt(np.mean(np.square(x)))) if np.size(x) else math.nan


class _Parts:
    """what errors are of: bodies, hinges and states"""

    def __init__(self, robot):
        self.robot, self.data = robot, mujoco.MjData(robot.model)
        _place_mocap(robot.model, self.data)
        handle = robot._handle
        self.bodies = [
            i for i in range(robot.model.nbody) if _library.robot_body_counts(handle, i)
        ]
        counted = [k for k in range(robot.nq) if _library.robot_state_counts(handle, k)]
        self.unit = {k: _library.robot_state_unit(handle, k).decode() for k in counted}
        self.hinges = [k for k in counted if self.unit[k] == "rad"]

    def origins(self, states):
        found = np.empty((len(states), len(self.bodies), 3))
        for i, x in enumerate(states):
            self.data.qpos[:] = x[: self.robot.nq]
            mujoco.mj_kinematics(self.robot.model, self.data)
            found[i] = self.data.xpos[self.bodies]
        return found

    def apart(self, a, b):
        """root mean squares between states at the same times"""
        if len(a) != len(b) or not len(a):
            return dict.fromkeys(("bodies", "hinges", "states"), math.nan)
        moved = np.sum((self.origins(a) - self.origins(b)) ** 2, axis=2)
        return {
            "bodies": math.sqrt(np.mean(moved)) if moved.size else math.nan,
            "hinges": _rms((a - b)[:, self.hinges]),
            "states": _rms(a - b),
        }


def _left_over(moved):
    """how far the finest of halved steps is from where these lead, by the last three differences, as a
    geometric series whose ratio is between 1.25 and 2"""
    if len(moved) < 2:
        return math.nan
    count = 2 if len(moved) > 2 else 1
    last = max(moved[-1], 1e-300)
    ratio = min(2.0, max(1.25, (moved[-1 - count] / last) ** (1 / count)))
    return max(x / ratio**i / (ratio - 1) for i, x in enumerate(moved[:-4:-1]))


def _larger(a, b):
    return {part: max(a[part], b[part]) for part in a}


class _Search:
    """a reference and its bound, at times of which the first is 0"""

    def __init__(self, robot, x0, ctrl, times, budget, progress):
        self.robot, self.x0, self.ctrl, self.times = robot, x0, ctrl, times
        self.budget, self.progress = budget, progress
        self.begin = time.thread_time()
        self.parts = _Parts(robot)
        self.step, self.integrator = robot.time_step, robot.integrator
        if self.integrator not in _INTEGRATORS:
            self.integrator = "Euler"
        self.ends = _ends(self.step, times) or [len(times) - 1]
        self.runs, self.moved, self.seconds = [self.steps(0)], [], 0.0
        self.own = self.runs[0]
        self.truth = self.looser = None
        self.tol, self.truth_s, self.no_tighter, self.no_finer = _FIRST, 0.0, False, False
        self.base = None

    def left(self, share):
        return share * self.budget - (time.thread_time() - self.begin)

    def say(self, words):
        if self.progress:
            self.progress(f"{time.thread_time() - self.begin:.1f} s: {words}")

    def steps(self, halvings):
        """states of mj_step at the ends of the model's own steps; fewer where it is unstable"""
        begin = time.thread_time()
        found = _steps(
            self.robot, self.x0, self.ctrl, self.integrator, self.step / 2**halvings, self.times, self.ends
        )
        self.seconds = time.thread_time() - begin
        return found if len(found) == len(self.ends) else found[:0]

    def halve(self):
        self.no_finer = len(self.runs) > _HALVINGS or 2 * self.seconds > self.left(0.7)
        if self.no_finer:
            return
        self.say(f"mj_step at {self.step / 2 ** len(self.runs):g} s")
        self.runs.append(self.steps(len(self.runs)))
        apart = self.parts.apart(self.runs[-2], self.runs[-1])
        unstable = not len(self.runs[-2]) or not len(self.runs[-1])
        self.moved.append({part: math.inf if unstable else x for part, x in apart.items()})
        if len(self.runs) > 3:
            self.runs[-4] = self.runs[-4][:0]  # no longer asked for

    def libess(self, tol, seconds):
        """all states at the times, or None where libess does not come to the end"""
        r = self.robot
        _library.robot_set_precision(r._handle, tol)
        given = {"act": self.x0[r.nq + r.nv :], "ctrl": self.ctrl, "base": self.base}
        start = self.x0[: r.nq], self.x0[r.nq : r.nq + r.nv], self.times[-1], tol
        begin = time.thread_time()
        run = r.simulate(*start, t_eval=self.times, max_steps=_LOOK, **given)
        each = max(time.thread_time() - begin, 1e-6) / _LOOK
        if run.reason == "EMAXSTEPS" and seconds > 0:
            run = r.simulate(*start, t_eval=self.times, max_steps=max(1, int(seconds / each)), **given)
        self.truth_s = time.thread_time() - begin
        return r.normalise(run.y.T.copy())[:, : r.nq + r.nv] if run.success else None

    def first(self):
        for base in None, "ros2":
            self.base = base
            self.say(f"libess at {_FIRST:g}{', ros2' if base else ''}")
            self.truth = self.libess(_FIRST, 0.15 * self.budget)
            if self.truth is not None:
                error = self.parts.apart(self.own, self.truth[self.ends])
                self.say(f"a first error of {1e3 * error['bodies']:.2g} mm, without a bound")
                return
        self.no_tighter = True

    def tighten(self):
        self.no_tighter = self.tol < 10 * _LAST or 2.5 * self.truth_s > self.left(0.7)
        if self.no_tighter:
            return
        self.say(f"libess at {self.tol / 10:g}")
        found = self.libess(self.tol / 10, self.left(0.7))
        self.no_tighter = found is None
        if found is not None:
            self.tol, self.looser, self.truth = self.tol / 10, self.truth, found

    def judge(self):
        """the reference at the ends of own steps, how it was obtained, the errors and their bounds"""
        names = ("bodies", "hinges", "states")
        steps = {part: _left_over([m[part] for m in self.moved]) for part in names}
        finest = self.runs[-1]
        by_steps = f"MuJoCo's {self.integrator} at {self.step / 2 ** (len(self.runs) - 1):g} s"
        if self.truth is None or not np.isfinite(self.truth).all():
            return finest, by_steps, self.parts.apart(self.own, finest), steps
        truth = self.truth[self.ends]
        error = self.parts.apart(self.own, truth)
        plain = self.parts.apart(finest, truth)
        nearest = plain
        if len(self.runs) > 1 and len(self.runs[-2]) == len(finest) > 0:
            led = np.pad(2 * finest - self.runs[-2], ((0, 0), (0, self.robot.na)))
            led = self.robot.normalise(led)[:, : finest.shape[1]]
            other = self.parts.apart(led, truth)
            nearest = {part: min(plain[part], other[part]) for part in names}
        if self.looser is not None:
            bound = _larger(self.parts.apart(self.looser[1:], self.truth[1:]), nearest)
        else:
            bound = {part: nearest[part] + steps[part] for part in names}
        for part in names:  # where the two lead elsewhere the bound takes in both
            if plain[part] > 3 * steps[part]:
                bound[part] = plain[part] + steps[part]
        if self.is_good(error, bound) or not bound["states"] > steps["states"]:
            return truth, f"libess at {self.tol:g}", error, bound
        wide = {p: bound[p] if bound[p] > 3 * steps[p] else steps[p] for p in names}
        return finest, by_steps, self.parts.apart(self.own, finest), wide

    def is_good(self, error, bound):
        return math.isfinite(bound["states"]) and not any(
            bound[p] > max(_NEGLIGIBLE, _GOOD * (1e-3 if math.isnan(error[p]) else error[p]))
            for p in ("bodies", "hinges")
        )

    def narrow(self):
        self.first()
        while True:
            if len(self.moved) < 3 and not self.no_finer:
                self.halve()
                continue
            found = self.judge()
            if self.is_good(*found[2:]) or self.no_tighter and self.no_finer:
                break
            tighter = self.truth is not None and (
                self.looser is None
                or self.parts.apart(self.looser[1:], self.truth[1:])["states"]
                > self.parts.apart(self.runs[-1], self.truth[self.ends])["states"]
            )
            if tighter and not self.no_tighter or self.no_finer:
                self.tighten()
            else:
                self.halve()
        _library.robot_set_precision(self.robot._handle, math.inf)
        return found

    def worst(self, truth):
        """joints by their largest error"""
        other = self.runs[-2] if truth is self.runs[-1] and len(self.runs) > 1 else self.runs[-1]
        found = []
        for k, unit in self.parts.unit.items():
            if unit not in ("m", "rad"):
                continue
            off = np.abs(self.own[:, k] - truth[:, k]) if len(self.own) else np.zeros(1)
            bound = np.abs(other[:, k] - truth[:, k]).max() if len(other) == len(truth) else math.nan
            if self.truth is not None:
                bound = max(bound, np.abs(self.truth[self.ends][:, k] - truth[:, k]).max())
            at = int(np.argmax(off))
            found.append({
                "joint": self.robot.name(k), "unit": unit, "error": float(off[at]), "bound": float(bound),
                "t": float(self.times[self.ends[at]]),
            })  # fmt: skip
        return sorted(found, key=lambda one: -one["error"])


def audit(
    model: Robot | mujoco.MjModel | str | os.PathLike[str],
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    *,
    t: float = 1.0,
    act: ArrayLike | None = None,
    ctrl: ArrayLike | None = None,
    policy: Callable[..., ArrayLike] | None = None,
    period: float = 0.02,
    integrators: Iterable[str] | None = None,
    time_steps: Iterable[float] | None = None,
    output_step: float = 0.002,
    reference: float | None = None,
    budget: float = 60.0,
    progress: Callable[[str], Any] | None = None,
    without: str | None = None,
) -> Audit:
    """Measure the errors of `mj_step`, at the time step of the model and at others.

    The reference is libess's solution, as in `essbench robot`: to ever smaller tolerances, until a looser
    tolerance and MuJoCo's own finer steps differ from it by at most a tenth of the error, or the budget is
    spent. If libess does not reach the end, MuJoCo's finest steps are the reference. The error is the root
    mean square over positions, velocities and those output times at which a step ends.

    Parameters
    ----------
    model, qpos, qvel, t, act, ctrl
        As in `simulate`.
    policy, period
        As in `simulate`. In MuJoCo the first step at the end of a period, or behind it, has the new controls.
    integrators : list of str, optional
        Default is that of the model, Euler, implicitfast and RK4.
    time_steps : list of float, optional
        Default is the time step of the model, and twice, half and a quarter of it.
    output_step : float
        Interval of the output times.
    reference : float, optional
        Tolerance of the reference. Then there is no budget: libess runs to the end, also at ten times this
        tolerance, and once with short steps where contacts begin or end, so that no step misses the spline
        of `solimp`; these runs bound the error.
    budget : float
        Time of the processor that the reference may take, s.
    progress : callable, optional
        Called with a line of text before each run, such as `print`.
    without : str, optional
        Contacts to exclude, as in `Robot`.

    Returns
    -------
    Audit
        The errors by integrator and step, and those of each joint at the model's own settings.

    Raises
    ------
    ValueError
        If an argument has a wrong value. The message names it and the accepted values.
    RuntimeError
        If neither libess nor MuJoCo's finest steps reach the end.

    See Also
    --------
    ess.mujoco.simulate : A run to a tolerance.
    ess.mujoco.audit_derivative : The same question about derivatives.

    Examples
    --------
    The error of a pendulum's angle after 1 s, in mrad, by Euler at the model's own step of 2 ms:

    >>> import mujoco, ess.mujoco
    >>> xml = '<mujoco><worldbody><body><joint type="hinge" axis="0 1 0"/><geom type="capsule"'
    >>> xml += ' fromto="0 0 0 0 0 -0.5" size="0.02"/></body></worldbody></mujoco>'
    >>> model = mujoco.MjModel.from_xml_string(xml)
    >>> found = ess.mujoco.audit(model, [1.0], reference=1e-8, integrators=["Euler"])
    >>> print(round(1e3 * found.error["hinges"], 2), len(found.rows))
    3.68 4
    """
    _refuse_callbacks()
    if isinstance(model, Robot) and without is not None:
        raise ValueError("`without` is an argument of Robot; this one is made already")
    robot = model if isinstance(model, Robot) else Robot(model, without)
    budget = _ivp._number(budget, "budget")
    if not budget > 0:
        raise ValueError("`budget` must be > 0")
    if progress is not None and not callable(progress):
        raise ValueError("`progress` must be callable, such as print")
    t, output_step = _ivp._number(t, "t"), _ivp._number(output_step, "output_step")
    if not (t > 0 and np.isfinite(t)):
        raise ValueError("`t` must be a finite duration, > 0")
    if not 0 < output_step <= t * (1 + 1e-9):
        raise ValueError("`output_step` must be > 0 and not longer than `t`")
    count = int(np.floor(t / output_step + 1e-9))
    times = output_step * np.arange(count + 1)
    x0, controls = robot.state(qpos, qvel, act), _Controls(robot, ctrl, policy, period)
    if policy is not None and reference is not None:
        raise ValueError("`policy` does not go with `reference`, some of whose runs are in pieces; use `budget`")
    if integrators is None:
        integrators = list(dict.fromkeys([robot.integrator, "Euler", "implicitfast", "RK4"]))
        integrators = [name for name in integrators if name in _INTEGRATORS]
    for name in integrators:
        if name not in _INTEGRATORS:
            raise ValueError(f"`integrators` must be from {', '.join(_INTEGRATORS)}; one is {name}")
    if time_steps is None:
        time_steps = [robot.time_step * part for part in (2.0, 1.0, 0.5, 0.25)]
    steps = sorted(map(float, time_steps), reverse=True)
    for step in steps:
        if not 0 < step < np.inf:
            raise ValueError("`time_steps` must be positive and finite")
        if not _ends(step, times):
            raise ValueError(f"no step of {step:g} s ends at a multiple of `output_step`")
    search = _Search(robot, x0, controls, times, budget, progress)
    if reference is None:
        truth, how, error, bound = search.narrow()
        # a budget that is too short for a bound
        bound = {p: math.inf if math.isnan(x) and error[p] >= 0 else x for p, x in bound.items()}
        if not len(truth):
            raise RuntimeError(
                "no answer: mj_step is unstable at each step tried, and libess does not reach the end"
            )
        states = np.full((len(times), robot.nq + robot.nv), np.nan)
        states[search.ends] = truth
        if how.startswith("libess"):
            states[:] = search.truth
    else:
        states, bound = _to_tolerance(robot, x0, controls, times, reference, search.parts)
        truth, how = states[search.ends], f"libess at {reference:g}"
        search.truth = states
        error = search.parts.apart(search.own, truth)
    rows = []
    for step in steps:
        ends = [i for i in _ends(step, times) if np.isfinite(states[i]).all()]
        for name in integrators:
            found = _steps(robot, x0, controls, name, step, times, ends)
            apart = search.parts.apart(found, states[ends])
            own = name == robot.integrator and step == robot.time_step
            rows.append({
                "integrator": name, "step": step, "error": apart["states"], "bodies": apart["bodies"],
                "hinges": apart["hinges"], "own": own,
            })  # fmt: skip
    over_time = [
        search.parts.apart(search.own[i : i + 1], truth[i : i + 1])["bodies"] for i in range(len(search.own))
    ]
    return Audit(
        rows, bound["states"], how=how, until=float(times[-1]), error=error, bound=bound,
        worst=search.worst(truth), times=times[search.ends][: len(over_time)], over_time=np.array(over_time),
        motion=(robot.model, *(np.ascontiguousarray(x[:, : robot.nq]) for x in (search.own, truth))),
    )  # fmt: skip


def _to_tolerance(robot, x0, ctrl, times, reference, parts):
    """libess's states to that tolerance, and by how much two other runs differ from them"""
    truth, coarse = (
        robot.simulate(
            x0[: robot.nq], x0[robot.nq : robot.nq + robot.nv], times[-1], tol,
            act=x0[robot.nq + robot.nv :], ctrl=ctrl, t_eval=times,
        )
        for tol in (reference, 10 * reference)
    )  # fmt: skip
    if not truth.success:
        raise RuntimeError(f"the reference failed: {truth.message}")
    used = robot.nq + robot.nv
    states, other = (robot.normalise(r.y.T.copy())[:, :used] for r in (truth, coarse))
    bound = dict.fromkeys(("bodies", "hinges", "states"), math.inf)
    if coarse.success:
        bound = parts.apart(other[1:], states[1:])
    near = _by_pieces(robot, x0, ctrl, times, reference)
    if near is not None:
        other = robot.normalise(np.array([x for x, _ in near]))[:, :used]
        bound = _larger(bound, parts.apart(other[1:], states[1:]))
    return states, bound


# ---- trajectories of others -------------------------------------------------------------------
#
# A recorded step has the state that it began from, so that the reference from there shows its error alone.


class _Recorded:
    """recorded controls: row k from times[k] on, until another row differs from it"""

    policy = True

    def __init__(self, times, rows):
        self.times, self.rows = times, rows
        changes = np.any(rows[1:] != rows[:-1], axis=1)
        self.changes = times[1:-1][changes]

    def ticks(self, t):
        return self.changes[self.changes < t]

    def at(self, t, x):
        return self.rows[np.searchsorted(self.times, t, side="right") - 1]


class TrajectoryAudit:
    """The errors of a recorded trajectory: `frame()` is a DataFrame of `rows`, `plot()` a figure.

    Attributes
    ----------
    rows : list of dict
        A recorded step that ends at `t` and has the length `step` (s): its local errors `bodies` (m),
        `hinges` (rad) and `states`, root mean squares over all origins of bodies, all hinges, all positions
        and velocities; `bound`, by how much `bodies` may differ from the true local error; and `events`,
        the contacts and limits that begin or end in it. NAN: libess had no answer, and `note` has the reason.
    over_time : ndarray
        The error of the bodies at each `t` from the first recorded state on, m.
    error, bound : dict
        Root mean squares over the steps of the local errors; and by how much they may differ from the true
        ones.
    total, total_bound : float
        The last known of `over_time`, and its bound.
    growth : float
        `total` over the sum of the local errors until then: 1 if they just add up, more if the motion
        enlarges them, less if they cancel or decay.
    note : str
        What the audit lacks, if anything.
    """

    def __init__(self, rows: list[dict[str, Any]], over_time: NDArray[Any], **about: Any) -> None:
        self.rows, self.over_time = rows, over_time
        self.error: dict[str, float] = about["error"]
        self.bound: dict[str, float] = about["bound"]
        self.total: float = about["total"]
        self.total_bound: float = about["total_bound"]
        self.growth: float = about["growth"]
        self.note: str = about["note"]

    def frame(self) -> Any:
        """The rows as a table of pandas."""
        import pandas

        return pandas.DataFrame(self.rows)

    @property
    def at_events(self) -> tuple[int, float]:
        """The number of steps in which a contact or limit begins or ends, and their share of the sum of
        local errors of the bodies."""
        known = [row for row in self.rows if math.isfinite(row["bodies"])]
        total = sum(row["bodies"] for row in known)
        there = [row["bodies"] for row in known if row["events"]]
        return len(there), sum(there) / total if total > 0 else math.nan

    def __repr__(self) -> str:
        steps = [row["step"] for row in self.rows]
        sizes = f"{1e3 * min(steps):.4g}"
        if max(steps) > min(steps) * (1 + 1e-6):
            sizes += f" to {1e3 * max(steps):.4g}"
        lines = [f"{'steps':<14}{len(steps)} of {sizes} ms, to {self.rows[-1]['t']:.6g} s"]
        label = "local error"
        for part, unit in ("bodies", "m"), ("hinges", "rad"):
            if math.isfinite(self.error[part]):
                said = _known(self.error[part], self.bound[part], unit)
                lines.append(f"{label:<14}{part} {said}, root mean square")
                label = ""
        known = [row for row in self.rows if math.isfinite(row["bodies"])]
        if known:
            most = max(known, key=lambda row: row["bodies"])
            names = ", ".join(dict.fromkeys(most["events"]))
            at = f"{most['t']:.6g} s" + (f": {names}" if names else "")
            said = _known(most["bodies"], most["bound"], "m")
            lines.append(f"{'largest':<14}bodies {said}, in the step to {at}")
        count, share = self.at_events
        if count and math.isfinite(share):
            counted = "1 step" if count == 1 else f"{count} steps"
            lines.append(f"{'at events':<14}{counted}, with {100 * share:.2g} % of the sum of local errors")
        if math.isfinite(self.total):
            said = _known(self.total, self.total_bound, "m")
            lines.append(f"{'at the end':<14}bodies {said}, {self.growth:.2g} times that sum")
        return "\n".join([*lines, *textwrap.wrap(self.note, 100)])

    def plot(self, axes: Any = None) -> Any:
        """Plot the local error of each step and the error from the first state on over time, on `axes` of
        matplotlib."""
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots()[1]
        times = [row["t"] for row in self.rows]
        axes.semilogy(times, [1e3 * row["bodies"] for row in self.rows], label="of each step")
        axes.semilogy(times, 1e3 * self.over_time, label="from the first state on")
        there = [row for row in self.rows if row["events"]]
        axes.semilogy([row["t"] for row in there], [1e3 * row["bodies"] for row in there], "o",
                      label="contact or limit begins or ends")  # fmt: skip
        axes.set_xlabel("time, s")
        axes.set_ylabel("error of the bodies, mm")
        axes.legend()
        return axes


def _rows(value, count, size, name):
    """count rows of size numbers"""
    array = np.ascontiguousarray(_ivp._numbers(value, name), dtype=float)
    if array.shape != (count, size):
        raise ValueError(f"`{name}` must have the shape ({count}, {size}) of this model; it is {array.shape}")
    return array


def _recorded_states(robot, times, qpos, qvel, act):
    """times from 0 on, the states up to the first that is not finite, and a note on it"""
    times = np.ascontiguousarray(_ivp._numbers(times, "times", "an array of times"), dtype=float)
    if times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all():
        raise ValueError("`times` must be at least two finite numbers")
    if not (np.diff(times) > 0).all():
        k = int(np.argmin(np.diff(times) > 0))
        raise ValueError(
            f"`times` must increase; times[{k + 1}] = {times[k + 1]:.6g} follows times[{k}] = {times[k]:.6g}"
        )
    count = len(times)
    given = {"qpos": (qpos, robot.nq), "qvel": (qvel, robot.nv)}
    if act is not None:
        given["act"] = (act, robot.na)
    elif robot.na:
        raise ValueError(f"`act` must have the {robot.na} activations of this model")
    x = np.concatenate([_rows(value, count, size, name) for name, (value, size) in given.items()], axis=1)
    finite = np.isfinite(x).all(axis=1)
    usable = count if finite.all() else int(np.argmin(finite))
    if usable < 2:
        name = next(name for name, (value, _) in given.items() if not np.isfinite(value).all())
        raise ValueError(f"`{name}` must be finite; row {usable} is not, and an audit needs two rows before")
    unit = robot.normalise(x[:usable].copy())
    off = np.abs(unit - x[:usable])
    if off.max() > 0.01:
        k, i = np.argwhere(off == off.max())[0].tolist()
        raise ValueError(f"`qpos` must be of this model; qpos[{k}, {i}] is of a quaternion that is no unit one")
    note = "" if usable == count else f"The trajectory is not finite from {times[usable]:.6g} s on."
    return times[:usable] - times[0], unit, note


def _recorded_controls(robot, ctrl, count):
    """the controls of each step between so many states"""
    if ctrl is None or np.ndim(ctrl) < 2:
        return np.tile(robot.control(ctrl), (count - 1, 1))
    rows = _rows(ctrl, count - 1 if np.shape(ctrl)[0] == count - 1 else count, robot.nu, "ctrl")
    finite = np.isfinite(rows).all(axis=1)
    if not finite[: count - 1].all():
        raise ValueError(f"`ctrl` must be finite; row {int(np.argmin(finite))} is not")
    return rows


def _local(robot, x, ctrl, step, tol, parts):
    """the reference over a step, by how much a run with looser tolerance and short steps differs from it,
    and what begins or ends; or None and why"""
    runs = [
        robot.simulate(
            x[: robot.nq], x[robot.nq : robot.nq + robot.nv], float(step), limit, act=x[robot.nq + robot.nv :],
            ctrl=ctrl, t_eval=[], max_step=longest,
        )
        for limit, longest in ((tol, np.inf), (10 * tol, step / 4))
    ]  # fmt: skip
    failed = [r.message for r in runs if not r.success]
    if failed:
        return None, failed[0]
    states = robot.normalise(np.array([r.y_end for r in runs]))[:, : robot.nq + robot.nv]
    return (states[:1], parts.apart(states[1:], states[:1]), runs[0].crossings_of), ""


def audit_trajectory(
    model: Robot | mujoco.MjModel | str | os.PathLike[str],
    times: ArrayLike,
    qpos: ArrayLike,
    qvel: ArrayLike,
    ctrl: ArrayLike | None = None,
    act: ArrayLike | None = None,
    *,
    tol: float = 1e-9,
    progress: Callable[[str], Any] | None = None,
) -> TrajectoryAudit:
    """Measure the errors of a recorded trajectory of this model, whatever program has computed it.

    The local error of a recorded step is the difference between the recorded state at its end and
    libess's, which begins at the recorded state at its beginning. The error over time is the difference
    from a single run of libess from the first recorded state on.

    Parameters
    ----------
    model : Robot, mujoco.MjModel or path of an MJCF
    times : array_like
        Times of the states, increasing.
    qpos, qvel, act : array_like
        Row k has the positions, velocities and activations at times[k].
    ctrl : array_like, optional
        Row k has the controls from times[k] on; the last row may be missing. Or the same controls for all.
        Default is as in `simulate`.
    tol : float
        Tolerance of the reference. Runs at ten times this tolerance bound its error; those of the steps
        take at least four steps each.
    progress : callable, optional
        Called with a line of text a few times, such as `print`.

    Returns
    -------
    TrajectoryAudit
        The errors of the steps, and the error from the first state on. If the states are not finite from some
        time on, it ends there, and its `note` has the time.

    Raises
    ------
    ValueError
        If an argument has a wrong value, or the states are not of this model. The message names it.

    See Also
    --------
    ess.mujoco.audit : The errors of `mj_step`, from an initial condition on.

    Examples
    --------
    A sphere in free fall by MuJoCo's Euler, which falls by g h^2 / 2 too far in each step, here 19.62 µm:

    >>> import mujoco, numpy as np, ess.mujoco
    >>> xml = '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    >>> model = mujoco.MjModel.from_xml_string(xml)
    >>> data, rows = mujoco.MjData(model), []
    >>> for k in range(51):
    ...     rows.append((data.time, data.qpos.copy(), data.qvel.copy()))
    ...     mujoco.mj_step(model, data)
    >>> found = ess.mujoco.audit_trajectory(model, *zip(*rows))
    >>> print(round(1e6 * found.error["bodies"], 2), len(found.rows), round(found.growth, 3))
    19.62 50 1.0
    """
    robot = model if isinstance(model, Robot) else Robot(model)
    tol = _ivp._number(tol, "tol")
    if not 0 < tol < 0.01:
        raise ValueError("`tol` must be > 0 and < 0.01")
    if progress is not None and not callable(progress):
        raise ValueError("`progress` must be callable, such as print")
    given = np.size(times)
    ends, x, note = _recorded_states(robot, times, qpos, qvel, act)
    rows = _recorded_controls(robot, ctrl, given)[: len(ends) - 1]
    parts, used = _Parts(robot), robot.nq + robot.nv
    found: list[dict[str, Any]] = []
    bounds, failed = [], []
    for k, step in enumerate(np.diff(ends)):
        if progress and k % 100 == 0:
            progress(f"step {k} of {len(ends) - 1}")
        local, why = _local(robot, x[k], rows[k], step, tol, parts)
        apart = bound = dict.fromkeys(("bodies", "hinges", "states"), math.nan)
        events: list[str] = []
        if local is None:
            failed.append(f"{ends[k + 1]:.6g} s ({why})")
        else:
            apart, bound, events = parts.apart(x[k + 1 : k + 2, :used], local[0]), local[1], local[2]
        bounds.append(bound)
        found.append({"t": float(ends[k + 1]), "step": float(step), **apart, "bound": bound["bodies"],
                      "events": events})  # fmt: skip
    if failed:
        note = f"{note} {len(failed)} steps have no reference, the first to {failed[0]}.".strip()
    if progress:
        progress("the whole trajectory")
    over_time, total_bound, why = _from_the_first(robot, ends, x, rows, tol, parts)
    if why:
        note = f"{note} The run from the first state on ends early: {why}.".strip()
    reached = int(np.sum(np.isfinite(over_time)))
    total = float(over_time[reached - 1]) if reached else math.nan
    added = float(np.nansum([row["bodies"] for row in found[:reached]]))

    def over_steps(rows):
        known = {p: np.array([row[p] for row in rows if math.isfinite(row[p])]) for p in ("bodies", "hinges", "states")}
        return {p: _rms(values) for p, values in known.items()}

    return TrajectoryAudit(
        found, over_time, error=over_steps(found), bound=over_steps(bounds), total=total,
        total_bound=total_bound, growth=total / added if added > 0 else math.nan, note=note,
    )  # fmt: skip


def _from_the_first(robot, times, x, rows, tol, parts):
    """the bodies' errors at all times but the first, the bound of the last that is known, and why the
    reference ends early"""
    used = robot.nq + robot.nv
    runs = [
        robot.simulate(
            x[0][: robot.nq], x[0][robot.nq : used], times[-1], limit, act=x[0][used:],
            ctrl=_Recorded(times, rows), t_eval=times,
        )
        for limit in (tol, 10 * tol)
    ]  # fmt: skip
    states = [robot.normalise(r.y.T.copy())[:, :used] for r in runs]
    reached = min(map(len, states))
    over_time = np.full(len(times) - 1, math.nan)
    for k in range(1, reached):
        over_time[k - 1] = parts.apart(x[k : k + 1, :used], states[0][k : k + 1])["bodies"]
    bound = math.nan
    if reached > 1:
        bound = parts.apart(states[1][reached - 1 : reached], states[0][reached - 1 : reached])["bodies"]
    why = next((r.message for r in runs if not r.success), "")
    return over_time, bound, why


# ---- derivatives ------------------------------------------------------------------------------
#
# They are by positions as velocities move them (as nv numbers, quaternions or not), velocities and
# activations: the states of mjd_transitionFD.


class DerivativeAudit:
    """The differences between MuJoCo's derivatives of a trajectory and those of the continuous flow.

    `audit_derivative` returns it. `rows` are dictionaries, `frame()` a DataFrame, `plot()` a figure,
    `verdict` a sentence. `note` gives the reason if there are no rows for later times, and is empty otherwise.
    `derivative` is the flow's at each time, and that of a row is MuJoCo's: 2 nv + na rows (nv positions, nv
    velocities, activations), and as many columns, or one for each direction.
    """

    def __init__(
        self,
        rows: list[dict[str, Any]],
        reference: list[float],
        time_step: float,
        note: str = "",
        derivative: list[NDArray[Any]] | None = None,
    ) -> None:
        self.rows, self.reference, self.time_step, self.note = rows, reference, time_step, note
        self.derivative: list[NDArray[Any]] = derivative or []

    def frame(self) -> Any:
        """The rows as a table of pandas."""
        import pandas

        return pandas.DataFrame(self.rows)

    @property
    def times(self) -> list[float]:
        return list(dict.fromkeys(row["t"] for row in self.rows))

    @property
    def verdict(self) -> str:
        own = [r for r in self.rows if r["step"] == self.time_step and r["t"] == self.times[-1]]
        parts = [
            f"{100 * r['error']:.2g} % ({r['way']})" if math.isfinite(r["error"]) else f"nan ({r['way']})"
            for r in own
        ]
        at = f"At {self.times[-1]:g} s, at steps of {self.time_step:g} s,"
        return f"{at} MuJoCo's derivative differs from the flow's by {' and '.join(parts)}."

    def __repr__(self) -> str:
        head = "".join(f"{f't = {t:g} s':>12}" for t in self.times)
        lines = [f"{'derivative by':<16}{'step, s':>10}{head}"]
        for way, step in dict.fromkeys((row["way"], row["step"]) for row in self.rows):
            found = [r for r in self.rows if (r["way"], r["step"]) == (way, step)]
            errors = "".join(f"{_shown(r['error'], r['reference']):>12}" for r in found)
            lines.append(f"{way:<16}{step:>10.6g}{errors}")
        own = "".join(f"{error:>12.0e}" for error in self.reference)
        lines.append(f"{'error of the reference':<26}{own}")
        return "\n".join([*lines, *textwrap.wrap(self.verdict, 100), *textwrap.wrap(self.note, 100)])

    def plot(self, axes: Any = None) -> Any:
        """Plot the error over time by method and step, on `axes` of matplotlib."""
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots()[1]
        for way, step in dict.fromkeys((row["way"], row["step"]) for row in self.rows):
            rows = [r for r in self.rows if (r["way"], r["step"]) == (way, step)]
            label = f"{way}, {step:g} s"
            axes.semilogy([r["t"] for r in rows], [r["error"] for r in rows], "o-", label=label)
        axes.set_xlabel("time, s")
        axes.set_ylabel("difference from the flow's derivative, relative")
        axes.legend()
        return axes


_SHORT = 0.1  # `atol` over `rtol` for a derivative that is to be exact
_MOVE = 1e-6  # of positions and velocities, for differences; those of mjd_transitionFD, too


def _moved(m, x, direction, by):
    """the state moved along a direction of nv + nv + na numbers"""
    q = x[: m.nq].copy()
    mujoco.mj_integratePos(m, q, np.ascontiguousarray(direction[: m.nv]), by)
    return np.concatenate([q, x[m.nq :] + by * direction[m.nv :]])


def _apart(m, a, b):
    """from state a to b, in nv + nv + na numbers"""
    dq = np.zeros(m.nv)
    mujoco.mj_differentiatePos(m, dq, 1.0, a[: m.nq].copy(), b[: m.nq].copy())
    return np.concatenate([dq, b[m.nq :] - a[m.nq :]])


def _directions(m, x0, along=None):
    """how the state moves along each column of nv + nv + na numbers, or along each number"""
    ways = np.eye(2 * m.nv + m.na) if along is None else along.T
    moved = [_moved(m, x0, w, _MOVE) - _moved(m, x0, w, -_MOVE) for w in ways]
    return np.array(moved).T / (2 * _MOVE)


def _derivative(robot, x, tangents):
    """in nv + nv + na numbers"""
    end = [robot.normalise(x + side * _MOVE * tangents.T) for side in (-1, 1)]
    return np.array([_apart(robot.model, a, b) for a, b in zip(*end)]).T / (2 * _MOVE)


def _no_derivative(r, t):
    """the simultaneous events, if any have the same time"""
    instants, count = np.unique(r.t_crossings, return_counts=True)
    several = instants[count > 1]
    note = f"There is no single derivative at {t:g} s: earlier events are simultaneous"
    if not several.size:
        return note + "."
    names = [name for name, at in zip(r.crossings_of, r.t_crossings) if at == several[0]]
    return f"{note}, {', '.join(names)} at {several[0]:.6g} s."


_ALIKE = 1e-4  # relative difference of the derivatives along a direction and against it, where they agree


def _exact(robot, x0, ctrl, times, tol, atol=1.0, notes=None, along=None):
    """libess's derivative at each of the times; with `notes` only at those before simultaneous events that
    leave no derivative along the given directions"""
    m = robot.model
    start = _directions(m, x0, along)
    found: list = []

    def run(t, directions):
        r = robot.simulate(
            x0[: m.nq], x0[m.nq : m.nq + m.nv], t, tol, act=x0[m.nq + m.nv :], ctrl=ctrl,
            tangents=directions, t_eval=[t], _atol=atol,
        )  # fmt: skip
        if not r.success:
            raise RuntimeError(f"the reference failed: {r.message}")
        return r

    for t in times:
        r = run(t, start)
        exists = "tangents" in r and r.smooth == "C1"
        if along is not None and "tangents" in r and r.smooth == "piecewise":
            # along one direction the flow is differentiable if both of its sides have one derivative
            against = run(t, -start)
            off = np.linalg.norm(r.tangents + against.tangents, axis=0) if "tangents" in against else np.inf
            exists = np.all(off <= _ALIKE * np.linalg.norm(r.tangents, axis=0))
        if not exists:
            note = _no_derivative(r, t)
            if notes is None or not found:
                raise RuntimeError(note)
            notes.append(note)
            break
        found.append(_derivative(robot, r.y_end, r.tangents))
    return found


def _exact_by_pieces(robot, x0, ctrl, times, tol, atol, along=None):
    """the same by a run in pieces; None where a piece fails"""
    found = _by_pieces(robot, x0, ctrl, times, tol, _directions(robot.model, x0, along), atol)
    return None if found is None else [_derivative(robot, x, tangents) for x, tangents in found]


def _put(m, d, x, ctrl):
    mujoco.mj_resetData(m, d)
    _place_mocap(m, d)
    d.qpos[:], d.qvel[:], d.act[:] = x[: m.nq], x[m.nq : m.nq + m.nv], x[m.nq + m.nv :]
    d.ctrl[:] = ctrl


def _by_transitions(m, x0, ctrl, ends, along):
    """the product of mjd_transitionFD's matrices, after so many steps each"""
    d, made = mujoco.MjData(m), 0
    _put(m, d, x0, ctrl)
    count = 2 * m.nv + m.na
    product, found = along, []
    for steps in ends:
        while made < steps:
            A = np.zeros((count, count))
            mujoco.mjd_transitionFD(m, d, _MOVE, True, A, None, None, None)
            product = A @ product
            mujoco.mj_step(m, d)
            made += 1
        found.append(product)
    return found


def _by_runs(m, x0, ctrl, ends, along):
    """central differences of whole runs of mj_step"""
    d = mujoco.MjData(m)

    def run(x):
        _put(m, d, x, ctrl)
        states, made = [], 0
        for steps in ends:
            mujoco.mj_step(m, d, steps - made)
            made = steps
            states.append(np.concatenate([d.qpos, d.qvel, d.act]))
        return states

    columns = []
    for way in along.T:
        sides = [run(_moved(m, x0, way, by)) for by in (-_MOVE, _MOVE)]
        columns.append([_apart(m, a, b) / (2 * _MOVE) for a, b in zip(*sides)])
    return [np.array([column[i] for column in columns]).T for i in range(len(ends))]


def audit_derivative(
    model: Robot | mujoco.MjModel | str | os.PathLike[str],
    qpos: ArrayLike | None = None,
    qvel: ArrayLike | None = None,
    *,
    times: ArrayLike = (0.1, 0.2, 0.3, 0.4, 0.5),
    ctrl: ArrayLike | None = None,
    time_steps: Iterable[float] | None = None,
    tol: float = 1e-9,
    along: ArrayLike | None = None,
) -> DerivativeAudit:
    """Compare MuJoCo's derivatives with respect to the initial condition with those of the continuous flow.

    MuJoCo's derivatives are those of the discrete map, for which they are right: the product of the
    matrices of `mjd_transitionFD` (not for RK4, which it does not support), and central differences of
    whole runs of `mj_step`, with the model's own integrator. The reference is the derivative of the flow
    of the same equations in continuous time, through contacts and limits, by libess at a tolerance of
    `tol`. An error is the Frobenius norm of the difference of the two matrices, divided by the norm of
    the reference. Two further runs estimate the error of the reference: one at ten times the tolerance,
    with longer differences of the right-hand side, and one with short steps where contacts begin or end.

    Parameters
    ----------
    model, qpos, qvel, ctrl
        As in `simulate`.
    times : list of float
        Times of the derivatives, ascending.
    time_steps : list of float, optional
        Default is the time step of the model, and a half and a quarter of it. Each of `times` must be a
        multiple of each time step.
    tol : float
        Tolerance of the reference.
    along : array_like, shape (2 nv + na,) or (2 nv + na, k), optional
        Directions of the initial state (nv positions, nv velocities, activations), along which the derivatives
        are. Default is each of the numbers.

    Returns
    -------
    DerivativeAudit
        After simultaneous events there is no single derivative; its `note` names these events. There is one
        `along` a direction for which the derivative is the same from both sides.

    Raises
    ------
    ValueError
        If an argument has a wrong value. The message names it and the accepted values.

    See Also
    --------
    ess.mujoco.audit : The errors of the states.

    Examples
    --------
    >>> import mujoco, ess.mujoco
    >>> xml = '<mujoco><worldbody><body><joint type="hinge" axis="0 1 0"/><geom type="capsule"'
    >>> xml += ' fromto="0 0 0 0 0 -0.5" size="0.02"/></body></worldbody></mujoco>'
    >>> model = mujoco.MjModel.from_xml_string(xml)
    >>> found = ess.mujoco.audit_derivative(model, [1.0], times=[0.1], time_steps=[0.002])
    >>> print([(row["way"], round(row["error"], 4)) for row in found.rows])
    [('transitions', 0.0011), ('whole runs', 0.0011)]
    """
    robot = model if isinstance(model, Robot) else Robot(model)
    ends: NDArray[Any] = _ivp._numbers(times, "times", "a list of times")
    in_order = ends.ndim == 1 and ends.size and (np.diff(ends, prepend=0.0) > 0).all()
    if not in_order or not np.isfinite(ends).all():
        raise ValueError("`times` must be positive, finite and ascending")
    if time_steps is None:
        time_steps = [robot.time_step / part for part in (1, 2, 4)]
    steps = np.atleast_1d(_ivp._numbers(time_steps, "time_steps", "a list of times")).tolist()
    if not steps:
        raise ValueError("`time_steps` must have at least one time step")
    m = robot.model
    count = 2 * m.nv + m.na
    ways = None
    if along is not None:
        ways = _ivp._numbers(along, "along")
        ways = ways[:, None] if ways.ndim == 1 else ways
        if ways.ndim != 2 or len(ways) != count or not ways.size or not np.isfinite(ways).all():
            raise ValueError(f"`along` must have {count} finite numbers, or that many rows")
        if not np.linalg.norm(ways, axis=0).all():
            raise ValueError("`along` must have no direction of zeros")
    # MuJoCo's differences of positions are those of unit quaternions
    x0, ctrl = robot.normalise(robot.state(qpos, qvel)), robot.control(ctrl)
    for step in steps:
        if not (0 < step < np.inf) or len(_ends(step, [0.0, *ends])) < len(ends):
            raise ValueError(f"`times` must be multiples of each of `time_steps`; one is {step:g}")
    # the tolerance of a state near 0 also says over how long a way the field is differenced
    notes: list[str] = []
    exact = _exact(robot, x0, ctrl, ends, tol, _SHORT, notes, ways)
    ends = ends[: len(exact)]
    coarse = _exact(robot, x0, ctrl, ends, 10 * tol, notes=notes, along=ways)
    ends = ends[: len(coarse)]
    others = [
        coarse,
        _exact_by_pieces(robot, x0, ctrl, ends, tol, _SHORT, ways),
    ]

    def off(found, i):
        return float(np.linalg.norm(found - exact[i]) / np.linalg.norm(exact[i]))

    reference = [max(off(one[i], i) for one in others if one) for i in range(len(ends))]
    methods = {"transitions": _by_transitions, "whole runs": _by_runs}
    if robot.integrator == "RK4":
        del methods["transitions"]
    rows = []
    for name, method in methods.items():
        for step in steps:
            m = copy.copy(robot.model)
            m.opt.timestep = step
            found = method(m, x0, ctrl, [round(t / step) for t in ends], np.eye(count) if ways is None else ways)
            for i, t in enumerate(ends):
                row = {"way": name, "step": step, "t": float(t), "error": off(found[i], i)}
                rows.append({**row, "reference": reference[i], "derivative": found[i]})
    return DerivativeAudit(rows, reference, robot.time_step, notes[0] if notes else "", exact[: len(ends)])
