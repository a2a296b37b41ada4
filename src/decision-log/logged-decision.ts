import type { LoggedEvent } from '../platform/observability/event-logs.ts';
import type { WrittenDecision } from './store.ts';

const PREFIX = 'toolgate.decision';

/** Returns a decision as an event. It names no people and no keys, and no items of members. */
export function loggedDecision(decision: WrittenDecision): LoggedEvent {
  const { id, at, outcome, family, action, subject_kind, subject_id, team_id, ...more } = decision;
  const fields = {
    ...more,
    ...{ id, outcome, action, team: team_id },
    ...{ 'item.family': family, 'subject.kind': subject_kind, 'subject.id': subject_id },
  };
  const known = Object.entries(fields).filter(
    (field): field is [string, string | number | boolean] => field[1] !== null,
  );
  return {
    name: 'toolgate.access_decision',
    at,
    severity: outcome === 'denied' ? 'warn' : 'info',
    attributes: Object.fromEntries(known.map(([name, value]) => [`${PREFIX}.${name}`, value])),
  };
}
