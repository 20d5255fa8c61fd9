/*
 * Impacts by Siconos, event-driven: its LsodarOSI between impacts, which it locates. Balls above a
 * floor, each by itself; equal balls in a row that touch, of which the first arrives; or a block
 * without friction that rocks from one lower corner to the other, where it lands plastically.
 * Prints `impact TIME` for each, and last `end TIME POSITIONS VELOCITIES`.
 *
 * usage: siconos floor RESTITUTION DURATION HEIGHT... | row RESTITUTION COUNT | block TILT DURATION
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <SiconosKernel.hpp>

static const double gravity = 9.81, tolerance = 1e-12, tolerance_of_events = 1e-8;
static const double apart = 1.0, block_width = 0.05, block_height = 0.1;

static void insert(SP::NonSmoothDynamicalSystem system, SP::LagrangianDS bodies, double restitution,
                   SP::Relation gap) {
  SP::NonSmoothLaw law(new NewtonImpactNSL(restitution));
  system->link(SP::Interaction(new Interaction(law, gap)), bodies);
}

/* Integrates, and prints impacts and the end. */
static void follow(SP::NonSmoothDynamicalSystem system, SP::LagrangianDS bodies, double duration) {
  SP::LsodarOSI steps(new LsodarOSI());
  SP::OneStepNSProblem impact(new LCP()), force(new LCP());
  SP::TimeDiscretisation output(new TimeDiscretisation(0.0, duration / 20.0));
  SP::EventDriven run(new EventDriven(system, output));
  run->insertIntegrator(steps);
  run->insertNonSmoothProblem(impact, SICONOS_OSNSP_ED_IMPACT);
  run->insertNonSmoothProblem(force, SICONOS_OSNSP_ED_SMOOTH_ACC);
  run->setToleranceED(tolerance_of_events);
  steps->setTol(1, tolerance, tolerance);
  while (run->hasNextEvent()) {
    run->advanceToEvent();
    if (run->eventsManager()->nextEvent()->getType() == 2)
      printf("impact %.17g\n", run->nextTime());
    run->processEvents();
  }
  printf("end %.17g", run->startingTime());
  for (const SP::SiconosVector &values : {bodies->q(), bodies->velocity()})
    for (unsigned i = 0; i < values->size(); i++) printf(" %.17g", values->getValue(i));
  printf("\n");
}

static void follow_balls(bool row, double restitution, double duration, unsigned n, char **height) {
  SP::SiconosVector q(new SiconosVector(n)), v(new SiconosVector(n)), weight(new SiconosVector(n));
  SP::SimpleMatrix mass(new SimpleMatrix(n, n));
  mass->eye();
  v->zero();
  weight->zero();
  for (unsigned i = 0; i < n; i++) {
    q->setValue(i, row ? i * apart : atof(height[i]));
    if (!row) weight->setValue(i, -gravity);
  }
  if (row) { // the first is half a second away
    q->setValue(0, -0.5);
    v->setValue(0, 1.0);
  }
  SP::LagrangianLinearTIDS balls(new LagrangianLinearTIDS(q, v, mass));
  balls->setFExtPtr(weight);
  SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0.0, duration));
  system->insertDynamicalSystem(balls);
  for (unsigned i = 0; i + row < n; i++) {
    SP::SimpleMatrix H(new SimpleMatrix(1, n));
    SP::SiconosVector b(new SiconosVector(1));
    H->zero();
    H->setValue(0, row ? i + 1 : i, 1.0);
    if (row) H->setValue(0, i, -1.0);
    b->setValue(0, row ? -apart : 0.0);
    insert(system, balls, restitution, SP::Relation(new LagrangianLinearTIR(H, b)));
  }
  follow(system, balls, duration);
}

/* The height of a lower corner of the block, whose coordinates are height and angle of its centre.
 * Siconos computes the derivative of J by time more rarely than J itself; here it is always that of
 * the same state. */
class Corner : public LagrangianScleronomousR {
  const double across;
  const SP::SiconosVector v;

public:
  Corner(double across_, SP::SiconosVector v_) : across(across_), v(v_) {
    _jachq.reset(new SimpleMatrix(1, 2));
    _dotjachq.reset(new SimpleMatrix(1, 2));
  }

  void computeh(const BlockVector &q, BlockVector &, SiconosVector &y) override {
    y.setValue(0, q(0) + across * std::sin(q(1)) - 0.5 * block_height * std::cos(q(1)));
  }

  void computeJachq(const BlockVector &q, BlockVector &) override {
    const double c = std::cos(q(1)), s = std::sin(q(1)), rate = v->getValue(1);
    _jachq->setValue(0, 0, 1.0);
    _jachq->setValue(0, 1, across * c + 0.5 * block_height * s);
    _dotjachq->setValue(0, 0, 0.0);
    _dotjachq->setValue(0, 1, (0.5 * block_height * c - across * s) * rate);
  }

  void computeDotJachq(const BlockVector &q, BlockVector &z, const BlockVector &) override {
    computeJachq(q, z);
  }
};

static void follow_block(double tilt, double duration) {
  SP::SiconosVector q(new SiconosVector(2)), v(new SiconosVector(2)), weight(new SiconosVector(2));
  SP::SimpleMatrix inertia(new SimpleMatrix(2, 2));
  v->zero();
  weight->zero();
  inertia->zero();
  q->setValue(0, 0.5 * block_width * std::sin(tilt) + 0.5 * block_height * std::cos(tilt));
  q->setValue(1, tilt);
  weight->setValue(0, -gravity);
  inertia->setValue(0, 0, 1.0);
  inertia->setValue(1, 1, (block_width * block_width + block_height * block_height) / 12.0);
  SP::LagrangianLinearTIDS block(new LagrangianLinearTIDS(q, v, inertia));
  block->setFExtPtr(weight);
  SP::NonSmoothDynamicalSystem system(new NonSmoothDynamicalSystem(0.0, duration));
  system->insertDynamicalSystem(block);
  for (int side = -1; side <= 1; side += 2)
    insert(system, block, 0.0,
           SP::Relation(new Corner(0.5 * side * block_width, block->velocity())));
  follow(system, block, duration);
}

int main(int count, char **word) {
  if (count < 4) return 2;
  const double first = atof(word[2]), second = atof(word[3]);
  if (!strcmp(word[1], "block"))
    follow_block(first, second);
  else if (!strcmp(word[1], "row"))
    follow_balls(true, first, 1.0, (unsigned)second, nullptr);
  else
    follow_balls(false, first, second, (unsigned)count - 4, word + 4);
  return 0;
}
