/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What work-precision and crossing-cost share: the methods, what their runs are worth, and the row
 * of a method at one value of its accuracy knob. */
#ifndef PRECISION_H
#define PRECISION_H

#include "bridge.h"
#include "race.h"

/* ---- methods --------------------------------------------------------------------------------- */

/* The setting that trades accuracy for time. */
typedef enum precision_knob {
  PRECISION_EPSILON,   /* half-width of the neighbourhoods, m */
  PRECISION_TOLERANCE, /* libess's: relative and absolute */
  PRECISION_RTOL,      /* relative tolerance; the absolute one is a hundredth of it */
  PRECISION_TIME_STEP  /* s */
} precision_knob;

/* One line of the figures. */
typedef struct precision_method {
  const char *name;     /* in files and on the command line, unique */
  const char *label;    /* in legends */
  const char *solver;   /* by its name in the table of solvers */
  const char *variant;  /* of that solver, or NULL */
  int order;            /* of the projection; 0: its default */
  precision_knob knob;  /* what is swept */
  const double *values; /* of the knob, the coarsest first; a 0 ends them */
  /* tolerance that goes with the knob: rtol = factor * value^power, between 1e-13 and 1e-2; factor
   * 0: it has none. From `coarse` on, where that is > 0, the factor is coarse_factor */
  double tolerance_factor, tolerance_power;
  double coarse, coarse_factor;
} precision_method;

/* The table, in the order of the legends; it ends with one without a name. */
extern const precision_method precision_methods[];
extern const size_t precision_method_count;

/* So many of them, the first, race where --methods names none. */
extern const size_t precision_default_count;

/* What either study is asked for: contacts and a target crossing-cost alone. */
typedef struct precision_asked {
  contacts_range contacts; /* a case each; none: the run's model is the only one */
  double target;
  option_names methods;
  size_t trials;
  double point_work, min_time;
} precision_asked;

#define PRECISION_OPTIONS(X, row, of_trials, trials_, work)                                        \
  X(row, methods, NAMES, "methods", "A,B", "methods by name, such as projection-2 (default all)",  \
    .names = &precision_methods->name, .names_apart = sizeof(precision_method))                    \
  X(row, trials, WHOLE, "trials", "COUNT", of_trials, .initial = trials_, .min = 1, .max = 1e6,    \
    .result = "trials")                                                                            \
  X(row, point_work, NUMBER, "point-work", "COUNT",                                                \
    "limit of the work of a setting over all initial conditions, in units of about 2 ns: an "      \
    "evaluation is 16 plus the contacts, one of MuJoCo 25 times as many, or by a callback 250 "    \
    "plus the contacts; a setting above the limit has three initial conditions, or one",           \
    .initial = work, .max = 1e15, .result = "point_work")                                          \
  X(row, min_time, NUMBER, "min-time", "S",                                                        \
    "time for which a sample repeats its run, s (default 0: one run)", .initial = "0",             \
    .max = 3600)

/* Whether --methods names it, or names none. */
bool precision_chosen(const option_names *methods, size_t method);

/* Whether any of those chosen can do the model of the first case, at the first value of its knob.
 * 0, or a solver_status with the line of the last. */
int precision_check(study_run *run);

/* The settings of a method at one value of its knob, for a model with so many contacts: MuJoCo's
 * field gap grows with them, and is kept below its limit by its scaling. */
solver_settings precision_settings(const precision_method *method, double value, size_t contacts);

/* What a run from a coarser value lets expect of this one's time; NaN when that tells nothing. */
double precision_expected_time(const precision_method *method, double coarser, double seconds,
                               double value);

/* A run that is to be expected, by what the coarser value took, to take longer than this, s, is not
 * made. */
#define PRECISION_RUN_MAX 10.0

/* Starts of a setting whose work from all of them is more than --point-work allows. One of which it
 * is from these, too, has its first run and no more. */
enum { PRECISION_FEW = 3 };

