import { conflict } from '../../platform/errors/refusal.ts';

export const teamNameTaken = () =>
  conflict('name_taken', 'Another team has this name. Choose a different one.', {
    detail: { pointer: '/name' },
  });
