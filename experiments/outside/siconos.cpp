/*
 * Balls by Siconos, event-driven: its LsodarOSI between impacts, which it locates. Balls above a
 * floor, each by itself, or equal balls in a row that touch, of which the first arrives. Prints
 * `impacts COUNT`, then `impact TIME`, and last `end TIME POSITIONS VELOCITIES`.
 *
 * usage: siconos floor RESTITUTION DURATION HEIGHT... | row RESTITUTION COUNT
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <SiconosKernel.hpp>

static const double gravity = 9.81, tolerance = 1e-12, tolerance_of_events = 1e-8, apart = 1.0;

int main(int count, char **word) {
  if (count < 4) return 2;
  const bool row = !strcmp(word[1], "row");
  const double restitution = atof(word[2]), duration = row ? 1.0 : atof(word[3]);
  const unsigned n = row ? atoi(word[3]) : count - 4;
  SP::SiconosVector q(new SiconosVector(n)), v(new SiconosVector(n)), weight(new SiconosVector(n));
  SP::SimpleMatrix mass(new SimpleMatrix(n, n));
  mass->eye();
  v->zero();
  weight->zero();
  for (unsigned i = 0; i < n; i++) {
    q->setValue(i, row ? i * apart : atof(word[4 + i]));
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
  std::vector<SP::Interaction> contacts;
  for (unsigned i = 0; i + row < n; i++) {
    SP::SimpleMatrix H(new SimpleMatrix(1, n));
    SP::SiconosVector b(new SiconosVector(1));
    H->zero();
    H->setValue(0, row ? i + 1 : i, 1.0);
    if (row) H->setValue(0, i, -1.0);
    b->setValue(0, row ? -apart : 0.0);
    SP::NonSmoothLaw law(new NewtonImpactNSL(restitution));
    SP::Relation gap(new LagrangianLinearTIR(H, b));
    SP::Interaction contact(new Interaction(law, gap));
    contacts.push_back(contact);
    system->link(contact, balls);
  }
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
  for (unsigned i = 0; i < n; i++) printf(" %.17g", balls->q()->getValue(i));
  for (unsigned i = 0; i < n; i++) printf(" %.17g", balls->velocity()->getValue(i));
  printf("\n");
  return 0;
}
