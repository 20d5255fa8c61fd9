// SPDX-License-Identifier: GPL-3.0-or-later
// The process that runs Simbody for simbody.c: a body on springs, as a MultibodySystem. Requests
// and answers are those of worker.h. A scheme is the name of an integrator, `-contact` where
// Simbody's own tracker finds the contacts, and `-witness` where each contact has an event handler
// whose witness function is its depth.
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <unistd.h>

#include <Simbody.h>
#include <cstring>
#include <memory>

using namespace SimTK;

namespace {

// ---- what is asked for
// ---------------------------------------------------------------------------

struct Words {
  explicit Words(const char *text) : top(json_loads(text, 0, nullptr)) {
    if (!top) throw std::runtime_error("argv[1] is no JSON");
  }
  ~Words() {
    json_decref(top);
  }
  double number(const char *name) const {
    const json_t *const found = json_object_get(top, name);
    if (!json_is_number(found) && !json_is_boolean(found))
      throw std::runtime_error(std::string("there is no number ") + name);
    return json_is_boolean(found) ? json_is_true(found) : json_number_value(found);
  }
  std::string text(const char *name) const {
    const char *const found = json_string_value(json_object_get(top, name));
    if (!found) throw std::runtime_error(std::string("there is no text ") + name);
    return found;
  }
  std::vector<double> numbers(const char *name) const {
    std::vector<double> all;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(top, name), i, one) all.push_back(json_number_value(one));
    return all;
  }
  json_t *const top;
};

// ---- the system
// ----------------------------------------------------------------------------------

// springs that stand on the ground as spheres, under a plane through the body's origin
struct Springs {
  explicit Springs(const Words &w)
      : stiffness(w.number("stiffness")), radius(w.number("radius")), x(w.numbers("springs")) {
    height = w.number("free_length") - radius;
  }
  Vec3 centre(size_t i) const {
    return Vec3(x[i], height, 0);
  }
  double depth(const Transform &body, size_t i) const {
    return radius + dot(body.y(), centre(i) - body.p());
  }
  double stiffness, radius, height;
  std::vector<double> x;
};

// the law as a force
class SpringForce : public Force::Custom::Implementation {
public:
  SpringForce(const Springs &s, const MobilizedBody &b) : springs(s), body(b) {
  }
  void calcForce(const State &state, Vector_<SpatialVec> &forces, Vector_<Vec3> &,
                 Vector &) const override {
    const Transform &at = body.getBodyTransform(state);
    SpatialVec sum(Vec3(0), Vec3(0));
    for (size_t i = 0; i < springs.x.size(); i++) {
      const double depth = springs.depth(at, i);
      if (depth <= 0) continue;
      const Vec3 force = springs.stiffness * depth * Vec3(at.y());
      sum += SpatialVec(cross(springs.centre(i) - at.p(), force), force);
    }
    forces[body.getMobilizedBodyIndex()] += sum;
  }
  Real calcPotentialEnergy(const State &state) const override {
    double energy = 0;
    for (size_t i = 0; i < springs.x.size(); i++) {
      const double depth = std::max(0.0, springs.depth(body.getBodyTransform(state), i));
      energy += 0.5 * springs.stiffness * depth * depth;
    }
    return energy;
  }
  bool dependsOnlyOnPositions() const override {
    return true;
  }

private:
  const Springs &springs;
  const MobilizedBody body;
};

// the law for the contacts that Simbody's tracker finds: its own is Hertz's
class LinearContact : public ContactForceGenerator {
public:
  explicit LinearContact(double k)
      : ContactForceGenerator(CircularPointContact::classTypeId()), stiffness(k) {
  }
  void calcContactForce(const State &, const Contact &overlap, const SpatialVec &,
                        ContactForce &out) const override {
    const CircularPointContact &c = CircularPointContact::getAs(overlap);
    const double depth = c.getDepth();
    if (depth <= 0) return out.clear();
    out = ContactForce(overlap.getContactId(), c.getOrigin(),
                       SpatialVec(Vec3(0), stiffness * depth * Vec3(c.getNormal())),
                       0.5 * stiffness * depth * depth, 0);
  }
  void calcContactPatch(const State &, const Contact &, const SpatialVec &,
                        ContactPatch &out) const override {
    out.clear(); // which nobody asks for
  }

private:
  const double stiffness;
};

