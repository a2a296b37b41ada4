import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { nextTurn } from '../../platform/concurrency/turns.ts';

// The client needs some thirty microseconds for one.
const MESSAGES_PER_TURN = 250;

/**
 * Returns a function that passes messages on to the SDK's client in their order, in turns of the
 * event loop; what is not a JSON-RPC message is ignored.
 */
export function createPassingOn(fairnessKey: string, receive: (message: JSONRPCMessage) => void) {
  let waiting: unknown[] = [];
  let isPassing = false;

  async function passAllOn(): Promise<void> {
    const { parseJSONRPCMessage } = await import('@modelcontextprotocol/client');
    let count = 0;
    while (waiting.length > 0) {
      const messages = waiting;
      waiting = [];
      for (const message of messages) {
        if ((count += 1) % MESSAGES_PER_TURN === 0) await nextTurn(fairnessKey);
        try {
          receive(parseJSONRPCMessage(message));
        } catch {
          // Not a message: nothing that the client could handle.
        }
      }
    }
    isPassing = false;
  }

  return (message: unknown): void => {
    waiting.push(message);
    if (isPassing) return;
    isPassing = true;
    void passAllOn();
  };
}
