-- What several queries of pages, or a page and the report, have in common.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- of python.md: problems on which ess has a larger error than SciPy at the same tolerance
CREATE VIEW python_errs_more AS
SELECT ess."case" FROM python_cases ess JOIN python_cases scipy USING ("case")
WHERE ess.way = 'ess' AND scipy.way = 'scipy' AND NOT ess.error <= scipy.error;

-- of accuracy.md: rows that have an error
CREATE VIEW tolerance_known AS SELECT * FROM tolerance WHERE median_over_tolerance < 9e999;

-- of findings.md: of Drake's race the cheapest run of each method within an error, on springs without damping (race) and with Drake's own law.
-- A run whose samples see another number of contacts than the exact solution's counts by its error alone.
CREATE VIEW drake_all AS
SELECT rowid AS at, 'race' AS race, iif(model = 'hopper', model, model || ', N = ' || contacts) AS system, method, rms_error,
  median_s, status FROM "drake/work_precision"
UNION ALL SELECT rowid, 'damped', model || ', N = ' || contacts, replace(replace('drake-' || scheme, 'runge_kutta', 'rk'), '_', ''),
  rms_error,
  median_s, status
FROM "drake/damped"
UNION ALL SELECT rowid, 'damped', model || ', N = ' || contacts, method, rms_error, median_s, status
FROM "drake/damped/work_precision";
CREATE VIEW drake_runs AS SELECT at, race, system, method, rms_error, median_s FROM drake_all
WHERE status IN ('ok', 'crossings');
CREATE VIEW drake_best AS
WITH asked (error) AS (VALUES (1e-1), (1e-2), (1e-3), (1e-4))
SELECT race, system, method, error, min(median_s) AS median_s, printf('%.3g (%.1e)', 1e3 * min(median_s), rms_error) AS said
FROM asked JOIN drake_runs ON rms_error <= error GROUP BY race, system, method, error;
CREATE VIEW drake_table AS
WITH methods (number, method, label) AS (
  VALUES (1, 'drake-cenic', 'Drake CENIC'), (2, 'drake-rk3', 'Drake RK3'), (3, 'drake-rk5', 'Drake RK5'),
    (4, 'mujoco-Euler', 'MuJoCo Euler'), (5, 'mujoco-RK4', 'MuJoCo RK4'),
    (6, 'mujoco-callback-Euler', 'MuJoCo Euler, callback'), (7, 'mujoco-callback-RK4', 'MuJoCo RK4, callback'),
    (8, 'plain-rk4', 'event-unaware RK4'), (9, 'plain-heun', 'event-unaware Heun'),
    (10, 'plain-adams2', 'event-unaware Adams 2'), (11, 'plain-dopri5', 'event-unaware dopri5'), (12, 'libess', 'libess')),
systems AS (SELECT race, system, min(at) AS at FROM drake_runs GROUP BY race, system)
SELECT race, system, label, max(iif(error = 1e-1, said, NULL)) AS e1, max(iif(error = 1e-2, said, NULL)) AS e2,
  max(iif(error = 1e-3, said, NULL)) AS e3, max(iif(error = 1e-4, said, NULL)) AS e4
FROM systems CROSS JOIN methods LEFT JOIN drake_best USING (race, system, method)
WHERE EXISTS (SELECT 1 FROM drake_all a WHERE a.race = systems.race AND a.system = systems.system AND a.method = methods.method)
GROUP BY race, at, number ORDER BY race, at, number;

-- of findings.md: of Simbody's race each method's setting with the fewest evaluations of the right-hand side within an error
CREATE VIEW simbody_runs AS
WITH methods (number, method, label) AS (
  VALUES (1, 'simbody-merson', 'Simbody Merson'), (2, 'simbody-merson-witness', 'Simbody Merson, witness functions'),
    (3, 'simbody-cpodes', 'Simbody CPodes BDF'), (4, 'simbody-cpodes-witness', 'Simbody CPodes BDF, witness functions'),
    (5, 'simbody-adams', 'Simbody CPodes Adams'), (6, 'simbody-adams-witness', 'Simbody CPodes Adams, witness functions'),
    (7, 'plain-dopri5', 'event-unaware dopri5'), (8, 'plain-cvode', 'event-unaware CVODE Adams'), (9, 'libess', 'libess')),
runs AS (
  SELECT rowid AS at, iif(model = 'hopper', model, model || ', N = ' || contacts) AS system, replace(method, '-contact', '') AS method,
    method LIKE '%-contact%' AS contact, rms_error, field_evaluations, iif(method LIKE 'plain-%', 0, event_evaluations) AS event_evaluations, status
  FROM "simbody/work_precision")
SELECT min(at) OVER (PARTITION BY system) AS place, runs.*, number, label FROM runs JOIN methods USING (method);
CREATE VIEW simbody_best AS
WITH asked (error) AS (VALUES (1e-1), (1e-2), (1e-3), (1e-4))
SELECT place, system, number, label, method, contact, error, min(field_evaluations) AS field_evaluations,
  event_evaluations, printf('%.0f%s', min(field_evaluations), iif(event_evaluations > 0, printf(' (%.0f)', event_evaluations), '')) AS said
FROM asked JOIN simbody_runs ON rms_error <= error AND status IN ('ok', 'crossings') GROUP BY system, method, contact, error;
CREATE VIEW simbody_table AS
SELECT system, label, max(iif(error = 1e-1, said, NULL)) AS e1, max(iif(error = 1e-2, said, NULL)) AS e2,
  max(iif(error = 1e-3, said, NULL)) AS e3, max(iif(error = 1e-4, said, NULL)) AS e4
