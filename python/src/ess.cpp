/*
 * What Python's side calls: one run, with functions of Python or native ones.
 *
 * Nothing is checked here that python/ess/_ivp.py has checked, but what would crash the
 * interpreter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <tuple>

#include "callback.h"
#include "glue.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ess_python {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using State = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/* native functions, as numba, ctypes and C have them; they return 0, or anything else to stop */
using NativeField = int (*)(double, const double *, const double *, double *, void *);
using NativeGuards = int (*)(double, const double *, double *, void *);
using NativeImpact = int (*)(double, const double *, const double *, const std::size_t *,
                             std::size_t, double *, double *, void *);

/* false: an exception is set */
static bool is_watched(PyObject *watch) {
  if (!watch) return true;
  const nb::object result = nb::steal(PyObject_CallNoArgs(watch));
  return result.is_valid();
}

using Clock = std::chrono::steady_clock;

/* a time that never comes, where there is no limit */
static Clock::time_point deadline_after(double seconds) {
  if (!(seconds < 1e9)) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds > 0.0 ? seconds : 0.0));
}

/* What looks at the clock after each step: a run's time limit, and its progress, which is reported
 * a few times a second. */
struct Timing {
  static constexpr std::chrono::milliseconds INTERVAL{100};
  Clock::time_point deadline = Clock::time_point::max(), next = Clock::now() + INTERVAL;
  PyObject *progress = nullptr; /* borrowed; called with the time integrated, and the whole */
  double t0 = 0.0, whole = 0.0;
  bool is_used() const {
    return progress || deadline != Clock::time_point::max();
  }
};

/* false: an exception is set */
static bool report(PyObject *progress, double done, double whole) {
  const nb::object result = nb::steal(PyObject_CallFunction(progress, "dd", done, whole));
  return result.is_valid();
}

/* a run's functions and what their calls need */
struct Functions {
  std::size_t n = 0, guards = 0;
  Callback field, guard, impact, jacobian, event_jacobian, parameter_jacobian;
  std::size_t parameters = 0;
  std::vector<Callback> events;
  std::vector<PyObject *> args; /* borrowed */
  Handed x, sign;
  unsigned ticks = 0;
  bool is_native = false; /* all: Python is not held, and is asked for signals now and then */
  const std::atomic<bool> *stop = nullptr; /* of runs in threads, of which one asks for all */
  bool has_raised = false;
  std::unique_ptr<nb::python_error> aside; /* raised by event functions, and not known to matter */
  PyObject *objective = nullptr;           /* borrowed: of an adjoint */
  const glue_record *record = nullptr;     /* with the states that it looks at */
  PyObject *hold = nullptr; /* borrowed: called with a time, once held_x has the state there */
  double *held_x = nullptr;
  PyObject *watch = nullptr; /* borrowed: raises what a callback of ctypes or cffi has raised */
  bool is_system = false;    /* one of libess's own, which none of these functions belongs to */
  Timing timing;

  bool all_native() const {
    for (const Callback &event : events)
      if (event.function) return false;
    return !field.function && !guard.function && !impact.function && !jacobian.function &&
           !event_jacobian.function && !parameter_jacobian.function;
  }

  /* 0, or the code that stops the run since a signal's handler, or a callback, has raised */
  int tick() {
    if (++ticks % 1000 != 0) return 0;
    if (stop) return stop->load() ? -1 : 0;
    nb::gil_scoped_acquire hold;
    return raised(has_raised || PyErr_CheckSignals() != 0 || !is_watched(watch));
  }

  /* after a step: 0; 1 where the time is over; or -1 with an exception set */
  int after_step(double t) {
    if (is_system && tick()) return -1;
    if (!timing.is_used()) return 0;
    const Clock::time_point now = Clock::now();
    if (now >= timing.deadline) return 1;
    if (!timing.progress || now < timing.next) return 0;
    timing.next = now + Timing::INTERVAL;
    nb::gil_scoped_acquire hold;
    const double done = t > timing.t0 ? t - timing.t0 : timing.t0 - t;
    return raised(!report(timing.progress, done, timing.whole));
  }

  /* 0; 1 where Python says that the run ends there; or -1 with an exception set */
  int hold_at(double t, const double at[]) {
    std::memcpy(held_x, at, n * sizeof *at);
    nb::gil_scoped_acquire python;
    const nb::object result = nb::steal(PyObject_CallFunction(hold, "d", t));
    if (!result.is_valid()) return raised(true);
    return PyObject_IsTrue(result.ptr()) ? 0 : 1;
  }

