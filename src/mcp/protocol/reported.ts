import type { AgentPrincipal } from '../../caller/principal.ts';
import { isRunTool, ranCall } from '../search/run-tool-call.ts';
import type { Call, ProtocolError, Reply } from './call.ts';
import type { Dispatch } from './dispatch.ts';

/** Tells the owner of a credential who watches what it did. Never throws or waits. */
export type Report = (
  caller: AgentPrincipal,
  event: { kind: 'initialized' | 'listed' | 'called' | 'read' | 'refused'; name: string | null },
) => void;

/** What a request with a method does; methods that say nothing to a person are absent. */
const KINDS: Readonly<Record<string, 'initialized' | 'listed' | 'called' | 'read'>> = {
  'server/discover': 'initialized',
  'tools/list': 'listed',
  'prompts/list': 'listed',
  'resources/list': 'listed',
  'tools/call': 'called',
  'prompts/get': 'read',
  'resources/read': 'read',
};

/** Returns the dispatch, which also reports each request once it was answered. */
export function reported(dispatch: Dispatch, report: Report): Dispatch {
  async function dispatchAndReport(call: Call): Promise<Reply> {
    const reply = await dispatch(call);
    const kind = KINDS[call.method];
    if (kind === undefined) return reply;
    const event =
      'error' in reply
        ? { kind: 'refused' as const, name: reasonOf(reply.error) }
        : { kind, name: nameIn((isRunTool(call) ? ranCall(call) : call).params) };
    report(call.caller, event);
    return reply;
  }
  return Object.assign(dispatchAndReport, { has: dispatch.has });
}

/** Returns the name, or the address of a resource, that a client asked for. */
function nameIn(params: unknown): string | null {
  const { name, uri } = (params ?? {}) as { name?: unknown; uri?: unknown };
  return [name, uri].find((one) => typeof one === 'string') ?? null;
}

/** Returns the code of an error, or its message if it has only a number of JSON-RPC. */
const reasonOf = ({ data, message }: ProtocolError): string =>
  typeof data?.['code'] === 'string' ? data['code'] : message;
