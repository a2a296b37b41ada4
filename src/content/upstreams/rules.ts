import { FORBIDDEN_HEADERS } from '../../platform/outbound/outbound.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import type { Problem } from '../../platform/errors/refusal.ts';

/** Headers that the protocol itself sets on each request. */
const PROTOCOL_HEADERS = /^(?:mcp-.*|accept|content-type|last-event-id|user-agent)$/;

/** Codes of the problems that an upstream's address may have. */
export const addressErrors = [
  'address_not_public',
  'header_not_allowed',
  'url_not_allowed',
] as const satisfies readonly ErrorCode[];

/** Returns the problems of an upstream's address for a 422 response (B8-1, B8-2). */
export function addressProblems(
  { url, headers }: { url: string; headers: Readonly<Record<string, unknown>> },
  outbound: Pick<Outbound, 'check'>,
): Problem[] {
  return [...urlProblems(url, outbound), ...Object.keys(headers).flatMap(headerProblems)];
}

function urlProblems(url: string, outbound: Pick<Outbound, 'check'>): Problem[] {
  try {
    outbound.check(url);
    return [];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return [{ code: error.code, message: error.message, detail: { pointer: '/url' } }];
  }
}

const headerProblems = (name: string): Problem[] =>
  FORBIDDEN_HEADERS.has(name) || PROTOCOL_HEADERS.test(name)
    ? [
        {
          code: 'header_not_allowed',
          message: `The header ${name} is set by the gateway.`,
          detail: { pointer: `/headers/${name}` },
        },
      ]
    : [];