/* From how many starts a setting is run, the first run of which made so many evaluations of field
 * and guards. The clock has no say: errors and evaluations are the same on every machine. */
size_t precision_trials(const precision_asked *asked, size_t contacts,
                        const precision_method *method, double evaluations);

/* ---- runs ------------------------------------------------------------------------------------ */

/* What a setting is worth. Everything but the first is marked where it is shown. */
typedef enum precision_status {
  PRECISION_OK,
  PRECISION_CROSSINGS, /* ends well, but its crossings are not the reference's */
  PRECISION_DIVERGED,  /* no better than a state that stays where it started */
  PRECISION_FAILED,    /* a run gave up */
  PRECISION_UNREACHED, /* of crossing-cost: at no value of the knob is the target error reached */
  PRECISION_TOO_LONG,  /* a run would take longer than PRECISION_RUN_MAX: not made */
  PRECISION_REFUSED    /* the solver does not do this model, or not with these settings */
} precision_status;

/* "ok", "crossings", "diverged", "failed", "not reached", "too long", "refused". */
const char *precision_status_name(precision_status status);

/* What a start's runs are measured by. */
typedef struct precision_start {
  double events; /* of its reference */
  double held;   /* error of a state that stays where it started */
} precision_start;

/* A sample of either study (what = "start"), what is known of a setting before the race ("known"),
 * or a lap of it ("lap"). */
typedef struct precision_sample {
  const char *what, *solver, *variant; /* of its method */
  size_t contacts, method, process, trial, trials, status;
  double value, retaken;
  const char *message;
  precision_start start;
  bridge_gap gap;
  outcome of;
} precision_sample;

extern const column precision_sample_columns[];
#define PRECISION_SAMPLES                                                                          \
  STUDY_ROWS(precision_sample, .sql = STUDY_LAP,                                                   \
             .meaning = "an initial condition, a setting or a run")

/* One in which nothing else is known. */
precision_sample precision_unknown(const char *what, size_t contacts, size_t method, double value);

/* Runs the sample's method at its value from the first start, and says from how many it is raced.
 * With room for twice so many numbers it is run from all of those, as in the race: its error and
 * time are medians then, infinite where one is not finite. Of a run that failed there are time and
 * counts. 0, or a solver_status with one line. */
int precision_try(const study_run *run, const contest_starts *starts, double room[],
                  precision_sample *s, char message[SOLVER_MESSAGE_SIZE]);

/* ---- cells ----------------------------------------------------------------------------------- */

/* The starts of a case, what is known of each method before the race, and the race in each process.
 */
typedef enum precision_kind { PRECISION_STARTS, PRECISION_METHOD, PRECISION_RACE } precision_kind;

typedef struct precision_cell {
  precision_kind kind;
  size_t index, method, trials, process; /* index: of the case; trials: from how many starts those
                                            race */
} precision_cell;

study_place precision_place(const void *cell);

/* How many cases there are; one's starts, or NULL with one line. */
size_t precision_cases(const study_run *run);
contest_starts *precision_starts(study_run *run, size_t index);

/* ---- the race -------------------------------------------------------------------------------- */

/* One method at one value of its knob. */
typedef struct precision_point {
  size_t method;
  double value;
  precision_status obstacle; /* PRECISION_OK, or why it is not raced */
  size_t trials;             /* starts it is measured from; 0: none */
  outcome first;             /* of the first run, or what is expected of it */
  const char *message;       /* of the obstacle; "": none */
  const char *as;            /* the method that stands for it; "": itself */
  bool settled;              /* its first run is all that is wanted: it is its lap */
} precision_point;

/* All points, those of one case after those of another: run->own once they are known. Variants of
 * one solver that have the same values, errors and obstacles wherever both have run are one: the
 * first of the table stands for the others. No clock has a say in who stands for whom. */
typedef struct precision_survey {
  size_t count; /* of a case */
  precision_point point[];
} precision_survey;

