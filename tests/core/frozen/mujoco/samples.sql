-- what samples say of their case, setting and process, which the names and places of cells said
UPDATE lap SET
  model = (SELECT iif(name LIKE '%model=hopper%', 'hopper', 'plate') FROM cell WHERE id = within),
  contacts = (SELECT substr(name, instr(name, 'contacts=') + 9) + 0 FROM cell WHERE id = within),
  session = (SELECT iif(name LIKE 'race%', 1, iif(name LIKE 'again%', 2, 0)) FROM cell WHERE id = within),
  process = (SELECT iif(name LIKE 'race%' OR name LIKE 'again%', substr(name, instr(name, 'number=') + 7) + 0, 0)
    FROM cell WHERE id = within),
  base = (SELECT base FROM kept.mujoco_settings m WHERE m.row = setting),
  changes = (SELECT changes FROM kept.mujoco_settings m WHERE m.row = setting);