  void set_user(void *user) {
    field.user = guard.user = impact.user = jacobian.user = event_jacobian.user = user;
    parameter_jacobian.user = user;
    for (Callback &one : events) one.user = user;
  }

  int raised(bool is_so) {
    has_raised |= is_so;
    return is_so ? -1 : 0;
  }

  /* libess also looks at event functions where the state never comes, and goes on where they fail:
   * what they raise counts if it ends the run */
  int refused() {
    if (has_raised || !PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_Exception))
      return raised(true);
    aside = std::make_unique<nb::python_error>();
    return -1;
  }

  /* function(t, x[, sign], *args) */
  nb::object at(const Callback &f, double t, const double *y, const double *s) {
    if (PyErr_Occurred()) return nb::object();
    aside.reset();
    PyObject *const head[] = {PyFloat_FromDouble(t), x.fill(y, n),
                              s && guards ? sign.fill(s, guards) : nullptr};
    return nb::steal(call(f.function, head, s && guards ? 3 : 2, args));
  }
};

static int field(double t, const double *x, const double *sign, double *dxdt, void *context) {
  auto *const f = static_cast<Functions *>(context);
  if (f->field.native) {
    if (f->tick()) return -1;
    return reinterpret_cast<NativeField>(f->field.native)(t, x, sign, dxdt, f->field.user);
  }
  nb::object result = f->at(f->field, t, x, sign);
  return f->raised(!result.is_valid() || !take_numbers(result.ptr(), "fun", dxdt, f->n));
}

static int guard(double t, const double *x, double *h, void *context) {
  auto *const f = static_cast<Functions *>(context);
  if (f->guard.native)
    return reinterpret_cast<NativeGuards>(f->guard.native)(t, x, h, f->guard.user);
  nb::object result = f->at(f->guard, t, x, nullptr);
  const bool ok = result.is_valid() && take_numbers(result.ptr(), "guards", h, f->guards);
  return ok ? 0 : f->refused();
}

static int event(double t, const double *x, double *h, void *context) {
  auto *const f = static_cast<Functions *>(context);
  for (const Callback &one : f->events) {
    if (one.native) {
      const int code = reinterpret_cast<NativeGuards>(one.native)(t, x, h++, one.user);
      if (code) return code;
      continue;
    }
    nb::object result = f->at(one, t, x, nullptr);
    if (!result.is_valid() || !take_numbers(result.ptr(), "an event function", h++, 1))
      return f->refused();
  }
  return 0;
}

static int jacobian(double t, const double *x, const double *sign, double *J, void *context) {
  auto *const f = static_cast<Functions *>(context);
  if (f->jacobian.native)
    return reinterpret_cast<NativeField>(f->jacobian.native)(t, x, sign, J, f->jacobian.user);
  nb::object result = f->at(f->jacobian, t, x, sign);
  return f->raised(!result.is_valid() || !take_matrix(result.ptr(), "jac", J, f->n, f->n));
}

static int event_jacobian(double t, const double *x, double *Dh, void *context) {
  auto *const f = static_cast<Functions *>(context);
  if (f->event_jacobian.native)
    return reinterpret_cast<NativeGuards>(f->event_jacobian.native)(t, x, Dh,
                                                                    f->event_jacobian.user);
  nb::object result = f->at(f->event_jacobian, t, x, nullptr);
  return f->raised(!result.is_valid() ||
                   !take_matrix(result.ptr(), "guard_jac", Dh, f->guards, f->n));
}

static int parameter_jacobian(double t, const double *x, const double *sign, double *Fp,
                              void *context) {
  auto *const f = static_cast<Functions *>(context);
  const Callback &of = f->parameter_jacobian;
  if (of.native) return reinterpret_cast<NativeField>(of.native)(t, x, sign, Fp, of.user);
  nb::object result = f->at(of, t, x, sign);
  return f->raised(!result.is_valid() ||
                   !take_matrix(result.ptr(), "params_jac", Fp, f->n, f->parameters));
}

