/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "siconos_block.h"

#include <cmath>

#include <SiconosKernel.hpp>

namespace {

const double width = 0.05, height = 0.1, mass = 5.0, gravity = 9.81, tilt = 0.2;

/* a rate that changes by more within a step has met an impact, rad/s */
const double jump = 0.1;

/* a corner above the ground, and along it */
class Corner : public LagrangianScleronomousR {
  double across;

  void from(const BlockVector &q, double &x, double &z) const {
    const double c = std::cos(q(2)), s = std::sin(q(2)), down = -0.5 * height;
    x = across * c - down * s;
    z = across * s + down * c;
  }

public:
  explicit Corner(double across_) : across(across_) {
  }

  void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override {
    double x, z;
    from(q, x, z);
    y.setValue(0, q(1) + z);
    y.setValue(1, q(0) + x);
  }

  void computeJachq(const BlockVector &q, BlockVector &) override {
    double x, z;
    from(q, x, z);
    const double rows[2][3] = {{0.0, 1.0, x}, {1.0, 0.0, -z}};
    for (unsigned i = 0; i < 2; i++)
      for (unsigned j = 0; j < 3; j++) _jachq->setValue(i, j, rows[i][j]);
  }
};

SP::LagrangianLinearTIDS block_at_rest() {
  SP::SiconosVector q(new SiconosVector(3)), v(new SiconosVector(3)), weight(new SiconosVector(3));
  SP::SimpleMatrix inertia(new SimpleMatrix(3, 3));
  q->zero();
  v->zero();
  weight->zero();
  inertia->zero();
  q->setValue(1, 0.5 * width * std::sin(tilt) + 0.5 * height * std::cos(tilt));
  q->setValue(2, tilt);
  weight->setValue(1, -mass * gravity);
  inertia->setValue(0, 0, mass);
  inertia->setValue(1, 1, mass);
  inertia->setValue(2, 2, mass * (width * width + height * height) / 12.0);
  SP::LagrangianLinearTIDS block(new LagrangianLinearTIDS(q, v, inertia));
  block->setFExtPtr(weight);
  return block;
}

} // namespace

size_t siconos_block(double step, double duration, siconos_impact impact[], size_t most,
                     double *angle) {
  const SP::LagrangianLinearTIDS block = block_at_rest();
  const double friction = 10.0;
  SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0.0, duration));
  system->insertDynamicalSystem(block);
  for (int side = -1; side <= 1; side += 2) {
    SP::NonSmoothLaw law(new NewtonImpactFrictionNSL(0.0, 0.0, friction, 2));
    SP::Relation corner(new Corner(0.5 * side * width));
    system->link(SP::Interaction(new Interaction(law, corner)), block);
  }
  SP::TimeStepping simulation(
      new TimeStepping(system, SP::TimeDiscretisation(new TimeDiscretisation(0.0, step)),
                       SP::OneStepIntegrator(new MoreauJeanOSI(0.5)),
                       SP::OneStepNSProblem(new FrictionContact(2, SICONOS_FRICTION_2D_ENUM))));
  size_t count = 0;
  double before = block->velocity()->getValue(2);
  while (simulation->hasNextEvent()) {
    simulation->computeOneStep();
    const double after = block->velocity()->getValue(2);
    if (std::fabs(after - before) > jump && count < most)
      impact[count++] = {simulation->nextTime(), before, after};
    before = after;
    simulation->nextStep();
  }
  *angle = block->q()->getValue(2);
  return count;
}
