-- what samples say of their system, which the names of cells said
UPDATE lap SET
  model = (SELECT iif(name LIKE '%model=hopper%', 'hopper', 'plate') FROM cell WHERE id = within),
  contacts = (SELECT substr(name, instr(name, 'contacts=') + 9) + 0 FROM cell WHERE id = within),
  damping = (SELECT iif(name LIKE '%damping=nan%', NULL, substr(name, instr(name, 'damping=') + 8) + 0.0)
    FROM cell WHERE id = within),
  stiffness = (SELECT substr(name, instr(name, 'stiffness=') + 10) + 0.0 FROM cell WHERE id = within),
  stiff = 0;
UPDATE lap SET system = iif(model = 'hopper', 0, iif(contacts = 20, 4, iif(damping = 0, 3, contacts - 1)));
