import { stillAuthorized } from '../../protocol/authorization.ts';
import type { Call, Reply } from '../../protocol/call.ts';
import {
  badParams,
  INVALID_PARAMS,
  invalidParams,
  METHOD_NOT_FOUND,
} from '../../protocol/errors.ts';
import type { ResourceVersions } from '../../changes/watch.ts';
import type { Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';

/** Handles `resources/subscribe` and `resources/unsubscribe`; hides whether a resource exists. */
export async function changeSubscription(
  call: Call,
  session: Session,
  { sessions, resourceVersions }: { sessions: Sessions; resourceVersions: ResourceVersions },
): Promise<Reply> {
  const { uri } = (call.params ?? {}) as { uri?: unknown };
  if (typeof uri !== 'string')
    throw invalidParams([{ pointer: '/uri', message: 'must be a string' }]);
  const { caller } = await stillAuthorized(call);
  if (call.method === 'resources/unsubscribe') {
    await sessions.unwatch(session, caller, uri);
    return { result: {} };
  }
  const version = (await resourceVersions(caller, [uri])).get(uri);
  if (version === undefined) return { error: { code: METHOD_NOT_FOUND, message: 'Not found' } };
  const watched = await sessions.watch(session, caller, uri, version);
  if (watched === 'full') throw badParams('limit_exceeded', 'Too many resource subscriptions');
  return watched === 'watched'
    ? { result: {} }
    : { error: { code: INVALID_PARAMS, message: 'Session not found' } };
}
