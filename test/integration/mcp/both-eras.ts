import { requireDeclaredErrors } from '../../support/clients/declared-errors.ts';
import { openSession, request, send } from './legacy/client.ts';

export interface RawAnswer {
  status: number;
  text: string;
}

/** Sends one request and returns the response's status and text. */
export type Requests = (method: string, params?: Record<string, unknown>) => Promise<RawAnswer>;

const META = 'io.modelcontextprotocol/';
const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} };

const encode = (value: string) => `=?base64?${Buffer.from(value).toString('base64')}?=`;

type Headers = Record<string, string>;

async function read(answer: Response): Promise<RawAnswer> {
  const { status } = answer;
  const text = await answer.text();
  requireDeclaredErrors(status, text);
  return { status, text };
}

async function createSender2025(
  endpoint: string,
  secret: string,
  headers: Headers = {},
): Promise<Requests> {
  const session = await openSession(endpoint, secret);
  return async (method, params = {}) => {
    const answer = await send(endpoint, secret, {
      ...{ session, headers },
      body: request(method, params),
    });
    return read(answer);
  };
}

async function createSender2026(
  endpoint: string,
  secret: string,
  headers: Headers = {},
): Promise<Requests> {
  return async (method, params = {}) => {
    const subject = params['name'] ?? params['uri'];
    const answer = await send(endpoint, secret, {
      version: '2026-07-28',
      headers: {
        ...headers,
        'mcp-method': method,
        ...(typeof subject === 'string' ? { 'mcp-name': encode(subject) } : {}),
      },
      body: request(method, { ...params, _meta: envelope }),
    });
    return read(answer);
  };
}

/** Clients of both protocol versions, for behavior that must be the same in both. */
export const eras = [
  ['2025', createSender2025],
  ['2026', createSender2026],
] as const;
