import { conflict } from '../../platform/errors/refusal.ts';
import type { Problem } from '../../platform/errors/refusal.ts';

export const teamNameTaken = () =>
  conflict('name_taken', 'Another team has this name. Choose a different one.', {
    detail: { pointer: '/name' },
  });

/** Teams that do not exist and teams that the caller cannot use get the same problem. */
export const unknownTeam = (pointer: string): Problem => ({
  code: 'unknown_team',
  message: 'There is no such team that you can use here. List your teams and name one of them.',
  detail: { pointer },
});
