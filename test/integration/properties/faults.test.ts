import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { unauthenticated, unavailable } from '../../../src/platform/errors/refusal.ts';
import { createSteps, startDecidingGateway } from './deciding-gateway.ts';

interface Request {
  method?: 'GET' | 'POST';
  path: string;
  headers: readonly string[];
  body?: string;
  /** The body is sent so late that the caller must be authenticated again. */
  isSlow?: boolean;
}

const BEYOND_SLOW_MS = 300;

async function send(port: number, request: Request): Promise<{ status: number; body: string }> {
  const { method = 'GET', path, headers, body = '' } = request;
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    'Connection: close',
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${request.isSlow === true ? '' : body}`);
  if (request.isSlow === true) {
    const timer = setTimeout(() => void socket.write(body), BEYOND_SLOW_MS);
    socket.once('close', () => clearTimeout(timer));
  }
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString();
  return { status: Number(text.slice(9, 12)), body: text.split('\r\n\r\n').slice(1).join('') };
}

const key = 'X-API-Key: sk_any';
const bearer = 'Authorization: Bearer any';
const message = (method: string, params: object) => ({
  method: 'POST' as const,
  path: '/mcp',
  headers: [
    key,
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    `Mcp-Method: ${method}`,
    ...('name' in params ? [`Mcp-Name: ${String(params.name)}`] : []),
  ],
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
});
const calculate = { name: 'calculator', arguments: { expression: '1' } };

const requests: Readonly<Record<string, Request>> = {
  'a session on an interactive endpoint': { path: '/interactive', headers: [bearer] },
  'a key on any endpoint': { path: '/caller', headers: [key] },
  'a key on a personal endpoint': { path: '/see', headers: [key] },
  'a session on an endpoint that needs a permission': {
    method: 'POST',
    path: '/tools',
    headers: [bearer],
    body: '{}',
  },
  'a key with a slow body': {
    method: 'POST',
    path: '/tools',
    headers: [key],
    body: '{}',
    isSlow: true,
  },
  'a key whose scope changes concurrently': { path: '/conflict', headers: [key] },
  'a tool call': message('tools/call', calculate),
  'a tool call with a slow body': { ...message('tools/call', calculate), isSlow: true },
  'a system tool call': message('tools/call', {
    name: 'bootstrap',
    arguments: { primary_agent: true },
  }),
  'a tool list': message('tools/list', {}),
};

const faults: readonly (readonly [string, () => unknown])[] = [
  ['an error', () => new Error('a defect')],
  ['a type error', () => new TypeError('undefined is not an object')],
  ['an error with its own status', () => Object.assign(new Error(), { statusCode: 404 })],
  ['an outage', () => unavailable('unreachable')],
  ['a lost connection', () => Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
  ['a 401', () => unauthenticated('invalid_credential', 'No.')],
  ['undefined', () => undefined],
];

interface Body {
  result?: { structuredContent?: { error?: unknown } };
  error?: { code: number };
}

/** Returns whether the response is a 401, an outage or a JSON-RPC internal error. */
function isRefused({ status, body }: { status: number; body: string }, isMcp: boolean): boolean {
  const { error, result } = JSON.parse(body) as Body;
  if (result !== undefined) return false;
  return status === 401 || status === 503 || (isMcp && error?.code === -32603);
}

test.each(Object.entries(requests))(
  '%s is refused, and nothing runs, if any step of the decision fails (P8)',
  async (_, request) => {
    const steps = createSteps();
    const port = await startDecidingGateway(steps);
    const { state } = steps;
    const attempt = () => send(port, request);

    expect((await attempt()).status, 'it succeeds without a fault').toBe(200);
    const stepCount = state.stepCount;
    expect(stepCount).toBeGreaterThan(0);

    const applicableFaults = request.isSlow === true ? faults.slice(2, 5) : faults;
    for (const [name, createFault] of applicableFaults)
      for (let failAt = 1; failAt <= stepCount; failAt += 1) {
        // The second of two authentications decides, so it must fail too.
        const isPersistent = request.isSlow === true;
        const trial = { effects: 0, conflicts: 0, failAt, isPersistent, fault: createFault() };
        let answer;
        do {
          Object.assign(state, { ...trial, stepCount: 0 });
          answer = await attempt();
          // On a busy machine a slow body may arrive in time; then no failure was injected.
        } while (state.stepCount < failAt);

        const label = `${name} at step ${failAt} of ${stepCount}: ${answer.status} ${answer.body}`;
        expect(isRefused(answer, request.path === '/mcp'), label).toBe(true);
        expect(state.effects, label).toBe(0);
      }
  },
);
