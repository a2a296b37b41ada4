import type { Translate } from '../../texts/texts.ts';

/** Returns what a role is called: the service's role of teams has a name for machines. */
export const roleName = ({ name }: { name: string }, t: Translate): string =>
  name === 'team_admin' ? t('roles.team_admin') : name;