// A contact begins or ends: the integration begins anew there, as it does after any change of the
// state.
class Crossing : public TriggeredEventHandler {
public:
  Crossing(const Springs &s, const MobilizedBody &b, size_t i, uint64_t &calls)
      : TriggeredEventHandler(Stage::Position), springs(s), body(b), index(i), calls(calls) {
  }
  Real getValue(const State &state) const override {
    calls++;
    return springs.depth(body.getBodyTransform(state), index);
  }
  void handleEvent(State &state, Real, bool &) const override {
    state.updU();
  }

private:
  const Springs &springs;
  const MobilizedBody body;
  const size_t index;
  uint64_t &calls;
};

// notes the state at the output times, which the integrator interpolates
class Output : public ScheduledEventReporter {
public:
  Output(double dt, size_t count) : dt(dt), count(count) {
  }
  Real getNextEventTime(const State &state, bool now) const override {
    const double t = state.getTime();
    size_t i = std::max(first, size_t(std::max(0.0, std::floor(t / dt) - 1)));
    while (i < count && (now ? i * dt < t : i * dt <= t)) i++;
    return i < count ? i * dt : Infinity;
  }
  void handleEvent(const State &state) const override {
    const size_t nq = state.getNQ(), i = size_t(std::lround(state.getTime() / dt));
    copy(state.getQ(), &rows[2 * nq * i], nq);
    copy(state.getU(), &rows[2 * nq * i] + nq, nq);
  }
  // ours: x, z and the angle; theirs: the angle first
  static void copy(const Vector &from, double to[], size_t n) {
    for (size_t j = 0; j < n; j++) to[j] = from[int((j + 1) % n)];
  }
  static void set(Vector &to, const double from[], size_t n) {
    for (size_t j = 0; j < n; j++) to[int((j + 1) % n)] = from[j];
  }
  mutable std::vector<double> rows;
  size_t first = 0;

private:
  const double dt;
  const size_t count;
};

std::unique_ptr<Integrator> integrator_of(const std::string &scheme, const System &system) {
  const std::string name = scheme.substr(0, scheme.find('-'));
  if (name == "merson") return std::unique_ptr<Integrator>(new RungeKuttaMersonIntegrator(system));
  if (name == "cpodes")
    return std::unique_ptr<Integrator>(new CPodesIntegrator(system, CPodes::BDF));
  if (name == "adams")
    return std::unique_ptr<Integrator>(new CPodesIntegrator(system, CPodes::Adams));
  throw std::runtime_error("there is no integrator " + name);
}

// ---- runs
// ----------------------------------------------------------------------------------------

struct Counts {
  int64_t steps, rejected, fields, witnesses;
};

class Run {
public:
  explicit Run(const Words &w)
      : springs(w), matter(system), forces(system), scheme(w.text("scheme")),
        accuracy(w.number("accuracy")), longest(w.number("longest")), dt(w.number("dt")),
        count(size_t(w.number("count"))) {
    const double mass = w.number("mass"), inertia = w.number("inertia");
    Force::Gravity(forces, matter, -YAxis, w.number("gravity"));
    Body::Rigid body(MassProperties(mass, Vec3(0), Inertia(inertia)));
    if (w.number("planar"))
      moving = MobilizedBody::Planar(matter.Ground(), body);
    else // its x is up
      moving = MobilizedBody::Slider(matter.Ground(), Rotation(Pi / 2, ZAxis), body,
                                     Rotation(Pi / 2, ZAxis));
    if (scheme.find("-contact") == std::string::npos)
      Force::Custom(forces, new SpringForce(springs, moving));
    else
      track();
    for (size_t i = 0; scheme.find("-witness") != std::string::npos && i < springs.x.size(); i++)
      system.addEventHandler(new Crossing(springs, moving, i, calls));
    output = new Output(dt, count);
    system.addEventReporter(output); // which owns it
    start = system.realizeTopology();
    system.realizeModel(start);
  }

  size_t size() const {
    return size_t(start.getNQ() + start.getNU());
  }

  // what q and u change by
  void derivative(const double x[], double out[]) {
    State state = start;
    set(state, x);
    system.realize(state, Stage::Acceleration);
    Output::copy(state.getQDot(), out, size_t(state.getNQ()));
    Output::copy(state.getUDot(), out + state.getNQ(), size_t(state.getNU()));
  }