FROM (SELECT DISTINCT place, system, number, label, method, contact FROM simbody_runs WHERE NOT contact)
LEFT JOIN simbody_best USING (place, system, number, label, method, contact)
GROUP BY place, number ORDER BY place, number;
CREATE VIEW simbody_ratios AS -- the fewest of Simbody's integrators over libess's, without witness functions and with them; event-unaware CVODE's; and tracked contacts' over a force's. all_ratio counts libess's event functions, too
SELECT CASE WHEN their.method LIKE 'plain-%' THEN 'unaware' WHEN their.method LIKE '%-witness' THEN 'witness' ELSE 'without' END AS kind, system, error,
  1.0 * min(their.field_evaluations) / our.field_evaluations AS ratio,
  1.0 * min(their.field_evaluations) / (our.field_evaluations + our.event_evaluations) AS all_ratio
FROM simbody_best their JOIN simbody_best our USING (system, error)
WHERE our.method = 'libess' AND (their.method LIKE 'simbody-%' OR their.method = 'plain-cvode') AND NOT their.contact GROUP BY kind, system, error
UNION ALL
SELECT 'contact', system, error, 1.0 * tracked.field_evaluations / force.field_evaluations, NULL
FROM simbody_best tracked JOIN simbody_best force USING (system, error, method) WHERE tracked.contact AND NOT force.contact;

-- of paper.md and README.md: libess's error over MuJoCo's by the paper's protocol, and what it comes to, a line each
CREATE VIEW paper_factors AS
SELECT contacts, 1.0 * ours.rms_error / theirs.rms_error AS median, 1.0 * ours.rms_worst / theirs.rms_worst AS worst
FROM sweep ours JOIN sweep theirs USING (protocol, contacts)
WHERE protocol = 'paper' AND ours.solver = 'projection' AND theirs.solver = 'mujoco';
CREATE VIEW paper_losses AS
WITH counted AS (
  SELECT count(*) AS all_n, sum(median > 1) AS larger, max(contacts) AS last, max(iif(median > 1, -1, contacts)) AS none_up_to
  FROM paper_factors)
SELECT printf('libess''s median error exceeds MuJoCo''s %s.', CASE
    WHEN none_up_to < last THEN printf('from %d contacts on',
      (SELECT min(contacts) FROM paper_factors WHERE contacts > none_up_to))
    WHEN larger > 0 THEN printf('at %d of %d N', larger, all_n) ELSE 'nowhere here' END) AS said
FROM counted WHERE all_n > 0
UNION ALL
SELECT printf('At N = %d it is %.2g times MuJoCo''s. Over all N the factor is at most %.2g for the median (at N = %d),',
  last, (SELECT median FROM paper_factors WHERE contacts = last), most, contacts)
FROM counted, (SELECT max(median) AS most, contacts FROM paper_factors) WHERE all_n > 0
UNION ALL
SELECT printf('and at most %.2g for the worst initial condition (at N = %d).', max(worst), contacts)
  FROM paper_factors HAVING max(worst) > 0;

-- of speed.md: MuJoCo's settings and timers with the names that the page has
CREATE VIEW mujoco_rows AS
SELECT rowid AS at, *, iif(model = 'hopper', 'hopper', 'N = ' || contacts) AS "case", verdict != 'left out' AS there,
  CASE WHEN changes IS NOT NULL THEN iif(base = 'mujoco', 'own ', '') || printf('`%s`', changes)
    WHEN base = 'race' THEN '**the race''s**' ELSE 'MuJoCo''s own' END AS setting
FROM mujoco_settings;
CREATE VIEW mujoco_raced AS
SELECT r.*, r.rms_error / own.rms_error AS error_ratio FROM mujoco_rows r JOIN mujoco_rows own USING (base, "case")
WHERE base = 'race' AND own.changes IS NULL AND r.there;
CREATE VIEW mujoco_timers AS
SELECT rowid AS at, *, iif(model = 'hopper', 'hopper', 'N = ' || contacts) AS "case" FROM mujoco_profile;
CREATE VIEW mujoco_columns AS -- the race's profile of every case, and behind them MuJoCo's own of the last
WITH cases AS (SELECT min(at) AS number, "case" FROM mujoco_timers GROUP BY "case")
SELECT number, "case" AS name, 'race' AS base, "case" FROM cases
UNION ALL SELECT 1e9, 'MuJoCo''s own, ' || "case", 'mujoco', "case" FROM (SELECT max(number), "case" FROM cases);

-- of derivatives.md: the times at which libess's own derivative is known, and MuJoCo's errors there
CREATE VIEW gradient_times AS
SELECT folder, t.row AS number, t, estimate
FROM "gradients/*/robot_derivative_times" t JOIN "gradients/*/robot_derivative_top" USING (folder) WHERE t <= audited;
CREATE VIEW gradient_errors AS
SELECT e.rowid AS at, e.*, iif(way = 'transitions', '`mjd_transitionFD`', printf('differences by %g', move)) AS how,
  CASE WHEN error IS NULL THEN iif(note LIKE '%finite%', 'not finite', 'none')
    WHEN error > coalesce(estimate, 0) THEN percent(error) ELSE '< ' || percent(estimate) END AS cell
FROM "gradients/*/robot_derivative" e JOIN gradient_times USING (folder, t) WHERE who = 'MuJoCo';
CREATE VIEW gradient_own AS -- at the model's own step: by matrices, or by differences of the smallest moves
SELECT folder, t, way, min(move) AS move, error, cell FROM gradient_errors WHERE own GROUP BY folder, t, way;

-- of mechanisms.md: runs on rigid and on soft contacts, as the page writes them
CREATE VIEW contact_runs AS
SELECT rowid AS at, *, short(angle_rms, '.1e') AS angle, short(landing_off, '.1e') AS later,
  short(100 * stop_speed, '.3f') AS stops,
  short(1e6 * time_s, iif(1e6 * time_s < 100, '.3g', '.0f')) AS us, contacts = 'rigid' AND NOT angle_rms > 0 AS exact,
  iif(contacts = 'own', printf('own, %.3g ms', 1e3 * time_constant),
    printf('ζ = %g, k = %s', damping_ratio, short(stiffness, '.1e'))) AS contact
