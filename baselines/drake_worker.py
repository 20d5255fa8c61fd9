# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that runs Drake for drake.c: a body on springs as a MultibodyPlant.

argv[1] is JSON: the body, its springs, the scheme, the accuracy, the output times. Each request is a start, as doubles.
Each answer, and a first one once all is built, is 256 bytes: a whole number, the steps taken or -1, and where that is -1
the reason. After steps come the states at the output times, as doubles.
"""
import json
import os
import struct
import sys

OUT = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what a library prints is not an answer


def say(steps, why="", states=b""):
    OUT.write(struct.pack("=q248s", steps, " ".join(why.split()).encode()[:247]) + states)
    OUT.flush()


try:
    import logging

    import numpy as np
    from pydrake.all import (AddContactMaterial, ContactModel, CoulombFriction, DiagramBuilder, FixedOffsetFrame, HalfSpace,
                             MultibodyPlant, PlanarJoint, PrismaticJoint, ProximityProperties, ResetIntegratorFromFlags,
                             RigidTransform, RotationMatrix, SceneGraph, Simulator, SpatialInertia, Sphere, UnitInertia)
except ImportError as why:
    say(-1, str(why))
    sys.exit(0)
logging.getLogger("drake").setLevel(logging.ERROR)

HARD = 1e25  # N/m, of the plane: a contact's stiffness is that of both in series, so the sphere's
NO_FRICTION = CoulombFriction(0.0, 0.0)


def material(stiffness, dissipation):
    """Of f = k p (1 + d p'), Hunt and Crossley's law."""
    properties = ProximityProperties()
    AddContactMaterial(dissipation=dissipation, point_stiffness=stiffness, friction=NO_FRICTION, properties=properties)
    return properties


def turned(rows):
    return RigidTransform(RotationMatrix(np.array(rows, dtype=float)))


def join(plant, body, planar):
    """By x, z and the angle that turns +x to +z; or by z alone."""
    if not planar:
        return plant.AddJoint(PrismaticJoint("z", plant.world_frame(), body.body_frame(), [0, 0, 1]))
    upright = turned([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    of_world = plant.AddFrame(FixedOffsetFrame("of_world", plant.world_frame(), upright))
    of_body = plant.AddFrame(FixedOffsetFrame("of_body", body.body_frame(), upright))
    return plant.AddJoint(PlanarJoint("plane", of_world, of_body, [0, 0, 0]))


def build(s):
    """The underside of the body is a plane, and each spring a sphere that stands still."""
    builder = DiagramBuilder()
    scene = builder.AddNamedSystem("scene", SceneGraph())
    plant = builder.AddNamedSystem("plant", MultibodyPlant(0.0))
    plant.RegisterAsSourceForSceneGraph(scene)
    plant.set_contact_model(ContactModel.kPoint)
    arm = s["inertia"] / s["mass"]
    body = plant.AddRigidBody("body", SpatialInertia(s["mass"], [0, 0, 0], UnitInertia(arm, arm, arm)))
    join(plant, body, s["planar"])
    down = turned([[1, 0, 0], [0, -1, 0], [0, 0, -1]])
    plant.RegisterCollisionGeometry(body, down, HalfSpace(), "underside", material(HARD, 0.0))
    for i, x in enumerate(s["springs"]):
        place = RigidTransform([x, 0, s["free_length"] - s["radius"]])
        plant.RegisterCollisionGeometry(plant.world_body(), place, Sphere(s["radius"]), f"spring{i}",
                                        material(s["stiffness"], s.get("dissipation", 0.0)))
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -s["gravity"]])
    plant.Finalize()
    builder.Connect(plant.get_geometry_pose_output_port(), scene.get_source_pose_port(plant.get_source_id()))
    builder.Connect(scene.get_query_output_port(), plant.get_geometry_query_input_port())
    return builder.Build(), plant


class Run:
    def __init__(self, s):
        diagram, self.plant = build(s)
        self.simulator = Simulator(diagram)
        self.context = self.simulator.get_mutable_context()
        self.its_own = self.plant.GetMyMutableContextFromRoot(self.context)
        self.integrator = ResetIntegratorFromFlags(self.simulator, s["scheme"], s["longest"])
        self.integrator.set_fixed_step_mode(False)
        self.integrator.set_target_accuracy(s["accuracy"])
        self.times = s["dt"] * np.arange(s["count"])
        self.size = 2 * self.plant.num_positions()

    def answer(self, start):
        x0 = np.frombuffer(start)
        half = len(x0) // 2
        self.context.SetTime(0.0)
        self.plant.SetPositions(self.its_own, x0[:half])
        self.plant.SetVelocities(self.its_own, x0[half:])
        self.simulator.Initialize()
        self.integrator.StartDenseIntegration()
        self.simulator.AdvanceTo(self.times[-1])
        states = self.integrator.StopDenseIntegration().vector_values(self.times)
        say(self.integrator.get_num_steps_taken(), states=np.ascontiguousarray(states.T).tobytes())


def leave_core():
    """The one who asks waits on its core, so that nobody else takes it meanwhile; this process works on another."""
    others = set(range(os.cpu_count())) - os.sched_getaffinity(os.getppid())
    if others:
        os.sched_setaffinity(0, others)


def main():
    leave_core()
    run = Run(json.loads(sys.argv[1]))
    say(0)
    while len(start := sys.stdin.buffer.read(8 * run.size)) == 8 * run.size:
        try:
            run.answer(start)
        except RuntimeError as why:
            say(-1, str(why))


try:
    main()
except Exception as why:  # whatever Drake does not take
    say(-1, str(why))
