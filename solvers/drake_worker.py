# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that runs Drake for drake.c: a body on springs, or on legs, as a MultibodyPlant. Requests and answers are
those of worker.h."""
import json
import os
import struct
import sys

OUT = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # what a library prints is not an answer


RATES, STATES, COUNTS = range(3)


def say(steps, why="", evaluations=0, numbers=b""):
    OUT.write(struct.pack("=4q224s", steps, 0, evaluations, 0, " ".join(why.split()).encode()[:223]) + numbers)
    OUT.flush()


try:
    import logging

    import numpy as np
    from pydrake.all import (AddContactMaterial, CollisionFilterDeclaration, ContactModel, CoulombFriction, DiagramBuilder,
                             FixedOffsetFrame, GeometrySet, HalfSpace, MultibodyPlant, PlanarJoint, PrismaticJoint,
                             ProximityProperties, ResetIntegratorFromFlags, RevoluteJoint, RevoluteSpring, RigidTransform,
                             RotationalInertia, RotationMatrix, SceneGraph, Simulator, SpatialInertia, Sphere, UnitInertia)
except ImportError as why:
    say(-1, str(why))
    sys.exit(0)
logging.getLogger("drake").setLevel(logging.ERROR)

HARD = 1e25  # N/m, of the plane: a contact's stiffness is that of both in series, so the sphere's
EXPLICIT = 0.01  # s, of legs: free fall has no error, so steps grow until one goes so deep that no number is left
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


def add_springs(plant, s):
    """The underside of the body is a plane, and each spring a sphere that stands still."""
    arm = s["inertia"] / s["mass"]
    body = plant.AddRigidBody("body", SpatialInertia(s["mass"], [0, 0, 0], UnitInertia(arm, arm, arm)))
    join(plant, body, s["planar"])
    down = turned([[1, 0, 0], [0, -1, 0], [0, 0, -1]])
    plant.RegisterCollisionGeometry(body, down, HalfSpace(), "underside", material(HARD, 0.0))
    for i, x in enumerate(s["springs"]):
        place = RigidTransform([x, 0, s["free_length"] - s["radius"]])
        plant.RegisterCollisionGeometry(plant.world_body(), place, Sphere(s["radius"]), f"spring{i}",
                                        material(s["stiffness"], s.get("dissipation", 0.0)))


def add_link(plant, s, link, name, parent, at, axis):
    """A rod that hangs from a hinge with a spring and a damper, `at` a point of its parent."""
    mass, inertia, length = s["link_mass"][link], s["link_inertia"][link], s["link_length"][link]
    rod = SpatialInertia.MakeFromCentralInertia(mass, [0, 0, -0.5 * length], RotationalInertia(inertia, inertia, inertia))
    body = plant.AddRigidBody(name, rod)
    place = plant.AddFrame(FixedOffsetFrame(f"of_{name}", parent.body_frame(), RigidTransform(at)))
    hinge = plant.AddJoint(RevoluteJoint(f"hinge_{name}", place, body.body_frame(), axis, damping=s["joint_damping"]))
    plant.AddForceElement(RevoluteSpring(hinge, s["rest"][link], s["joint_stiffness"]))
    return body


def add_legs(plant, s):
    """A free body on legs of two links each, whose feet are spheres above a plane."""
    unit = UnitInertia(*[about / s["mass"] for about in s["inertia"]])
    body = plant.AddRigidBody("body", SpatialInertia(s["mass"], [0, 0, 0], unit))
    feet = []
    for i, angle in enumerate(s["legs"]):
        hip = [s["body_radius"] * np.cos(angle), s["body_radius"] * np.sin(angle), 0]
        axis = [-np.sin(angle), np.cos(angle), 0]
        thigh = add_link(plant, s, 0, f"thigh{i}", body, hip, axis)
        shank = add_link(plant, s, 1, f"shank{i}", thigh, [0, 0, -s["link_length"][0]], axis)
        feet.append(plant.RegisterCollisionGeometry(shank, RigidTransform([0, 0, -s["link_length"][1]]), Sphere(s["radius"]),
                                                    f"foot{i}", material(s["stiffness"], s.get("dissipation", 0.0))))
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", material(HARD, 0.0))
    return feet


def build(s):
    builder = DiagramBuilder()
    scene = builder.AddNamedSystem("scene", SceneGraph())
    plant = builder.AddNamedSystem("plant", MultibodyPlant(0.0))
    plant.RegisterAsSourceForSceneGraph(scene)
    plant.set_contact_model(ContactModel.kPoint)
    if "legs" in s:
        feet = GeometrySet(add_legs(plant, s))
        scene.collision_filter_manager().Apply(CollisionFilterDeclaration().ExcludeWithin(feet))
    else:
        add_springs(plant, s)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -s["gravity"]])
    plant.Finalize()
    builder.Connect(plant.get_geometry_pose_output_port(), scene.get_source_pose_port(plant.get_source_id()))
    builder.Connect(scene.get_query_output_port(), plant.get_geometry_query_input_port())
    return builder.Build(), plant


class AsItIs:
    """A state that both write alike."""

    def theirs(self, x):
        return x

    def ours(self, states):
        return states

    def our_rates(self, x, rates):
        return rates


class Free:
    """A free body's state: here the position comes first, and the angular velocity is in the body's frame; in Drake the
    quaternion comes first, and the angular velocity, which is in the world's frame."""

    def __init__(self, plant):
        self.nq = plant.num_positions()

    def theirs(self, x):
        return np.concatenate((self.swapped(x[:7], 3), x[7 : self.nq], self.rates(x[3:7], x[self.nq :], False)))

    def ours(self, states):
        turn, v = states[:4], states[self.nq :]
        return np.concatenate((self.swapped(states[:7], 4), states[7 : self.nq], self.rates(turn, v, True)))

    def our_rates(self, x, rates):
        """How a state of ours changes, by how its own does; both angular accelerations are of one vector."""
        return np.concatenate((self.swapped(rates[:7], 4), rates[7 : self.nq], self.rates(x[3:7], rates[self.nq :], True)))

    @staticmethod
    def swapped(x, first):
        return np.concatenate((x[first:], x[:first]))

    def rates(self, turn, v, to_body):
        """The first six velocities, in the other's order and frame."""
        spin = v[:3] if to_body else v[3:6]
        w, axis = turn[0], turn[1:] * (-1.0 if to_body else 1.0)
        cross = np.cross(axis, spin, axis=0) + w * spin
        spin = spin + 2.0 * np.cross(axis, cross, axis=0) / np.sum(turn * turn, axis=0)
        return np.concatenate((v[3:6], spin, v[6:]) if to_body else (spin, v[:3], v[6:]))