FROM rigid_soft;
CREATE VIEW contact_springs AS
SELECT * FROM contact_runs WHERE engine = 'libess' AND contacts = 'springs' AND (system != 'block' OR stiffness >= 1e5);
CREATE VIEW contact_systems AS
SELECT number, system, name, us AS rigid_us, min(at), time_s AS rigid_s
FROM (SELECT 1 AS number, 'block' AS system, 'block' AS name UNION SELECT 2, 'trot', 'landing') JOIN contact_runs USING (system)
WHERE exact GROUP BY number;
CREATE VIEW contact_integrators AS -- MuJoCo's, and the first that does the same
WITH runs AS (SELECT at, integrator, coalesce(printf('%s %.3g %.6g', system, angle_rms, landing), '') AS did
  FROM contact_runs WHERE engine = 'mujoco' AND choice != 'stiffest' ORDER BY at),
did AS (SELECT min(at) AS at, integrator, group_concat(did) AS did FROM runs GROUP BY integrator)
SELECT at, integrator, (SELECT integrator FROM did first WHERE first.did = did.did ORDER BY at LIMIT 1) AS as_before FROM did;
CREATE VIEW contact_told AS
SELECT c.* FROM contact_runs c JOIN contact_integrators i USING (integrator) WHERE engine = 'mujoco' AND as_before = integrator;
CREATE VIEW contact_by_mujoco AS -- at each step of each integrator
WITH kinds AS (
  SELECT *, CASE WHEN choice = 'default' THEN 'usual' WHEN choice = 'closest' THEN 'near' WHEN contacts = 'own' THEN 'own'
    WHEN damping_ratio = 2 THEN 'stiff' END AS kind
  FROM contact_told)
SELECT system, integrator, 1e3 * time_step AS ms, max(angle) FILTER (WHERE kind = 'usual') AS usual,
  max(us) FILTER (WHERE kind = 'usual') AS usual_us,
  max(printf('%.2g ms', 1e3 * time_constant)) FILTER (WHERE kind = 'own') AS own,
    max(angle) FILTER (WHERE kind = 'own') AS own_angle,
  max(short(stiffness, '.1e')) FILTER (WHERE kind = 'stiff') AS stiff, max(angle) FILTER (WHERE kind = 'stiff') AS stiff_angle,
  max(contact) FILTER (WHERE kind = 'near') AS near, max(later) FILTER (WHERE kind = 'near') AS later,
  max(angle) FILTER (WHERE kind = 'near') AS angle, max(stops) FILTER (WHERE kind = 'near') AS stops,
  max(short(iif(system = 'block', spin_ratio, end_rate), '.4f')) FILTER (WHERE kind = 'near') AS value,
  max(us) FILTER (WHERE kind = 'near') AS us
FROM kinds GROUP BY system, integrator, time_step ORDER BY min(at);
CREATE VIEW contact_within AS -- the cheapest run of each that is within so much of rigid contacts
WITH asked (error) AS (VALUES (1e-2), (1e-3), (1e-4), (1e-5), (1e-6)),
best AS (
  SELECT system, error, substr(engine, 1, 6) AS engine, min(time_s) AS time_s, us,
    iif(engine = 'mujoco-callback', 'callback, ', '') || coalesce(printf('%s, %g ms, ', integrator, 1e3 * time_step), '') ||
      iif(choice = 'default', 'default', contact) AS how
  FROM asked JOIN contact_runs ON angle_rms <= error AND time_s > 0 AND (engine LIKE 'mujoco%' OR contacts = 'springs')
  GROUP BY system, error, substr(engine, 1, 6))
SELECT s.*, printf('%.0e', asked.error) AS error, ours.how AS our_how, ours.us AS our_us, theirs.how AS their_how,
  theirs.us AS their_us,
  CASE WHEN ours.time_s IS NULL AND theirs.time_s IS NULL THEN 3 WHEN theirs.time_s < coalesce(ours.time_s, 9e999) THEN 2
    ELSE 1 END
    AS who, rigid_s < min(coalesce(ours.time_s, 9e999), coalesce(theirs.time_s, 9e999)) AS beaten
FROM contact_systems s CROSS JOIN asked
  LEFT JOIN best ours ON ours.system = s.system AND ours.error = asked.error AND ours.engine = 'libess'
  LEFT JOIN best theirs ON theirs.system = s.system AND theirs.error = asked.error AND theirs.engine = 'mujoco'
ORDER BY number, asked.error DESC;

-- of findings.md, README.md and the report: what each method costs at least within an error. Methods that look for no
-- crossing and read the mode off the state are one: the cheapest of them
CREATE VIEW precision_others (number, who) AS VALUES (1, 'event-unaware'), (2, 'projection'), (3, 'listing'), (4, 'location'),
  (5, 'cvode'),
  (6, 'gsl'), (7, 'hybrid'), (8, 'smooth'), (9, 'time-stepping'), (10, 'ode'), (11, 'mujoco'), (12, 'mujoco-callback');
CREATE VIEW precision_runs AS
SELECT rowid AS at, *, iif(model = 'plate', 'plate, N = ' || contacts, model) AS system,
  iif(solver LIKE 'plain-%', 'event-unaware', solver) AS who
FROM work_precision;
CREATE VIEW precision_systems AS SELECT system, min(at) AS at FROM precision_runs GROUP BY system;
CREATE VIEW precision_best AS
WITH asked (error) AS (
  VALUES (1e-1), (1e-2), (1e-3), (1e-4), (1e-5), (1e-6), (1e-7), (1e-8), (1e-9), (1e-10)),
