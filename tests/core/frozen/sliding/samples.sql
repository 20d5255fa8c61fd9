-- means over initial conditions, the worst error of which was kept: both of them are the same
DELETE FROM lap;
DELETE FROM cell;
INSERT INTO cell (id, run, name) VALUES (1, 1, 'trial=0'), (2, 1, 'trial=1');
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, epsilon, tolerance, rms_error, field_evaluations, steps)
  SELECT 1, k.row, c.id, solver, 1, c.id - 1, 1, width, tolerance, error, calls, steps
  FROM kept.sliding_runs k JOIN cell c;
UPDATE lap SET solver = '';