class Run:
    def __init__(self, s):
        diagram, self.plant = build(s)
        self.simulator = Simulator(diagram)
        self.context = self.simulator.get_mutable_context()
        self.its_own = self.plant.GetMyMutableContextFromRoot(self.context)
        longest = s["longest"] if s["scheme"] == "cenic" or "legs" not in s else min(s["longest"], EXPLICIT)
        self.integrator = ResetIntegratorFromFlags(self.simulator, s["scheme"], longest)
        self.integrator.set_fixed_step_mode(False)
        self.integrator.set_target_accuracy(s["accuracy"])
        self.times = s["dt"] * np.arange(s["count"])
        self.form = Free(self.plant) if "legs" in s else AsItIs()
        self.size = self.plant.num_positions() + self.plant.num_velocities()

    def answer(self, what, x):
        self.context.SetTime(0.0)
        self.plant.SetPositionsAndVelocities(self.its_own, self.form.theirs(x))
        if what == RATES:
            rates = self.plant.EvalTimeDerivatives(self.its_own).CopyToVector()
            say(0, numbers=self.form.our_rates(x, rates).tobytes())
            return
        self.simulator.Initialize()
        self.integrator.ResetStatistics()
        self.integrator.StartDenseIntegration()
        self.simulator.AdvanceTo(self.times[-1])
        states = self.form.ours(self.integrator.StopDenseIntegration().vector_values(self.times))
        say(self.integrator.get_num_steps_taken(), evaluations=self.integrator.get_num_derivative_evaluations(),
            numbers=b"" if what == COUNTS else np.ascontiguousarray(states.T).tobytes())  # fmt: skip


def leave_core():
    """The one who asks waits on its core, so that nobody else takes it meanwhile; this process works on another."""
    others = set(range(os.cpu_count())) - os.sched_getaffinity(os.getppid())
    if others:
        os.sched_setaffinity(0, others)


def main():
    leave_core()
    run = Run(json.loads(sys.argv[1]))
    say(0)
    while len(asked := sys.stdin.buffer.read(8 + 8 * run.size)) == 8 + 8 * run.size:
        try:
            run.answer(int.from_bytes(asked[:8], sys.byteorder), np.frombuffer(asked[8:]))
        except RuntimeError as why:
            say(-1, str(why))


try:
    main()
except Exception as why:  # whatever Drake does not take
    say(-1, str(why))