/* impact(t, y, sign, crossed, *args) returns the state after, or it and the signs after */
static bool take_impact(Functions *f, PyObject *result, double *after, double *mode) {
  // two states are no pair: what has no length is a number
  const bool is_pair = PyTuple_CheckExact(result) && PyTuple_Size(result) == 2 &&
                       PyObject_HasAttrString(PyTuple_GetItem(result, 0), "__len__");
  if (!is_pair) return take_numbers(result, "impact", after, f->n);
  if (!take_numbers(PyTuple_GetItem(result, 0), "impact", after, f->n) ||
      !take_numbers(PyTuple_GetItem(result, 1), "impact's signs", mode, f->guards))
    return false;
  for (std::size_t k = 0; k < f->guards; k++)
    if (mode[k] != -1.0 && mode[k] != 0.0 && mode[k] != 1.0) {
      PyErr_SetString(PyExc_ValueError, "impact must return signs of -1, 0 or 1");
      return false;
    }
  return true;
}

static int impact(double t, const double *x, const double *sign, const std::size_t *crossed,
                  std::size_t count, double *after, double *mode, void *context) {
  auto *const f = static_cast<Functions *>(context);
  if (f->impact.native)
    return reinterpret_cast<NativeImpact>(f->impact.native)(t, x, sign, crossed, count, after, mode,
                                                            f->impact.user);
  nb::list which;
  for (std::size_t i = 0; i < count; i++) which.append(crossed[i]);
  PyObject *const head[] = {PyFloat_FromDouble(t), f->x.fill(x, f->n),
                            f->sign.fill(sign, f->guards), which.release().ptr()};
  nb::object result = nb::steal(call(f->impact.function, head, 4, f->args));
  return f->raised(!result.is_valid() || !take_impact(f, result.ptr(), after, mode));
}

/* numbers that Python owns from now on; an empty list has no memory of its own */
static nb::object array_of(double *&values, std::size_t rows, std::size_t columns, bool is_flat) {
  static double none;
  double *const at = values ? values : &none;
  nb::capsule owner(at, [](void *p) noexcept {
    if (p != &none) std::free(p);
  });
  values = nullptr;
  const std::size_t shape[] = {rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, double>(at, is_flat ? 1 : 2, shape, owner));
}

static nb::object list_of(glue_list &list, std::size_t columns, bool is_flat) {
  return array_of(list.at, list.count / columns, columns, is_flat);
}

static nb::object copy_of(const glue_list &list, std::size_t columns, bool is_flat) {
  double *const at = static_cast<double *>(std::malloc((list.count + 1) * sizeof(double)));
  if (!at) throw std::bad_alloc();
  std::memcpy(at, list.at, list.count * sizeof(double));
  double *values = at;
  return array_of(values, list.count / columns, columns, is_flat);
}

/* objective(t, y) returns the derivatives of an outcome by the state at the end, and by the time */
static int outcome(double, const double *, double *weight, void *context) {
  auto *const f = static_cast<Functions *>(context);
  nb::gil_scoped_acquire hold;
  const glue_list &times = f->record->t_out, &states = f->record->x_out;
  const nb::object t = copy_of(times, 1, true), y = copy_of(states, f->n, false);
  nb::object result =
      nb::steal(PyObject_CallFunctionObjArgs(f->objective, t.ptr(), y.ptr(), nullptr));
  return f->raised(!result.is_valid() ||
                   !take_numbers(result.ptr(), "objective", weight, f->n + 1));
}

/* A function that C++ has written may throw: none does past libess's C. Once an exception is set
 * nothing of Python's may be called, nor what it has made native, though libess may look on. */