kinds (kind) AS (VALUES ('time'), ('evaluations'))
SELECT kind, system, error, who, solver, value, min(iif(kind = 'time', 1e3 * median_s, 1.0 * evaluations)) AS cost
FROM asked CROSS JOIN kinds JOIN precision_runs ON rms_error <= error
WHERE status = 'ok' AND (who = 'libess' OR who IN (SELECT who FROM precision_others)) GROUP BY kind, system, error, who;
CREATE VIEW precision_cases AS -- all that a method reaches, and what libess needs for it
SELECT kind, system, error, at, (
  SELECT cost FROM precision_best o WHERE o.kind = b.kind AND o.system = b.system AND o.error = b.error
    AND who = 'libess') AS ours
FROM precision_best b JOIN precision_systems USING (system) GROUP BY kind, system, error;
CREATE VIEW precision_ratios AS
SELECT kind, system, error, at, who, solver, cost, ours, cost / ours AS ratio,
  row_number() OVER (PARTITION BY kind, system, error ORDER BY cost, who) AS place
FROM precision_cases JOIN precision_best USING (kind, system, error) WHERE who != 'libess';
CREATE VIEW precision_worse AS -- where another method is the cheapest
SELECT * FROM precision_ratios WHERE place = 1 AND (ours IS NULL OR ratio < 1);
CREATE VIEW precision_table AS
SELECT kind, system, error, coalesce(printf('%.4g', ours), (
    SELECT 'not reached; ' || group_concat(printf('%s %.4g', who, cost), ', ') FROM (
      SELECT who, cost FROM precision_others JOIN precision_best b USING (who)
      WHERE b.kind = c.kind AND b.system = c.system AND b.error = c.error ORDER BY number))) AS cost,
  (SELECT printf('%.0e', value) FROM precision_best b
   WHERE b.kind = c.kind AND b.system = c.system AND b.error = c.error AND who = 'libess') AS tolerance,
  (SELECT cells(printf(iif(ratio < 1, '**%.2f**', '%.3g'), ratio)) FROM (
     SELECT ratio FROM precision_others o LEFT JOIN precision_ratios r
       ON r.who = o.who AND r.kind = c.kind AND r.system = c.system AND r.error = c.error
     ORDER BY number)) AS others
FROM precision_cases c ORDER BY at, error DESC;
CREATE VIEW precision_summary AS
SELECT system, (SELECT group_concat(said, '; ') FROM (
    SELECT printf('%.0e: %s', error, who) || coalesce(printf(' %.2f', ratio), '') AS said FROM precision_worse w
    WHERE w.system = s.system AND kind = 'time' ORDER BY error DESC)) AS in_time,
  (SELECT group_concat(said, '; ') FROM (
    SELECT printf('%.0e: %s', error, who) || coalesce(printf(' %.2f', ratio), '') AS said FROM precision_worse w
    WHERE w.system = s.system AND kind = 'evaluations' ORDER BY error DESC)) AS in_evaluations
FROM precision_systems s ORDER BY at;
CREATE VIEW precision_kept AS -- errors over the tolerance that was asked for, also where crossings are others
WITH asked (tolerance) AS (VALUES (1e-2), (1e-3), (1e-4), (1e-5), (1e-6))
SELECT max(at) AS at, system, label, tolerance, rms_error / tolerance AS median, rms_worst / tolerance AS worst
FROM asked JOIN precision_runs ON abs(value / tolerance - 1) < 1e-9
WHERE knob IN ('tolerance', 'rtol') AND coincides_with IS NULL AND max(rms_error, rms_worst) < 9e999
GROUP BY system, label, tolerance;

-- of speed.md: instructions of a run, by contestant; MuJoCo has the cheapest of its integrators
CREATE VIEW count_all AS
SELECT min(rowid) AS at, system, error, min(instructions) AS instructions,
  iif(solver LIKE 'mujoco-callback%', 'mujoco-callback', iif(solver LIKE 'mujoco%', 'mujoco', solver)) AS contestant
FROM counts_runs WHERE error IS NOT NULL GROUP BY system, error, contestant;
CREATE VIEW count_contestants AS
SELECT min(at) AS at, contestant FROM count_all WHERE contestant != 'libess' GROUP BY contestant ORDER BY at;
CREATE VIEW count_rows AS
SELECT system, error, printf('%.3g', instructions / 1e6) AS libess, (SELECT cells(said) FROM (
    SELECT printf('%.3g (%.2g)', o.instructions / 1e6, o.instructions / c.instructions) AS said
    FROM count_contestants LEFT JOIN count_all o
      ON o.contestant = count_contestants.contestant AND o.system = c.system AND o.error = c.error
    ORDER BY count_contestants.at)) AS others
FROM count_all c WHERE contestant = 'libess' ORDER BY at;

