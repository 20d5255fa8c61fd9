-- two laps of each point, what the names of cells said of their initial condition, and cells by their names of today
DELETE FROM lap;
CREATE TEMP TABLE was AS SELECT k.*, c.name,
  iif(k.`order`, substr(c.name, instr(c.name, 'trial=') + 6) + 0, row) AS trial
  FROM kept.scale_cells k JOIN kept.cell c ON c.id = k.within AND c.run = k.run;
UPDATE cell SET name = iif(name LIKE '% trial=%', substr(name, 1, instr(name, ' ')) ||
  substr(name, instr(name, 'trial=')) || substr(name, instr(name, ' '), instr(name, ' trial=') - instr(name, ' ')),
  name || ' distances');
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, events_reference, `distance.low`, `distance.median`,
    `distance.high`, `interval.low`, `interval.median`, `interval.high`)
  SELECT 1, row, within, '', contacts, trial, 0, reference_events, `distance.low`, `distance.median`, `distance.high`,
    `interval.low`, `interval.median`, `interval.high` FROM was WHERE NOT `order`;
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, epsilon, events_reference, rms_error, events)
  SELECT 1, 0, within, 'tight', contacts, trial, `order`, epsilon, reference_events, tight_rms_error, tight_events
  FROM was WHERE `order`;
INSERT INTO lap (run, row, within, what, contacts, trial, `order`, epsilon, events_reference, seconds, rms_error, steps,
    rejected, entries, projections, field_evaluations, event_evaluations)
  SELECT 1, 1, within, 'everyday', contacts, trial, `order`, epsilon, reference_events, time_s, rms_error, steps,
    rejected, entries, projections, field_evaluations, event_evaluations FROM was WHERE `order`;
UPDATE lap SET solver = '';
