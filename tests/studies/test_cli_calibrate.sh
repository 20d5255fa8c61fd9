#!/bin/bash
# essbench calibrate: the epsilon at which both engines err alike, beside that of another program, and
# the paths that stand in the file.
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: test_cli_calibrate.sh ESSBENCH
. "$(dirname "$0")/../support/cli_room.sh"

run calibrate --trials 3 --out results
expect 'a run' success
rows=$(asked results 'SELECT count(*) FROM calibration')
expect 'both errors are there, they agree, and the system was the same' all_rows results calibration "$rows" \
  "status = 'ok' AND rms_error_mujoco > 0 AND abs(rms_error_projection / rms_error_mujoco - 1) <= 1e-3
  AND abs(ratio - rms_error_projection / rms_error_mujoco) <= 1e-12 AND epsilon > 0 AND epsilon < penetration
  AND field_gap->>'gap' > 0 AND field_gap->>'gap' <= 1e-7 AND field_gap->>'states' >= 2000 AND scaling_s >= 2e5
  AND runtime_mujoco_s > 0 AND runtime_projection_s > 0 AND main = (stiffness_over_mass = 800)"
expect 'the table is of these rows' [ "$(wc -l <results/calibration.csv)" -eq $((rows + 1)) ]

# epsilon' over k/m of a prototype that shares no code with this one, to the two digits it printed:
# half a unit of the second is allowed for beside the 3 %
expect "the prototype's" [ "$(asked results 'WITH prototype (k_m, known) AS (VALUES (20, 0.040), (50, 0.022),
  (100, 0.0092), (200, 0.0060), (300, 0.0047), (500, 0.0040), (1000, 0.0029), (2000, 0.0021))
  SELECT count(*) FROM prototype JOIN calibration_table ON abs(stiffness_over_mass - k_m) < 1e-9
  WHERE abs(epsilon / known - 1) <= 0.03')" -eq 8 ]
expect "at the top is the hopper's own" all_rows results calibration_top 1 \
  'stiffness_over_mass = 800 AND ratio = rms_error_projection / rms_error_mujoco'
expect "and the paper's" all_rows results calibration_paper 1 '`paper.epsilon` = 0.13
  AND `paper.runtime_mujoco_s` = 0.002436 AND `paper.runtime_projection_s` = 0.010251'

# its errors again, from the paths
expect 'paths have those errors' all_rows results "(SELECT t.run, count(*) AS n, rms_error_mujoco AS mujoco,
  rms_error_projection AS ours, sqrt(avg(pow(z_mujoco - z_exact, 2) + pow(v_mujoco - v_exact, 2)) / 2) AS of_mujoco,
  sqrt(avg(pow(z_projection - z_exact, 2) + pow(v_projection - v_exact, 2)) / 2) AS of_ours
  FROM calibration_trajectory t JOIN calibration_top)" 1 \
  'n = 1001 AND abs(of_mujoco / mujoco - 1) < 1e-12 AND abs(of_ours / ours - 1) < 1e-12'
finish