-- of speed.md and README.md: libess's rows of the race, as the pages write them
CREATE VIEW speed_rows AS
SELECT *, coalesce(printf('%s (%s): %s', plain_us, plain_with, plain_ratio), 'not reached') AS plain FROM (SELECT rowid AS at, *, replace(
    iif(model = 'hopper', 'hopper', printf('N = %d, c = %g', contacts, damping)) ||
    iif(coalesce(stiffness, 0) IN (0, iif(model = 'hopper', 800, 8000)), '', printf(', k = %g', stiffness)), 'e+0',
      'e') AS system,
  us(median_s) AS us, us(mujoco_s) AS mujoco_us, us(callback_s) AS callback_us, us(plain_s) AS plain_us,
  printf(iif(mujoco_over_this < 1000, '%.1f [%.1f, %.1f]', '%.0f [%.0f, %.0f]'),
    mujoco_over_this, mujoco_over_this_lo, mujoco_over_this_hi) AS ratio,
  printf(iif(callback_over_this < 1000, '%.1f [%.1f, %.1f]', '%.0f [%.0f, %.0f]'),
    callback_over_this, callback_over_this_lo, callback_over_this_hi) AS callback_ratio,
  printf('%.2g (%.2g)', rms_error, rms_worst) AS error,
    printf('%.2g (%.2g)', mujoco_rms_error, mujoco_rms_worst) AS mujoco_error,
    printf('%.2g (%.2g)', callback_rms_error, callback_rms_worst) AS callback_error,
  printf('%s, %s', plain_solver, iif(plain_solver IN ('plain-euler', 'plain-rk4'), printf('%g ms', 1e3 * plain_setting),
    printf('%.1e', plain_setting))) AS plain_with,
  printf('%.2g [%.2g, %.2g]', plain_over_this, plain_over_this_lo, plain_over_this_hi) AS plain_ratio,
  CASE WHEN plain_solver IS NULL OR plain_over_this_lo > 1 THEN 1 WHEN plain_over_this_hi < 1 THEN 0 END AS fastest, -- is shown to be
  1.0 * rms_worst / mujoco_rms_worst AS worst_ratio
FROM speed WHERE solver = 'libess');
CREATE VIEW speed_raced AS SELECT * FROM speed_rows WHERE protocol IN ('equal-error', 'equal-median');
CREATE VIEW speed_equal AS SELECT * FROM speed_rows WHERE protocol = 'equal-error';
CREATE VIEW speed_errors AS -- each system at each median error asked for
SELECT system, substr(protocol, 7) + 0.0 AS asked, replace(printf('%.0e', substr(protocol, 7) + 0.0), 'e-0', 'e-') AS said,
  max(at) AS last, min(at) AS at, fastest, contacts, model,
    iif(plain_solver IS NULL, printf('**libess %s**, event-unaware: not reached', us),
    printf(iif(fastest = 1, '**%.2g**', '%.2g') || ' (libess %s, %s %s)', plain_over_this, us, plain_solver, plain_us)) AS cell
FROM speed_rows WHERE protocol LIKE 'error-%' GROUP BY system, asked;
CREATE VIEW speed_takes_over AS -- the largest error from which on libess is shown to be the fastest
SELECT system, min(at) AS at, model, contacts, (
  SELECT said FROM speed_errors e WHERE e.system = s.system AND asked < coalesce((
    SELECT min(asked) FROM speed_errors e WHERE e.system = s.system AND fastest IS NOT 1), 9e999)
      ORDER BY asked DESC LIMIT 1) AS said
FROM speed_errors s GROUP BY system;

-- of README.md: MuJoCo's times over libess's where both are at most as far off as MuJoCo's Euler at 2 ms
CREATE VIEW speed_factors AS
SELECT min(accepted_rms_error) AS least, max(accepted_rms_error) AS most, min(mujoco_over_this) AS low,
  max(mujoco_over_this) AS high, two_digits(min(callback_over_this)) AS callback_low, two_digits(max(callback_over_this)) AS callback_high,
  min(plain_over_this) AS plain_low, max(plain_over_this) AS plain_high, min(iif(model = 'plate', contacts, NULL)) AS few,
  max(iif(model = 'plate', contacts, NULL)) AS many
FROM speed_raced WHERE mujoco_over_this IS NOT NULL;

-- of losses.md and README.md: every table that has an event-unaware solver beside libess at equal error
CREATE VIEW unaware_all (number, page, error, system, solver, ratio, low, high) AS
SELECT 1, '[speed](speed.md)', CASE WHEN protocol LIKE 'error-%' THEN substr(protocol, 7) + 0.0
    WHEN protocol LIKE 'target-%' THEN substr(protocol, 8) + 0.0 END, iif(field IS 'aggregated', system || ', aggregated', system),
  plain_solver, plain_over_this, plain_over_this_lo, plain_over_this_hi
FROM speed_rows WHERE plain_over_this IS NOT NULL
UNION ALL SELECT 2, '[findings](findings.md)', error, system, solver, ratio, NULL, NULL FROM precision_ratios
WHERE kind = 'time' AND who = 'event-unaware' AND ratio IS NOT NULL
UNION ALL SELECT 3, '[cost of a crossing](findings.md#cost-of-a-crossing)', target, 'N = ' || contacts, solver, 1.0 * ns / ours, NULL, NULL
FROM (SELECT contacts, target, solver, min(ns_per_crossing) AS ns FROM crossing_cost
  WHERE status = 'ok' AND solver LIKE 'plain-%' GROUP BY contacts)
  JOIN (SELECT contacts, min(ns_per_crossing) AS ours FROM crossing_cost WHERE status = 'ok' AND solver = 'libess' GROUP BY contacts)
    USING (contacts)
UNION ALL SELECT 4, '[the paper''s race](paper.md)', NULL, 'N = ' || contacts, coalesce(solver, ''), plain_over_libess, interval ->> 0, interval ->> 1
FROM sweep_plain WHERE plain_over_libess IS NOT NULL
UNION ALL SELECT 5, '[legs](robots.md#more-legs)', NULL, contacts || ' legs', coalesce(solver, ''), plain_over_libess, interval ->> 0, interval ->> 1
FROM "legged/sweep_plain" WHERE plain_over_libess IS NOT NULL;
CREATE VIEW unaware_told AS
SELECT *, coalesce(printf('an error of %s', short(error, 'g')), 'MuJoCo''s error') AS told FROM unaware_all;

-- of losses.md: where libess loses, at its worst alone: a line of it does not grow
CREATE VIEW lost_unaware AS
SELECT printf('At MuJoCo''s error an event-unaware solver is faster in %d of %d comparisons.', sum(fastest = 0),
  count(*)) AS said
