import type { Log } from '../../../platform/observability/log.ts';
import type { ClientRequests } from '../exchanges/client-requests.ts';
import { isResponse } from '../exchanges/message.ts';
import type { Message } from '../exchanges/message.ts';
import type { RunningCalls } from '../exchanges/running.ts';
import type { Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Signals } from '../exchanges/signals.ts';

export interface InboxDependencies {
  sessions: Sessions;
  signals: Signals;
  clientRequests: ClientRequests;
  running: RunningCalls;
  log: Log;
}

// Maximum length of the ids of cancelled requests, of which Redis stores up to 100 per session.
const ID_CHARACTERS = 256;

/** Creates the handler of notifications and responses, which never get a reply. */
export function createInbox(dependencies: InboxDependencies) {
  const { sessions, signals, clientRequests, running, log } = dependencies;

  async function settle(session: Session, message: Record<string, unknown>): Promise<void> {
    if (clientRequests.settle(session.key, message)) return;
    await signals.publish(session.key, { type: 'response', message });
  }

  async function cancel(session: Session, params: unknown): Promise<void> {
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    if (running.cancel(session.key, requestId)) return;
    if (String(requestId).length <= ID_CHARACTERS) await sessions.cancel(session, requestId);
  }

  return {
    async receive(session: Session, message: Message) {
      try {
        if (isResponse(message)) await settle(session, { ...message });
        else if (message.method === 'notifications/cancelled')
          await cancel(session, message.params);
      } catch (error) {
        log.warn({ err: error }, 'could not forward a message of a session');
      }
    },
  };
}