  // with no output before the end it is counted alone
  Counts answer(const double x[], bool outputs) {
    State state = start;
    set(state, x);
    output->rows.assign(count * size(), 0.0);
    output->first = outputs ? 0 : count - 1;
    calls = 0;
    const std::unique_ptr<Integrator> integrator = integrator_of(scheme, system);
    integrator->setAccuracy(accuracy);
    integrator->setMaximumStepSize(longest);
    TimeStepper stepper(system, *integrator);
    stepper.initialize(state);
    stepper.stepTo(dt * double(count - 1));
    const int taken = integrator->getNumStepsTaken();
    return {taken, integrator->getNumStepsAttempted() - taken, integrator->getNumRealizations(),
            int64_t(calls / springs.x.size())};
  }

  const std::vector<double> &rows() const {
    return output->rows;
  }

private:
  void set(State &state, const double x[]) const {
    Output::set(state.updQ(), x, size_t(state.getNQ()));
    Output::set(state.updU(), x + state.getNQ(), size_t(state.getNU()));
  }

  void track() {
    tracker.reset(new ContactTrackerSubsystem(system));
    contacts.reset(new CompliantContactSubsystem(system, *tracker));
    contacts->adoptForceGenerator(new LinearContact(springs.stiffness));
    const ContactMaterial material(springs.stiffness, 0, 0, 0, 0);
    moving.updBody().addContactSurface(Rotation(Pi / 2, ZAxis), // above the plane
                                       ContactSurface(ContactGeometry::HalfSpace(), material));
    for (size_t i = 0; i < springs.x.size(); i++)
      matter.Ground().updBody().addContactSurface(
          springs.centre(i), ContactSurface(ContactGeometry::Sphere(springs.radius), material));
  }

  const Springs springs;
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  std::unique_ptr<ContactTrackerSubsystem> tracker;
  std::unique_ptr<CompliantContactSubsystem> contacts;
  MobilizedBody moving;
  Output *output;
  State start;
  uint64_t calls = 0;
  const std::string scheme;
  const double accuracy, longest, dt;
  const size_t count;
};

// ---- the pipe
// ------------------------------------------------------------------------------------

enum { RATES, STATES, COUNTS };
const std::vector<double> none;

struct Head {
  Counts counts;
  char why[224];
};

void say(FILE *out, const Counts &counts, const char *why, const std::vector<double> &rows) {
  Head head = {counts, ""};
  strncpy(head.why, why, sizeof head.why - 1);
  for (char *c = head.why; *c; c++)
    if (*c == '\n') *c = ' ';
  fwrite(&head, sizeof head, 1, out);
  fwrite(rows.data(), sizeof(double), rows.size(), out);
  fflush(out);
}

// who asks waits on its core, so that nobody else takes it meanwhile; this process works on another
void leave_core() {
  cpu_set_t theirs, others;
  if (sched_getaffinity(getppid(), sizeof theirs, &theirs)) return;
  CPU_ZERO(&others);
  for (long i = 0; i < sysconf(_SC_NPROCESSORS_CONF); i++)
    if (!CPU_ISSET(i, &theirs)) CPU_SET(i, &others);
  if (CPU_COUNT(&others)) sched_setaffinity(0, sizeof others, &others);
}

void serve(FILE *out, const Words &w) {
  leave_core();
  Run run(w);
  say(out, {0, 0, 0, 0}, "", none);
  std::vector<double> x(run.size()), rates(run.size());
  for (int64_t what; fread(&what, sizeof what, 1, stdin) == 1 &&
                     fread(x.data(), sizeof(double), x.size(), stdin) == x.size();) {
    try {
      const Counts counts = what == RATES ? Counts() : run.answer(x.data(), what == STATES);
      if (what == RATES) run.derivative(x.data(), rates.data());
      say(out, counts, "", what == RATES ? rates : what == STATES ? run.rows() : none);
    } catch (const std::exception &why) {
      say(out, {-1, 0, 0, 0}, why.what(), none);
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  FILE *const out = fdopen(dup(1), "wb");
  // libraries print to both; why a run fails is in its answer
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  try {
    if (argc != 2) throw std::runtime_error("usage: worker JSON");
    serve(out, Words(argv[1]));
  } catch (const std::exception &why) {
    say(out, {-1, 0, 0, 0}, why.what(), none);
  }
  return 0;
}