FROM speed_equal WHERE plain_solver IS NOT NULL HAVING count(*) > 0;
CREATE VIEW most_unaware AS -- the most that an event-unaware solver saves, over all tables
SELECT printf('%.2g times as long (%s, at %s)', 1 / min(ratio), trim(replace(system, ', c = 60', '') || ', ' || solver, ', '), told) AS said
FROM unaware_told HAVING min(ratio) < 1;
-- of a crossing, where the callback costs less than libess
CREATE VIEW callback_ahead AS
WITH least AS (SELECT contacts, target, solver, min(ns_per_crossing) AS ns FROM crossing_cost WHERE status = 'ok' GROUP BY contacts, solver)
SELECT printf('At an error of %s MuJoCo with the callback is %s', short(c.target, 'g'),
  listed(printf('%s times as fast as libess with N = %d', two_digits(l.ns / c.ns), contacts))) AS said
FROM least c JOIN least l USING (contacts) WHERE c.solver = 'mujoco-callback' AND l.solver = 'libess' AND c.ns < l.ns HAVING count(*) > 0;
CREATE VIEW lost_callback AS
SELECT printf('With the force as a callback and at most %d contacts MuJoCo is faster in %d of %d comparisons.',
  max(contacts), sum(coalesce(callback_over_this_hi < 1, 0)), count(*)) || coalesce(' ' || (SELECT said FROM callback_ahead) || '.', '') AS said
FROM speed_rows WHERE callback_over_this IS NOT NULL HAVING count(*) > 0;
CREATE VIEW lost_marginal AS -- what one more contact costs, over what it costs MuJoCo with a callback
SELECT printf('One more contact costs libess %s times what it costs MuJoCo with a callback.', span(callback_share, '%.2g')) AS said
FROM speed_marginals WHERE callback_share IS NOT NULL HAVING max(callback_share) > 1;
CREATE VIEW lost_early AS -- robots that count for nobody
SELECT printf('On %d of these robots the reference solution, which libess computes, ends early. They have no verdict. %d of them can be compared up to that time, and libess is slower on %d.',
  sum(verdict = 'stops early'), sum(verdict = 'stops early' AND ratio IS NOT NULL), sum(verdict = 'stops early' AND ratio < 1)) AS said
FROM "many-robots/robots" HAVING sum(verdict = 'stops early') > 0;
CREATE VIEW lost_robots_unaware AS
SELECT printf('On these robots an event-unaware solver of the same dynamics is faster than libess on %d of %d.', sum(plain_ratio < 1),
  count(plain_ratio)) AS said FROM "many-robots/robots" WHERE verdict NOT IN ('stops early', 'no answer') HAVING sum(plain_ratio < 1) > 0;
CREATE VIEW lost_counts AS -- where MuJoCo, by contacts or by a callback, takes fewer instructions
SELECT 'MuJoCo takes fewer instructions than libess in these cases: ' || group_concat(said, '; ') || '.' AS said FROM (
  SELECT printf('%s at an error of %s (%.2g of libess''s, by `%s`)', r.system, short(r.error, 'g'), min(r.instructions) / our.instructions, r.solver) AS said
  FROM counts_runs r JOIN counts_runs our USING (system, error)
  WHERE our.solver = 'libess' AND r.solver LIKE 'mujoco%' AND r.instructions < our.instructions GROUP BY r.system, r.error
  ORDER BY r.error DESC, r.system) HAVING count(*) > 0;
CREATE VIEW lost_drake AS
SELECT printf('On springs without damping an event-unaware solver takes only %.2g times libess''s time (%s, an error of %s).',
  ratio, system, short(error, 'g')) AS said
FROM (SELECT b.system, error, min(b.median_s) / our.median_s AS ratio FROM drake_best b JOIN drake_best our USING (race, system, error)
  WHERE our.method = 'libess' AND b.method LIKE 'plain-%' AND race = 'race' GROUP BY system, error ORDER BY ratio LIMIT 1)
WHERE ratio < 1;
CREATE VIEW lost_simbody AS
SELECT printf('On springs without damping Simbody needs fewer right-hand-side evaluations than libess in %d of %d comparisons at equal error, at best %.2g times as many (%s, an error of %s).',
  sum(ratio < 1), count(*), min(ratio), system, short(error, 'g')) AS said
FROM simbody_ratios WHERE kind = 'without' HAVING min(ratio) < 1;
CREATE VIEW lost_python AS -- against SciPy at the same tolerance
SELECT printf('At the same tolerance ess has a larger error than SciPy on %s.', listed("case")) AS said FROM python_errs_more
HAVING count(*) > 0;
CREATE VIEW lost_worst AS
SELECT printf('In %d of %d comparisons at equal error libess''s worst error is larger than MuJoCo''s. The factor is at most %.2g.',
  sum(worst_ratio > 1), count(*), max(worst_ratio)) AS said
FROM speed_equal HAVING max(worst_ratio) > 1;
CREATE VIEW lost_overhead AS
SELECT printf('With %d contacts %s of libess''s time is its own; callbacks take the rest.', max(contacts),
  span(100 - 100 * bound_s / median_s, '%.0f %%')) AS said
FROM speed_equal WHERE bound_s > 0 AND contacts = (SELECT max(contacts) FROM speed_equal WHERE bound_s > 0) HAVING count(*) > 0;
CREATE VIEW precision_names (who, name) AS VALUES ('event-unaware', 'an event-unaware solver'), ('location', 'event location'),
  ('projection', 'the paper''s method'), ('smooth', 'a smooth force'), ('mujoco', 'MuJoCo'), ('mujoco-callback', 'MuJoCo with a callback');
CREATE VIEW lost_methods AS -- to three at most, so that README.md stays short
SELECT printf('In %s cases (a model and an error to reach) %s takes less time than libess%s.', iif(less = 0, cases, printf('%d of %d', less, cases)),
  iif(less = 0, 'no other method', 'another method'), coalesce(', most often ' || who, '')) AS said