/* How many of them are raced from so many starts. */
size_t precision_raced(const precision_point point[], size_t count, size_t trials);

/* Plans a stage, the first of starts and of the methods named, the second of the races of a survey,
 * which is made then; where that `settles`, the first run of a point that needs no other, or that
 * another one stands for, is its lap. Runs a cell, that of a method by `known`. 0, or -1 with one
 * line. */
int precision_plan(study_run *run, size_t stage, bool settles);
int precision_measure(study_run *run, const void *cell,
                      int (*known)(study_run *run, contest_starts *starts, size_t method));

/* ---- rows ------------------------------------------------------------------------------------ */

/* What a point is before it is measured, a row of a table in no file. */
#define PRECISION_ENTRY_COLUMNS(COLUMN, row)                                                       \
  COLUMN(row, model, TEXT, "", "")                                                                 \
  COLUMN(row, law, TEXT, "", "")                                                                   \
  COLUMN(row, method, TEXT, "", "")                                                                \
  COLUMN(row, label, TEXT, "", "")                                                                 \
  COLUMN(row, solver, TEXT, "", "")                                                                \
  COLUMN(row, variant, TEXT, "", "")                                                               \
  COLUMN(row, knob, TEXT, "", "")                                                                  \
  COLUMN(row, obstacle, TEXT, "", "")                                                              \
  COLUMN(row, coincides_with, TEXT, "", "")                                                        \
  COLUMN(row, message, TEXT, "", "")                                                               \
  COLUMN(row, contacts, COUNT, "", "")                                                             \
  COLUMN(row, number, COUNT, "", "")                                                               \
  COLUMN(row, settled, FLAG, "", "")                                                               \
  COLUMN(row, damping, NUMBER, "", "")                                                             \
  COLUMN(row, value, AMOUNT, "", "")                                                               \
  COLUMN(row, target, AMOUNT, "", "")                                                              \
  COLUMN(row, settings, SETTINGS, "", "")
COLUMN_ROW(precision_entry, PRECISION_ENTRY_COLUMNS);

#define PRECISION_ENTRIES(file)                                                                    \
  STUDY_ROWS(precision_entry, .sql = file "_entries",                                              \
             .meaning = "a method at one value of its parameter")

/* Adds all points to `table`, which is of entries: a derivation, that SQL derives the rows from. */
int precision_derive(study_run *run, size_t table);

/* Laps, of which a settled point has its first run, with their number among those of their point,
 * and what their start's reference says. */
#define PRECISION_LAPS(file)                                                                       \
  "WITH ran AS (SELECT *, max(process) OVER () + 1 AS processes FROM " file "_laps "               \
  "WHERE run = ?1 AND what = 'lap' UNION ALL SELECT c.*, 1 FROM " file "_laps c "                  \
  "JOIN " file "_entries e USING (run, contacts, value) WHERE run = ?1 AND what = 'known' "        \
  "AND c.method = e.number AND settled) "                                                          \
  "SELECT ran.*, trial * processes + process AS lap, stay, crossings, r.seed, "                    \
  "count(*) OVER (PARTITION BY contacts, method, value) AS laps FROM ran "                         \
  "JOIN run r ON r.id = ran.run JOIN (SELECT contacts, trial, held AS stay, "                      \
  "events_reference AS crossings FROM " file "_laps WHERE run = ?1 AND what = 'start') "           \
  "USING (contacts, trial)"

/* A run gave up, or is no better than a state that stays where it started. Errors are those of the
 * first process. */
