-- what samples say of their case, which the names of cells said
UPDATE tolerance_cells SET
  contacts = (SELECT substr(name, 10) + 0 FROM cell WHERE id = within),
  damping = (SELECT substr(name, instr(name, 'damping=') + 8) + 0.0 FROM cell WHERE id = within),
  alone = tolerance < 0.9e-6;
