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
  { url, headers, oauth }: CheckedUpstream,
  outbound: Pick<Outbound, 'check'>,
): Problem[] {
  const isOurs = (name: string) =>
    FORBIDDEN_HEADERS.has(name) ||
    PROTOCOL_HEADERS.test(name) ||
    (oauth != null && name === 'authorization');
  return [...urlProblems(url, outbound), ...Object.keys(headers).filter(isOurs).map(headerProblem)];
}

interface CheckedUpstream {
  url: string;
  headers: Readonly<Record<string, unknown>>;
  /** Null or missing if it is not authorized with OAuth. */
  oauth?: object | null | undefined;
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

const headerProblem = (name: string): Problem => ({
  code: 'header_not_allowed',
  message: `The header ${name} is set by the gateway.`,
  detail: { pointer: `/headers/${name}` },
});