#define PRECISION_UP    "steps IS NULL"
#define PRECISION_AWAY  "coalesce(rms_error >= stay, 1)"
#define PRECISION_FIRST "FILTER (WHERE NOT process) "
#define PRECISION_ENDED "FILTER (WHERE NOT process AND steps IS NOT NULL) "
#define PRECISION_RACED                                                                            \
  "SELECT contacts, method, value, count(*) " PRECISION_FIRST "AS raced, "                         \
  "sum(" PRECISION_UP ") " PRECISION_FIRST "AS up, sum(" PRECISION_AWAY ") " PRECISION_FIRST       \
  "AS away, sum(" PRECISION_UP " OR " PRECISION_AWAY ") " PRECISION_FIRST "AS failed, "            \
  "total(events) " PRECISION_ENDED "AS found, total(crossings) " PRECISION_ENDED "AS wanted, "     \
  "median(rms_error) AS rms, max(rms_error) AS worst, sum(retaken) AS retaken, "                   \
  "median(events) AS events, median(steps) AS steps, median(rejected) AS rejected, "               \
  "median(entries) AS entries, median(projections) AS projections, "                               \
  "median(field_evaluations) AS fields, median(event_evaluations) AS guards, "                     \
  "crossed_median_of(seconds, lap, processes, seed) FILTER (WHERE laps > 1) AS times, "            \
  "median(seconds) AS middle, substr(min(printf('%09d', lap) || message) "                         \
  "FILTER (WHERE message <> ''), 10) AS said FROM laps GROUP BY contacts, method, value"

/* Points in their order: what they are, what was known of them before the race, and their laps. */
#define PRECISION_FROM(file)                                                                       \
  "(SELECT *, 0 AS parent, CASE WHEN obstacle <> 'ok' THEN obstacle WHEN up THEN 'failed' "        \
  "WHEN away THEN 'diverged' WHEN abs(ratio - 1) <= " COLUMN_SQL(                                  \
      CONTEST_EVENTS_TOLERANCE) " THEN 'ok' ELSE 'crossings' END AS state, target > 0 AND "        \
                                "obstacle <> 'ok' AS none FROM "                                   \
                                "(SELECT e.*, d.*, iif(found = wanted, 1.0, found / wanted) AS "   \
                                "ratio, e.row AS place, "                                          \
                                "k.seconds AS first_s, k.rms_error AS closest, "                   \
                                "k.field_evaluations + k.event_evaluations "                       \
                                "AS first_evaluations, reference FROM " file                       \
                                "_entries e JOIN " file "_laps k "                                 \
                                "ON k.run = e.run AND k.what = 'known' AND k.contacts = "          \
                                "e.contacts AND k.method = e.number "                              \
                                "AND k.value IS e.value JOIN (SELECT contacts, "                   \
                                "median(events_reference) AS reference "                           \
                                "FROM " file                                                       \
                                "_laps WHERE run = ?1 AND what = 'start' GROUP BY contacts) s "    \
                                "ON s.contacts = e.contacts LEFT JOIN (" PRECISION_RACED           \
                                ") d ON d.contacts = e.contacts "                                  \
                                "AND d.method = e.number AND d.value = e.value WHERE e.run = "     \
                                "?1)) ORDER BY place"

#define PRECISION_MEDIAN      "coalesce(times->>0, middle, first_s)"
#define PRECISION_EVALUATIONS "coalesce(fields + guards, first_evaluations)"
#define PRECISION_MISSED      "state = 'ok' AND rms > target"

