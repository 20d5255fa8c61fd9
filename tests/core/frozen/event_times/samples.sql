-- laps, which have what their case and initial condition are
DELETE FROM lap;
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, tolerance, events, field_evaluations, same, mean_s, worst_s)
  SELECT 1, row, within, 'libess', contacts, seed - 1, 1, tolerance, events, evaluations, same, mean_s, worst_s
  FROM kept.event_times_cells;
UPDATE lap SET solver = '';