template <auto function, typename... Arguments> static int guarded(Arguments... arguments) {
  auto *const f =
      static_cast<Functions *>(std::get<sizeof...(arguments) - 1>(std::tie(arguments...)));
  if (f->has_raised) return -1;
  try {
    return function(arguments...);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return f->raised(true);
}

/* a callable, or (address, user) of a native function; None: absent */
static Callback as_callback(nb::handle given) {
  Callback callback;
  if (given.is_none()) return callback;
  if (nb::isinstance<nb::tuple>(given)) {
    callback.native = reinterpret_cast<void *>(nb::cast<std::uintptr_t>(given[0]));
    callback.user = reinterpret_cast<void *>(nb::cast<std::uintptr_t>(given[1]));
  } else {
    callback.function = given.ptr();
  }
  return callback;
}

static nb::object index_or_none(std::size_t index) {
  return index == SIZE_MAX ? nb::object(nb::none()) : nb::object(nb::int_(index));
}

/* a run's record, as a dictionary of arrays */
static nb::dict as_dict(glue_record *record, std::size_t n, std::size_t guards,
                        std::size_t directions, std::size_t along) {
  nb::dict out;
  out["status"] = record->status;
  out["status_message"] = ess_strerror(record->status);
  out["reason"] = record->failure.reason ? nb::object(nb::str(record->failure.reason)) : nb::none();
  out["failure_time"] = record->failure.time;
  out["failure_guard"] = index_or_none(record->failure.event);
  out["failure_row"] = index_or_none(record->failure.row);
  out["failure_column"] = index_or_none(record->failure.column);
  out["callback_code"] = record->failure.callback_code;
  out["is_ended_by_event"] = record->is_ended_by_event;
  out["t_end"] = record->t;
  if (!record->x) return out;
  out["x_end"] = array_of(record->x, n, 1, true);
  out["sign_end"] = array_of(record->sign, guards, 1, true);
  out["t"] = list_of(record->t_out, 1, true);
  out["x"] = list_of(record->x_out, n, false);
  out["pieces"] = list_of(record->pieces, 2, false);
  out["nodes"] = list_of(record->nodes, GLUE_NODES * n, false);
  out["crossed"] = list_of(record->crossed, 3, false);
  out["impacts"] = list_of(record->impacts, 1, true);
  out["jumps"] = list_of(record->jumps, 2 * n, false);
  out["slides"] = list_of(record->slides, 3, false);
  out["noted"] = list_of(record->noted, 2, false);
  out["noted_x"] = list_of(record->noted_x, n, false);
  out["smooth"] = static_cast<int>(record->smooth);
  if (record->along.at) out["along"] = list_of(record->along, along ? along : 1, !along);
  if (directions) out["sides"] = list_of(record->sides, (2 * n + 1) * directions, false);
  out["recorded"] = record->recorded;
  if (record->tangents) out["tangents"] = array_of(record->tangents, n, directions, false);
  if (record->Dx) {
    out["event_dt"] = array_of(record->Dt, directions, 1, true);
    out["event_dx"] = array_of(record->Dx, n, directions, false);
  }
  const ess_counters &c = record->counters;
  out["field_evaluations"] = c.field_evaluations;
  out["event_evaluations"] = c.event_evaluations + c.some_evaluations;
  out["jacobian_evaluations"] = c.field_jacobian_evaluations;
  out["steps"] = c.steps;
  out["rejected"] = c.rejected;
  out["unlocated"] = c.unlocated;
  return out;
}

static void require(bool is_so, const char *message) {
  if (!is_so) throw nb::value_error(message);
}

using Indices = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Terminal = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/* What a run is made of, and what has to live as long. */
struct Plan {
  Functions f;
  glue_problem problem = {};
  glue_options options = {};
  nb::dict given;
  nb::tuple args;
  nb::list functions;
  Vector times, jumps, parameters, holds;
  State held_x;
  std::vector<ess_tolerance> tolerances;
  Terminal terminal;
  Matrix directions;
  std::vector<std::size_t> jump_parameters;
  std::vector<ess_guard_kind> kinds;

  Plan(std::size_t n, const nb::dict &o) : given(o) {
    args = nb::cast<nb::tuple>(o["args"]);
    functions = nb::cast<nb::list>(o["functions"]);
    set_functions(n);
    set_problem();
    set_options();
  }

  void set_functions(std::size_t n) {
    f.n = n;
    f.guards = nb::cast<std::size_t>(given["guard_count"]);
    parameters = nb::cast<Vector>(given["params"]);
    f.parameters = parameters.size();
    require(functions.size() >= 6,
            "functions must be fun, guards, impact, jac, guard_jac, params_jac, events");
    f.field = as_callback(functions[0]);
    f.guard = as_callback(functions[1]);
    f.impact = as_callback(functions[2]);
    f.jacobian = as_callback(functions[3]);
    f.event_jacobian = as_callback(functions[4]);
    f.parameter_jacobian = as_callback(functions[5]);
    for (std::size_t i = 6; i < functions.size(); i++)
      f.events.push_back(as_callback(functions[i]));
    for (nb::handle one : args) f.args.push_back(one.ptr());
    if (given.contains("watch"))
      f.watch = nb::object(given["watch"]).ptr(); // the dictionary has it
    f.is_native = f.all_native();
    set_system();
    require(problem.system || f.field, "fun must be given");
    require(problem.system || f.guards == 0 || f.guard,
            "guards must be given where there are some");
  }

  /* one of libess's own, by its address */
  void set_system() {
    if (!given.contains("system")) return;
    problem.system =
        reinterpret_cast<const ess_system *>(nb::cast<std::uintptr_t>(given["system"]));
    require(problem.system && problem.system->dimension == f.n &&
                problem.system->event_count == f.guards && f.events.empty() && f.is_native,
            "system must have as many states and guards as it is said to have");
    f.is_system = true;
  }

  void set_timing(double t0, double t1) {
    f.timing.deadline = deadline_after(nb::cast<double>(given["max_time"]));
    const nb::object progress = given["progress"];
    if (!progress.is_none()) f.timing.progress = progress.ptr(); // the dictionary has it
    f.timing.t0 = t0;
    f.timing.whole = t1 > t0 ? t1 - t0 : t0 - t1;
  }

  void set_problem() {
    problem.n = f.n;
    problem.guards = f.guards;
    problem.events = f.events.size();
    problem.field = guarded<field, double, const double *, const double *, double *, void *>;
    problem.guard = guarded<guard, double, const double *, double *, void *>;
    problem.event = guarded<event, double, const double *, double *, void *>;
    if (f.jacobian)
      problem.jacobian =
          guarded<jacobian, double, const double *, const double *, double *, void *>;
    if (f.event_jacobian)
      problem.event_jacobian = guarded<event_jacobian, double, const double *, double *, void *>;
    problem.parameters = f.parameters;
    // Python's side has made them for this run; its functions may read them only
    problem.parameter_values = const_cast<double *>(parameters.data());
    if (f.parameter_jacobian)
      problem.parameter_jacobian =
          guarded<parameter_jacobian, double, const double *, const double *, double *, void *>;
    if (f.impact)
      problem.impact = guarded<impact, double, const double *, const double *, const std::size_t *,
                               std::size_t, double *, double *, void *>;
    const nb::bytes impact_at = nb::cast<nb::bytes>(given["impact_at"]);
    const nb::bytes direction = nb::cast<nb::bytes>(given["direction"]);
    terminal = nb::cast<Terminal>(given["terminal"]);
    require(impact_at.size() == 2 * f.guards, "impact_at must be as long as guards");
    require(direction.size() == sizeof(int) * f.events.size() && terminal.size() == f.events.size(),
            "direction and terminal must be as many as events");
    for (std::size_t i = 0; i < impact_at.size(); i++)
      kinds.push_back(impact_at.c_str()[i] ? ESS_GUARD_IMPACT : ESS_GUARD_CHANGES_FIELD);
    problem.kinds = kinds.data();
    problem.direction = reinterpret_cast<const int *>(direction.c_str());
    problem.terminal = terminal.data();
    problem.context = &f;
    problem.outcome = guarded<outcome, double, const double *, double *, void *>;
    problem.hold = [](double t, const double x[], void *context) {
      return static_cast<Functions *>(context)->hold_at(t, x);
    };
    problem.tick = [](double t, void *context) {
      return static_cast<Functions *>(context)->after_step(t);
    };
  }

  void set_options() {
    const Vector rtols = nb::cast<Vector>(given["rtols"]), atols = nb::cast<Vector>(given["atols"]);
    times = nb::cast<Vector>(given["times"]);
    jumps = nb::cast<Vector>(given["jumps"]);
    options.jumps.times = jumps.data();
    options.jumps.count = jumps.size();
    if (given.contains("hold")) {
      static const double nothing = 0.0;        // a run may be shorter than a period
      f.hold = nb::object(given["hold"]).ptr(); // the dictionary has it
      held_x = nb::cast<State>(given["held_x"]);
      holds = nb::cast<Vector>(given["holds"]);
      require(held_x.size() == f.n, "held_x must have as many numbers as there are states");
      f.held_x = held_x.data();
      options.holds = holds.size() ? holds.data() : &nothing;
      options.holds_count = holds.size();
    }
    const Indices named = nb::cast<Indices>(given["jump_params"]);
    require(named.size() == 0 || named.size() == jumps.size(),
            "jump_params must be as many as jumps");
    for (std::size_t i = 0; i < named.size(); i++)
      jump_parameters.push_back(named(i) < 0 ? SIZE_MAX : static_cast<std::size_t>(named(i)));
    if (named.size()) options.jumps.parameters = jump_parameters.data();
    directions = nb::cast<Matrix>(given["directions"]);
    require(rtols.size() == f.n && atols.size() == f.n, "tolerances must be as many as states");
    require(directions.shape(1) == 0 || directions.shape(0) == f.n + f.parameters,
            "directions must have as many rows as states and parameters");
    ess_options &o = options.integration;
    o = ess_options_default();
    for (std::size_t i = 0; i < f.n; i++) tolerances.push_back({rtols(i), atols(i)});
    o.tolerances = tolerances.data();
    o.h_max = nb::cast<double>(given["max_step"]);
    o.h_init = nb::cast<double>(given["first_step"]);
    o.tie = nb::cast<double>(given["tie"]);
    o.base = static_cast<ess_base>(nb::cast<int>(given["base"]));
    o.locate = static_cast<ess_locate>(nb::cast<int>(given["locate"]));
    o.max_steps = nb::cast<std::uint64_t>(given["max_steps"]);
    const nb::bytes slides = nb::cast<nb::bytes>(given["slides"]);
    require(slides.size() == 0 || slides.size() == f.guards, "slides must be as long as guards");
    if (nb::cast<bool>(given["sliding"]))
      o.sliding = nb::cast<bool>(given["rest"]) ? ESS_SLIDING_SLIDE_AND_REST : ESS_SLIDING_SLIDE;
    if (slides.size()) o.slides = reinterpret_cast<const bool *>(slides.c_str());
    static const double nothing = 0.0; // a grid may have no times
    if (nb::cast<bool>(given["is_grid"])) options.times = times.size() ? times.data() : &nothing;
    options.times_count = times.size();
    options.is_dense = nb::cast<bool>(given["is_dense"]);
    options.bytes = nb::cast<std::size_t>(given["memory"]);
    if (options.bytes) f.objective = nb::object(given["objective"]).ptr(); // the dictionary has it
    options.directions = directions.shape(1);
    options.directions_at = directions.data();
    if (f.parameters) options.parameters_at = directions.data() + f.n * directions.shape(1);
  }
};

static nb::dict solve(double t0, double t1, Vector y0, nb::dict given) {
  Plan plan(y0.size(), given);
  plan.set_timing(t0, t1);
  glue_record raw = {};
  plan.f.record = &raw;
  const std::unique_ptr<glue_record, void (*)(glue_record *)> record(&raw, glue_free);
  if (plan.f.is_native) {
    nb::gil_scoped_release release;
    glue_run(&plan.problem, &plan.options, t0, t1, y0.data(), &raw);
  } else {
    glue_run(&plan.problem, &plan.options, t0, t1, y0.data(), &raw);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  if (raw.status == ESS_ECALLBACK && plan.f.aside) throw *plan.f.aside;
  // a recording that does not fit into what the caller allows is no lack of memory
  const bool is_long = plan.options.bytes && raw.recorded > plan.options.bytes;
  if (raw.status == ESS_ENOMEM && !is_long) throw std::bad_alloc();
  const std::size_t n = plan.f.n, directions = plan.options.directions;
  const std::size_t along = plan.options.bytes ? 0 : n * directions; // stretches differ
  return as_dict(&raw, n, plan.f.guards, directions, along);
}

/* ---- many runs, in threads ------------------------------------------------------------------- */

using Users = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Parameters = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T> using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

/* what all threads share */
struct Ensemble {
  const Plan &plan;
  double t0, t1;
  const Matrix &starts;
  const Users &users;
  const Parameters &params; /* a row for each run, which takes differences in it; or none */
  double *ends, *times_reached, *failed_at, *grid;
  double *tangents, *along, *event_dt, *event_dx; /* none without directions */
  std::int64_t *numbers;                          /* NUMBERS for each run, see keep() */
  std::size_t grid_count;
  std::vector<glue_list> noted, noted_x; /* of each run */
  std::atomic<std::size_t> next{0}, done{0};
  std::atomic<bool> stop{false}, is_full{false};

  static constexpr std::size_t NUMBERS = 8;

  void keep(std::size_t i, glue_record &r) {
    const std::size_t n = plan.f.n, directions = plan.options.directions;
    std::int64_t *const number = numbers + NUMBERS * i;
    number[0] = r.status;
    number[1] = r.is_ended_by_event;
    number[2] = static_cast<std::int64_t>(r.crossed.count / 3); // without events
    number[3] = static_cast<std::int64_t>(r.impacts.count);
    number[4] = static_cast<std::int64_t>(r.counters.field_evaluations);
    number[5] = r.failure.event == SIZE_MAX ? -1 : static_cast<std::int64_t>(r.failure.event);
    number[6] = r.failure.callback_code;
    number[7] = r.smooth;
    failed_at[i] = r.failure.time;
    if (r.x) times_reached[i] = r.t;
    if (r.x) std::memcpy(ends + i * n, r.x, n * sizeof(double));
    if (r.x_out.count)
      std::memcpy(grid + i * grid_count * n, r.x_out.at, r.x_out.count * sizeof(double));
    const std::size_t size = n * directions;
    if (r.tangents) std::memcpy(tangents + i * size, r.tangents, size * sizeof(double));
    if (r.along.count)
      std::memcpy(along + i * grid_count * size, r.along.at, r.along.count * sizeof(double));
    if (r.Dx) std::memcpy(event_dt + i * directions, r.Dt, directions * sizeof(double));
    if (r.Dx) std::memcpy(event_dx + i * size, r.Dx, size * sizeof(double));
    std::swap(noted[i], r.noted);
    std::swap(noted_x[i], r.noted_x);
  }

  /* the run has not begun when the time is over: its state is the initial one */
  void skip(std::size_t i) {
    numbers[NUMBERS * i] = GLUE_STOPPED;
    times_reached[i] = t0;
    const std::size_t n = plan.f.n;
    std::memcpy(ends + i * n, starts.data() + i * n, n * sizeof(double));
  }

  /* tells Python which run's function has raised, if one has; it cannot stop the run itself */
  void note_raised(std::size_t i) {
    if (!plan.f.watch) return;
    nb::gil_scoped_acquire hold;
    const nb::object result =
        nb::steal(PyObject_CallMethod(plan.f.watch, "settle", "n", static_cast<Py_ssize_t>(i)));
    if (!result.is_valid()) PyErr_Clear();
  }

  void work() {
    const std::size_t n = plan.f.n, count = starts.shape(0);
    // not copied: references to Python's objects, of which native functions have none
    Functions f;
    f.n = n;
    f.guards = plan.f.guards;
    f.field = plan.f.field;
    f.guard = plan.f.guard;
    f.impact = plan.f.impact;
    f.jacobian = plan.f.jacobian;
    f.event_jacobian = plan.f.event_jacobian;
    f.parameter_jacobian = plan.f.parameter_jacobian;
    f.parameters = plan.f.parameters;
    f.events = plan.f.events;
    f.is_native = true;
    f.stop = &stop;
    f.timing.deadline = plan.f.timing.deadline;
    glue_problem problem = plan.problem;
    problem.context = &f;
    for (std::size_t i; !stop && (i = next++) < count; done++) {
      if (f.timing.is_used() && Clock::now() >= f.timing.deadline) {
        skip(i);
        continue;
      }
      if (users.size()) f.set_user(reinterpret_cast<void *>(users.data()[i]));
      if (params.size()) problem.parameter_values = params.data() + i * params.shape(1);
      glue_record record = {};
      glue_run(&problem, &plan.options, t0, t1, starts.data() + i * n, &record);
      if (record.status == ESS_ENOMEM) is_full = true;
      note_raised(i);
      if (!stop) keep(i, record);
      glue_free(&record);
    }
  }

  /* (run, time, event) of all events, and their states */
  nb::tuple events() {
    glue_list all = {}, all_x = {};
    for (std::size_t i = 0; i < noted.size(); i++) {
      for (std::size_t j = 0; j + 1 < noted[i].count; j += 2) {
        const double row[] = {static_cast<double>(i), noted[i].at[j], noted[i].at[j + 1]};
        if (!glue_append(&all, row, 3)) is_full = true;
      }
      if (noted_x[i].count && !glue_append(&all_x, noted_x[i].at, noted_x[i].count)) is_full = true;
    }
    nb::object rows = list_of(all, 3, false), states = list_of(all_x, plan.f.n, false);
    return nb::make_tuple(rows, states);
  }

  ~Ensemble() {
    for (glue_list &list : noted) std::free(list.at);
    for (glue_list &list : noted_x) std::free(list.at);
  }
};

/* runs work() in so many threads; Python's own asks for signals, a few times a second */
static void run_threads(Ensemble &all, std::size_t count) {
  std::mutex lock;
  std::condition_variable ended;
  std::size_t running = count;
  std::vector<std::thread> threads;
  PyObject *const progress = all.plan.f.timing.progress;
  nb::gil_scoped_release release;
  for (std::size_t i = 0; i < count; i++) {
    try {
      threads.emplace_back([&] {
        all.work();
        const std::lock_guard<std::mutex> hold(lock);
        running--;
        ended.notify_all();
      });
    } catch (const std::system_error &) { // fewer threads do the same
      const std::lock_guard<std::mutex> hold(lock);
      running--;
    }
  }
  if (threads.empty()) all.work();
  std::unique_lock<std::mutex> hold(lock);
  while (!ended.wait_for(hold, std::chrono::milliseconds(50), [&] { return running == 0; })) {
    hold.unlock();
    {
      nb::gil_scoped_acquire python;
      const double done = static_cast<double>(all.done.load());
      const double whole = static_cast<double>(all.starts.shape(0));
      // an exception that is set is not to meet another call of Python, however long threads take
      if (!all.stop && (PyErr_CheckSignals() || (progress && !report(progress, done, whole))))
        all.stop = true;
    }
    hold.lock();
  }
  hold.unlock();
  for (std::thread &thread : threads) thread.join();
}

static nb::tuple ensemble(double t0, double t1, Matrix starts, Users users, Parameters params,
                          std::size_t threads, nb::dict given, Out<double> ends, Out<double> times,
                          Out<double> failed_at, Out<double> grid, Out<double> tangents,
                          Out<double> along, Out<double> event_dt, Out<double> event_dx,
                          Out<std::int64_t> numbers) {
  Plan plan(starts.shape(1), given);
  plan.set_timing(t0, t1);
  const std::size_t count = starts.shape(0), n = starts.shape(1);
  const std::size_t directions = plan.options.directions;
  require(plan.f.is_native, "an ensemble in threads needs native functions");
  require(users.size() == 0 || users.size() == count, "users must be as many as runs");
  require(params.size() == 0 || (params.shape(0) == count && params.shape(1) == plan.f.parameters),
          "params must be a row for each run");
  require(ends.size() == count * n && times.size() == count && failed_at.size() == count &&
              grid.size() == count * plan.options.times_count * n &&
              tangents.size() == count * n * directions &&
              along.size() == count * plan.options.times_count * n * directions &&
              event_dt.size() == count * directions && event_dx.size() == count * n * directions &&
              numbers.size() == count * Ensemble::NUMBERS,
          "results must have the sizes of what is asked for");
  Ensemble all{plan,
               t0,
               t1,
               starts,
               users,
               params,
               ends.data(),
               times.data(),
               failed_at.data(),
               grid.data(),
               tangents.data(),
               along.data(),
               event_dt.data(),
               event_dx.data(),
               numbers.data(),
               plan.options.times_count,
               std::vector<glue_list>(count),
               std::vector<glue_list>(count)};
  run_threads(all, threads);
  if (PyErr_Occurred()) throw nb::python_error();
  nb::tuple events = all.events();
  if (all.is_full) throw std::bad_alloc();
  return events;
}

} // namespace ess_python

NB_MODULE(_native, m) {
  ess_python::load_numpy();
  m.doc() = "libess, as python/ess calls it.";
  m.attr("version") = ess_version();
  m.attr("NODES") = static_cast<int>(GLUE_NODES);
  m.def("solve", &ess_python::solve, "t0"_a, "t1"_a, "y0"_a, "options"_a,
        "One run; returns a dictionary of the recorded results.");
  m.def("ensemble", &ess_python::ensemble, "t0"_a, "t1"_a, "starts"_a, "users"_a, "params"_a,
        "threads"_a, "options"_a, "ends"_a, "times"_a, "failed_at"_a, "grid"_a, "tangents"_a,
        "along"_a, "event_dt"_a, "event_dx"_a, "numbers"_a,
        "Many runs of native functions, in threads; fills the arrays, and returns events.");
  m.def("status_message", &ess_strerror, "status"_a, "Message of a status.");
}
