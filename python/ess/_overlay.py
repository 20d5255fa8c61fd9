# SPDX-License-Identifier: Apache-2.0
"""Pictures of a robot with a second state of it as a translucent ghost, by MuJoCo's own renderer."""

import copy
import importlib
import math
import os
import sys

import mujoco
import numpy as np

_GHOST = (0.2, 0.5, 1.0, 0.45)  # red, green, blue, opacity
_NO_RENDERER = (
    "no off-screen OpenGL: `render` needs EGL (Debian: libegl1) or OSMesa (libosmesa6), of which "
    "MUJOCO_GL=egl or MUJOCO_GL=osmesa chooses one"
)


def _context(width, height):
    """a current OpenGL context without a window, by the kind that MUJOCO_GL names, or by either"""
    asked = os.environ.get("MUJOCO_GL", "").lower().strip()
    why = ""
    for name in (asked,) if asked in ("egl", "osmesa") else ("egl", "osmesa"):
        before = os.environ.get("PYOPENGL_PLATFORM")
        try:
            context = importlib.import_module(f"mujoco.{name}").GLContext(width, height)
            context.make_current()
            return context
        except Exception as absent:  # of many kinds: no library, no device, another platform
            why = why or f"{name}: {absent}".splitlines()[0]
            if before is None:
                os.environ.pop("PYOPENGL_PLATFORM", None)
            sys.modules.pop(f"mujoco.{name}", None)
    raise RuntimeError(f"{_NO_RENDERER} ({why})")


class Overlay:
    """A renderer of two states of a model. Use it in a `with` statement."""

    def __init__(self, model, width, height):
        self.model, self.size = copy.copy(model), (width, height)
        self.model.vis.global_.offwidth = max(width, self.model.vis.global_.offwidth)
        self.model.vis.global_.offheight = max(height, self.model.vis.global_.offheight)
        self.gl = _context(width, height)
        self.context = mujoco.MjrContext(self.model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self.context)
        self.scene = mujoco.MjvScene(self.model, maxgeom=10_000)
        self.option, self.camera = mujoco.MjvOption(), mujoco.MjvCamera()
        self.data = [mujoco.MjData(self.model) for _ in range(2)]
        mujoco.mjv_defaultFreeCamera(self.model, self.camera)

    def __enter__(self):
        return self

    def __exit__(self, *of_error):
        self.context.free()
        self.gl.free()

    def place(self, k, qpos, mocap):
        d = self.data[k]
        mocap(self.model, d)
        d.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, d)
        mujoco.mj_comPos(self.model, d)
        mujoco.mj_camlight(self.model, d)
        return d

    def frame(self, positions, mocap):
        """Turn the camera to what moves, for all of these positions."""
        m = self.model
        moving = [g for g in range(m.ngeom) if m.body_weldid[m.geom_bodyid[g]] and m.geom_rbound[g] > 0]
        if not moving:
            return
        places = np.concatenate([self.place(0, q, mocap).geom_xpos[moving] for q in positions])
        centre = (places.min(axis=0) + places.max(axis=0)) / 2
        far = np.linalg.norm(places - centre, axis=1) + np.tile(m.geom_rbound[moving], len(positions))
        self.camera.lookat[:] = centre
        self.camera.distance = 1.1 * float(far.max()) / math.sin(math.radians(m.vis.global_.fovy) / 2)
        self.camera.azimuth, self.camera.elevation = 120.0, -15.0

    def render(self, qpos, ghost, mocap):
        """An image, height x width x 3, of the robot at `qpos`, and of its ghost unless that is None."""
        d = self.place(0, qpos, mocap)
        everything, moving = mujoco.mjtCatBit.mjCAT_ALL.value, mujoco.mjtCatBit.mjCAT_DYNAMIC.value
        mujoco.mjv_updateScene(self.model, d, self.option, None, self.camera, everything, self.scene)
        if ghost is not None:
            first, d = self.scene.ngeom, self.place(1, ghost, mocap)
            mujoco.mjv_addGeoms(self.model, d, self.option, mujoco.MjvPerturb(), moving, self.scene)
            for geom in self.scene.geoms[first : self.scene.ngeom]:
                geom.matid, geom.rgba[:] = -1, _GHOST
        width, height = self.size
        image = np.empty((height, width, 3), np.uint8)
        view = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(view, self.scene, self.context)
        mujoco.mjr_readPixels(image, None, view, self.context)
        return image[::-1]


def write_gif(file, images, fps):
    try:
        from PIL import Image
    except ModuleNotFoundError as absent:
        raise ModuleNotFoundError("`render` needs the package Pillow: pip install pillow") from absent
    frames = [Image.fromarray(np.ascontiguousarray(image)) for image in images]
    frames[0].save(file, save_all=True, append_images=frames[1:], duration=round(1000 / fps), loop=0)