/* A setting as files have it; its message goes last. */
#define PRECISION_COLUMNS                                                                          \
  TAKEN("model", TEXT, "", "its name", SHOWN("model", "%-7s")),                                    \
      TAKEN("law", TEXT, "", "of its contacts; empty: the model has but one"),                     \
      TAKEN("method", TEXT, "", "by its name", SHOWN("method", "%-28s")),                          \
      TAKEN("label", TEXT, "", "the method in legends"),                                           \
      TAKEN("solver", TEXT, "", "of the method"),                                                  \
      TAKEN("variant", TEXT, "", "of the solver; empty: its default"),                             \
      TAKEN("knob", TEXT, "", "epsilon, tolerance, rtol or secondstep"),                           \
      DERIVED("status", TEXT, "", "iif(" PRECISION_MISSED ", 'not reached', state)",               \
              "ok; crossings: more than 1 % off the reference's; diverged: no better "             \
              "than a state that stays where it started; failed: a run gave up; not "              \
              "reached: no value reaches the target; too long: not run; refused: the "             \
              "solver does not do this",                                                           \
              SHOWN("status", "%-11s")),                                                           \
      TAKEN("coincides_with", TEXT, "", "method that stands for it; empty: it stands for itself",  \
            SHOWN("as", "%-21s")),                                                                 \
      TAKEN("contacts", COUNT, "", "number of contacts", SHOWN("N", "%5.0f")),                     \
      TAKEN("damping", NUMBER, "N s/m", "of all springs"),                                         \
      TAKEN("value", AMOUNT, "", "of the parameter", SHOWN("knob", "%8.3g")),                      \
      DERIVED("trials", COUNT, "", "coalesce(raced, 0)", "initial conditions",                     \
              SHOWN("starts", "%6.0f")),                                                           \
      DERIVED("failures", AMOUNT, "", "iif(none, NULL, coalesce(failed, 0))",                      \
              "of them gave up or diverged"),                                                      \
      DERIVED("rms_error", AMOUNT, "", "iif(none, closest, rms)",                                  \
              "error against the reference: root mean square over all states on the "              \
              "output grid; median, as all to event_evaluations",                                  \
              SHOWN("RMS", "%8.2e")),                                                              \
      DERIVED("rms_worst", AMOUNT, "", "worst", "the largest", SHOWN("worst", "%8.2e")),           \
      DERIVED("median_s", AMOUNT, "s", PRECISION_MEDIAN,                                           \
              "time; where it was not raced, of one run",                                          \
              SHOWN_TIMES("median ms", "%10.4f", 1e3)),                                            \
      DERIVED("median_lo_s", AMOUNT, "s", "times->>1", "lower end of its 95 % interval",           \
              SHOWN_TIMES("from", "%10.4f", 1e3)),                                                 \
      DERIVED("median_hi_s", AMOUNT, "s", "times->>2", "upper end",                                \
              SHOWN_TIMES("to", "%10.4f", 1e3)),                                                   \
      TAKEN("events", AMOUNT, "", "crossings that change the field"),                              \
      DERIVED("events_reference", AMOUNT, "", "reference", "of the reference"),                    \
      DERIVED("events_ratio", AMOUNT, "", "ratio",                                                 \
              "crossings of all initial conditions over the reference's",                          \
              SHOWN_TIMES("crossings", "%8.2f%%", 100.0)),                                         \
      TAKEN("steps", AMOUNT, "", "accepted"), TAKEN("rejected", AMOUNT, "", "steps"),              \
      TAKEN("entries", AMOUNT, "", "steps cut at a located crossing"),                             \
      TAKEN("projections", AMOUNT, "", "over neighbourhoods of guards"),                           \
      DERIVED("field_evaluations", AMOUNT, "", "fields", "MuJoCo: steps times stages"),            \
      DERIVED("event_evaluations", AMOUNT, "", "guards", "of all event functions at once"),        \
      DERIVED("evaluations", AMOUNT, "", PRECISION_EVALUATIONS, "of field and guards",             \
              SHOWN("evals", "%9.0f")),                                                            \
      DERIVED("retaken", AMOUNT, "", "iif(none, NULL, coalesce(retaken, 0))",                      \
              "runs taken again because the thread had lost its core")
#define PRECISION_MESSAGE                                                                          \
  DERIVED("message", TEXT, "",                                                                     \
          "CASE WHEN " PRECISION_MISSED                                                            \
          " THEN 'the RMS error is above the target in the race' WHEN message <> '' THEN message " \
          "WHEN said <> '' THEN said WHEN state = 'diverged' "                                     \
          "THEN 'no better than a state that stays where it started' WHEN state = 'crossings' "    \
          "THEN 'crossings are more than 1 % off the reference''s' ELSE '' END",                   \
          "why the status is not ok", SHOWN("", "%s"))

#endif
