-- What several queries of pages, or a page and the report, have in common.
-- SPDX-License-Identifier: GPL-3.0-or-later

-- of python.md: problems on which ess errs more than SciPy at the same tolerance
CREATE VIEW python_errs_more AS
SELECT ess."case" FROM python_cases ess JOIN python_cases scipy USING ("case")
WHERE ess.way = 'ess' AND scipy.way = 'scipy' AND NOT ess.error <= scipy.error;

-- of accuracy.md: rows that have an error
CREATE VIEW tolerance_known AS SELECT * FROM tolerance WHERE median_over_tolerance < 9e999;

-- of drake.md: the cheapest run of each method within an error, on springs without damping (race) and with Drake's own law
CREATE VIEW drake_runs AS
SELECT rowid AS at, 'race' AS race, iif(model = 'plate', 'plate, N = ' || contacts, model) AS system, method, rms_error, median_s
FROM "drake/work_precision" WHERE status = 'ok'
UNION ALL SELECT rowid, 'damped', '', replace(replace('drake-' || scheme, 'runge_kutta', 'rk'), '_', ''), rms_error, median_s
FROM "drake/damped" WHERE status = 'ok'
UNION ALL SELECT rowid, 'damped', '', method, rms_error, median_s FROM "drake/damped/work_precision" WHERE status = 'ok';
CREATE VIEW drake_best AS
WITH asked (error) AS (VALUES (1e-1), (1e-2), (1e-3), (1e-4))
SELECT race, system, method, error, min(median_s) AS median_s, printf('%.3g (%.1e)', 1e3 * min(median_s), rms_error) AS said
FROM asked JOIN drake_runs ON rms_error <= error GROUP BY race, system, method, error;
CREATE VIEW drake_table AS
WITH methods (number, method, label) AS (
  VALUES (1, 'drake-cenic', 'Drake CENIC'), (2, 'drake-rk3', 'Drake RK3'), (3, 'drake-rk5', 'Drake RK5'),
    (4, 'mujoco-Euler', 'MuJoCo Euler'), (5, 'mujoco-RK4', 'MuJoCo RK4'), (6, 'plain-rk4', 'plain RK4'),
    (7, 'plain-dopri5', 'plain dopri5'), (8, 'libess', 'libess')),
systems AS (SELECT race, system, min(at) AS at FROM drake_runs GROUP BY race, system)
SELECT race, system, label, max(iif(error = 1e-1, said, NULL)) AS e1, max(iif(error = 1e-2, said, NULL)) AS e2,
  max(iif(error = 1e-3, said, NULL)) AS e3, max(iif(error = 1e-4, said, NULL)) AS e4
FROM systems CROSS JOIN methods LEFT JOIN drake_best USING (race, system, method)
GROUP BY race, at, number ORDER BY race, at, number;
