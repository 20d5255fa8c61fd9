-- what samples are, which the names of cells said
UPDATE lap SET
  solver = '', variant = '',
  what = (SELECT CASE WHEN name LIKE '%starts' THEN 'start' WHEN name LIKE '%method=%' THEN 'known'
    ELSE 'lap' END FROM cell WHERE id = within),
  contacts = (SELECT iif(name LIKE 'contacts=%', substr(name, 10) + 0, 2) FROM cell WHERE id = within),
  process = (SELECT iif(name LIKE '%process=%', substr(name, instr(name, 'process=') + 8) + 0, 0)
    FROM cell WHERE id = within);