FROM (SELECT count(*) AS cases FROM precision_cases WHERE kind = 'time'),
  (SELECT count(*) AS less FROM precision_worse WHERE kind = 'time'), (SELECT listed(coalesce(name, who)) AS who FROM (
    SELECT who FROM precision_worse WHERE kind = 'time' GROUP BY who ORDER BY count(*) DESC, who LIMIT 3)
    LEFT JOIN precision_names USING (who))
WHERE cases > 0;
CREATE VIEW robot_raced AS -- an interval that contains 1 decides nothing
SELECT at, iif(own, 'MuJoCo''s own error', printf('an error of %g', rms_error)) AS error, own, count(*) AS robots,
  sum(coalesce(low > 1, 0)) AS faster, sum(coalesce(high < 1 AND NOT low > 1, high < 1, 0)) AS slower
FROM (SELECT rowid AS at, *, mujoco_over_libess_low AS low, mujoco_over_libess_high AS high FROM "robots/*/robot_reach"
  WHERE mujoco_over_libess IS NOT NULL ORDER BY rowid) GROUP BY own, error ORDER BY min(at);
CREATE VIEW robot_own AS
SELECT printf('Of %d robot%s libess is faster than MuJoCo on %d, slower on %d, undecided on %d', run, iif(run = 1, '', 's'),
  faster, slower, robots - faster - slower) || iif(run > robots, printf(', without an answer on %d', run - robots), '') AS said
FROM robot_raced, (SELECT count(*) AS run FROM "robots/*/robot_top") WHERE own;
CREATE VIEW lost_robots AS
SELECT coalesce((SELECT said || ', at MuJoCo''s own error.' FROM robot_own) ||
    coalesce((SELECT printf(' At %s it is slower on %d.', error, max(slower)) FROM robot_raced
      WHERE NOT own HAVING max(slower) > 0), ''),
  (SELECT printf('On none of %d robot%s both reach MuJoCo''s own error.', count(*), iif(count(*) = 1, '', 's')) FROM "robots/*/robot_top")) AS said;

-- of robots.md and the report: what each error that is asked for costs on each robot
CREATE VIEW robot_errors (number, error, name) AS VALUES
  (0, NULL, 'its own setting''s error'), (1, 1e-1, '1e-1'), (2, 1e-2, '1e-2'), (3, 1e-3, '1e-3'), (4, 1e-4, '1e-4');
CREATE VIEW robot_names AS SELECT rowid AS at, *, folder AS robot FROM "robots/*/robot_top";
CREATE VIEW robot_reached AS
SELECT n.at, n.robot, n.starts, n.time, e.number, e.name, r.*, libess_evaluations / time AS evaluations,
  printf('%.2g', mujoco_over_libess) ||
    coalesce(printf(' [%.2g, %.2g]', mujoco_over_libess_low, mujoco_over_libess_high), '') AS ratio,
  printf('%.2g', plain_over_libess) ||
    coalesce(printf(' [%.2g, %.2g]', plain_over_libess_low, plain_over_libess_high), '') AS plain_ratio,
  coalesce(mujoco_over_libess_high, mujoco_over_libess) < 1 AS slower,
    coalesce(mujoco_over_libess_low, mujoco_over_libess) > 1 AS faster,
  coalesce(plain_over_libess_low, plain_over_libess) > 1 AS gains
FROM robot_errors e JOIN "robots/*/robot_reach" r ON iif(e.number, NOT r.own AND abs(r.rms_error / e.error - 1) < 1e-6, r.own)
  JOIN robot_names n ON n.robot = r.folder;
CREATE VIEW robot_losses AS -- where libess is slower, where nobody can be said to win, and where its event functions gain nothing
WITH kinds (kind) AS (VALUES ('slower'), ('open'), ('never'), ('useless')),
said AS (SELECT kind, number, name,
  printf('%s (%s)', robot, CASE kind WHEN 'never' THEN 'not reached' WHEN 'useless' THEN plain_ratio
    ELSE ratio END) AS said
  FROM kinds CROSS JOIN robot_reached
  WHERE CASE kind WHEN 'slower' THEN slower WHEN 'open' THEN NOT slower AND NOT faster
    WHEN 'never' THEN mujoco_seconds IS NOT NULL AND libess_seconds IS NULL ELSE NOT gains END
  ORDER BY at)
SELECT kind, number, name, listed(said) AS robots FROM said GROUP BY kind, number ORDER BY number;
CREATE VIEW robot_costs AS
SELECT robot, (SELECT cells(iif(slower, printf('**%s**', said), said)) FROM (
    SELECT slower, printf('%s (%s)', ratio, coalesce(printf('%.2g', plain_over_libess), '–')) ||
      iif(held_out < starts, printf(', %d of %d initial conditions', held_out, starts), '') AS said
    FROM robot_errors e LEFT JOIN robot_reached r ON r.number = e.number AND r.robot = n.robot ORDER BY e.number)) AS costs
FROM robot_names n ORDER BY at;
CREATE VIEW robot_loosest AS -- evaluations of a second by a base at its loosest tolerance that gets to the end
SELECT n.robot, l.base, max(l.tolerance) AS tolerance, l.evaluations / n.time AS evaluations
FROM "robots/*/robot_libess" l JOIN robot_names n ON n.robot = l.folder WHERE l.rms_error IS NOT NULL GROUP BY n.robot, l.base;
CREATE VIEW robot_bases AS -- evaluations by libess's cheapest base, and by dopri5, at the tolerance raced that is the nearest
WITH near AS (
  SELECT r.robot, r.number, l.base, min(max(l.tolerance / r.tolerance, r.tolerance / l.tolerance)), l.evaluations
  FROM robot_reached r JOIN "robots/*/robot_libess" l ON l.folder = r.robot
  WHERE l.evaluations IS NOT NULL AND r.libess_base != 'dopri5' AND l.base IN (r.libess_base, 'dopri5')
  GROUP BY r.robot, r.number, l.base)
