import type { LoggedEvent } from '../platform/observability/event-logs.ts';
import type { WrittenDecision } from './store.ts';

const PREFIX = 'toolgate.decision';

/** Returns a decision as an event. It names nothing but permissions: all else is there by its id. */
export function loggedDecision(decision: WrittenDecision): LoggedEvent {
  const { id, at, outcome, family, action, subject_kind, subject_id, ...rest } = decision;
  const { team_id, item_id, ...more } = rest;
  const fields = {
    ...{ ...more, id, outcome, team: team_id },
    ...(family === null ? { action } : { 'item.family': family, 'item.id': item_id }),
    ...{ 'subject.kind': subject_kind, 'subject.id': subject_id },
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
