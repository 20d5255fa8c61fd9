-- a lap of each method, and what the names of cells said of their case
DELETE FROM lap;
CREATE TEMP TABLE was AS SELECT k.*, c.name, substr(c.name, 10) + 0 AS contacts,
  substr(c.name, instr(c.name, 'damping=') + 8) + 0.0 AS damping
  FROM kept.tolerance_cells k JOIN kept.cell c ON c.id = k.within AND c.run = k.run;
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, damping, tolerance, events_reference, seconds,
    rms_error, events, field_evaluations, event_evaluations, steps, rejected, entries, through)
  SELECT 1, 2 * row, within, 'libess', contacts, seed - 1, 1, damping, tolerance, reference_events, time_s,
    rms_error, events, field_evaluations, event_evaluations, steps, rejected, entries, through FROM was
  WHERE tolerance > 0.9e-6;
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, damping, tolerance, events_reference, rms_error,
    field_evaluations)
  SELECT 1, 2 * row + 1, within, 'location', contacts, seed - 1, 1, damping, tolerance, reference_events,
    location_rms_error, location_field_evaluations FROM was;
UPDATE lap SET solver = '';
