import type { Config } from '../../platform/config/config.ts';

const TIMEOUT_MS = 10_000;

/** A response as clients receive it, after the proxies in front of the gateway. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body if it is JSON by its type and content; otherwise null. */
  json: Record<string, unknown> | null;
}

type Address = Pick<Config, 'PUBLIC_URL'>;

/** Requests a path at the public URL; redirects are not followed. */
export const fetchPublic = (
  { PUBLIC_URL }: Address,
  path: string,
  init: RequestInit = {},
): Promise<Response> =>
  fetch(new URL(path, PUBLIC_URL), {
    ...{ redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS), ...init },
  });

/** Requests a path at the public URL, and reads the whole answer. */
export async function askGateway(
  address: Address,
  path: string,
  init: RequestInit = {},
): Promise<Answer> {
  const response = await fetchPublic(address, path, init);
  const text = await response.text();
  return {
    ...{ status: response.status, headers: response.headers, text },
    json: /^application\/(?:[\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '')
      ? parse(text)
      : null,
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** Describes an answer that was not expected. */
export const describeAnswer = ({ status, headers }: Answer): string =>
  `${status} with ${headers.get('content-type') ?? 'no content type'}`;

// The header has no fractions of a second.
const HALF_SECOND_MS = 500;

/** Reads the clock that the answers at the public URL carry. */
export async function readGatewayTime(address: Address): Promise<number> {
  const { headers } = await askGateway(address, '/health/live');
  const time = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(time)) throw new Error('The answer has no Date.');
  return time + HALF_SECOND_MS;
}
