import { conflict } from '../../platform/errors/refusal.ts';

export const groupNameTaken = () =>
  conflict('already_provisioned', 'There is a group with this displayName. Update that one.');