SELECT r.at, r.robot, r.number, r.name, r.libess_base AS base, (SELECT evaluations FROM near n WHERE n.robot = r.robot AND n.number = r.number
    AND base = libess_base) AS own,
  (SELECT evaluations FROM near n WHERE n.robot = r.robot AND n.number = r.number AND base = 'dopri5') AS by_dopri5
FROM robot_reached r WHERE libess_base != 'dopri5';
CREATE VIEW robot_stabilised AS -- which is fewer by more than a twentieth
SELECT number, name, listed(printf('%s (`%s`)', robot, base)) AS robots FROM (SELECT * FROM robot_bases ORDER BY at)
WHERE own < 0.95 * by_dopri5 OR own IS NULL OR by_dopri5 IS NULL GROUP BY number ORDER BY number;
CREATE VIEW robot_stiff AS -- how much of the work of dopri5 stability sets
SELECT n.at, n.robot, 1.0 * `stiffness.evaluations` / d.evaluations AS share, c.evaluations / d.evaluations AS saved
FROM robot_names n JOIN robot_loosest d ON d.robot = n.robot AND d.base = 'dopri5'
  LEFT JOIN robot_loosest c ON c.robot = n.robot AND c.base = 'chosen' AND c.tolerance = d.tolerance
WHERE `cost.acting` IS NOT 0 AND `stiffness.evaluations` IS NOT NULL;
CREATE VIEW robot_steps AS -- MuJoCo's errors; below the reference's own nothing is claimed
SELECT m.rowid AS at, n.robot, m.variant, 1e3 * m.time_step AS ms,
  iif(m.rms_error IS NULL, NULL, printf(iif(m.own, '**%s**', '%s'),
    iif(m.rms_error > `reference.estimate`, printf('%.1e', m.rms_error),
      printf('< %.1e', `reference.estimate`)))) AS said,
  (SELECT printf('%.2f', o."order") FROM "robots/*/robot_orders" o WHERE o.folder = m.folder AND o.variant = m.variant) AS "order"
FROM "robots/*/robot_mujoco" m JOIN robot_names n ON n.robot = m.folder;

-- of robots.md: the package and what tells its models apart, the ratio with its interval, and whether the reference
-- is good enough; and verdicts by class, which README quotes, too
CREATE VIEW many_robots AS
SELECT *, printf('%s: %s', substr(model, 1, instr(model, '/') - 1), replace(replace(name, 'assets/', ''), 'suite/', '')) AS robot,
  iif(ratio IS NULL, NULL, printf('%.2g', ratio)) || iif(ratio_low IS NULL, '', printf(' [%.2g, %.2g]', ratio_low, ratio_high)) AS raced,
  coalesce(whole AND reference < 1e-3, 0) AS good
FROM "many-robots/robots";
CREATE VIEW robot_errors_of AS -- what essbench robot answers for each, in mm and mrad
SELECT *, printf('%s: %s', substr(model, 1, instr(model, '/') - 1), replace(replace(name, 'assets/', ''), 'suite/', '')) AS robot,
  integrator || ' ' || printf('%.3g', 1e3 * time_step) AS own,
  CASE WHEN bodies IS NULL THEN iif(verdict = 'no answer', NULL, 'unstable')
    WHEN bodies > bodies_bound THEN printf('%.3g ± %.1g', 1e3 * bodies, 1e3 * bodies_bound)
    ELSE printf('< %.2g', max(1e-6, 1e3 * (bodies + bodies_bound))) END AS bodies_said,
  CASE WHEN hinges IS NULL THEN NULL WHEN hinges > hinges_bound THEN printf('%.3g ± %.1g', 1e3 * hinges, 1e3 * hinges_bound)
    ELSE printf('< %.2g', 1e3 * (hinges + hinges_bound)) END AS hinges_said,
  iif(joint IS NULL OR NOT joint_error > 0, NULL,
    printf('%.3g %s (%s)', 1e3 * joint_error, iif(unit = 'rad', 'mrad', 'mm'), joint)) AS worst,
  iif(small_by IS NULL, iif(verdict = 'no answer', NULL, 'none tried'), printf('%s %.3g', small_by, 1e3 * small_step)) AS need,
  iif(abs(energy_drift) > energy_bound, printf('%.2g ± %.1g', energy_drift, energy_bound),
    printf('< %.1g', abs(energy_drift) + energy_bound)) AS drift,
  1e3 * iif(penetration < 1e-9, 0, penetration) AS depth, 1e3 * iif(penetration_reference < 1e-9, 0, penetration_reference) AS depth_reference, 1e3 * iif(creep < 1e-9, 0, creep) AS creeps,
  1e3 * iif(creep_reference < 1e-9, 0, creep_reference) AS creep_of, 1e3 * jump_dist AS jump
FROM "robot-errors/robots_error";
CREATE VIEW robot_classes AS
SELECT CASE class WHEN 'legged' THEN 'legged on a floor' WHEN 'arm' THEN 'arms and hands' WHEN 'other' THEN 'others'
  ELSE class END AS said, * FROM "many-robots/robots_classes";

-- the papers' claims, and their number as it is written: an error without bound is that of runs of which none ends
CREATE VIEW told_claims AS
SELECT *, iif(number >= 1e308, 'no run ends', coalesce(printf('%.4g', number), '')) AS told FROM claims;

-- of the report: these by what became of them, a table each
CREATE VIEW claim_tables AS
SELECT verdict, count(*) AS count, '| claim | verdict | number | holds if | paper | command |' || char(10) || '| --- |' ||
  group_concat(char(10) || printf('| %s | %s | %s | %s | %s, %s | %s |', cell(says), verdict, told,
    cell(criterion), paper, place, coalesce(printf('`%s`', nullif(command, '')), '')),
    '') AS "table"
FROM told_claims GROUP BY verdict;
