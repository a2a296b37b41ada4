import { RESOURCE_METADATA_PATH, SERVER_METADATA_PATH } from '../../oauth/server/metadata.ts';
import type { Config } from '../../platform/config/config.ts';
import { skipWithout } from './address.ts';
import { askGateway, describeAnswer } from './ask-gateway.ts';
import type { Answer } from './ask-gateway.ts';
import { failure, ok, Skipped, warning } from './finding.ts';
import type { Checks, Result } from './finding.ts';
import type { SelfCheck } from './self-check.ts';

/** Paths that clients also try; one that is answered with a page ends their discovery. */
const UNKNOWN_PATHS = [
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/mcp/.well-known/openid-configuration',
];

const PASS_ALL = 'Have the proxy pass every path to the gateway, and the answers unchanged.';

/** Returns the checks of what MCP clients depend on. */
export const protocolChecks = (config: Config, selfCheck: () => Promise<SelfCheck>): Checks => ({
  resource_metadata: () =>
    checkMetadata(config, RESOURCE_METADATA_PATH, ['resource', `${config.PUBLIC_URL}/mcp`]),
  server_metadata: () => checkMetadata(config, SERVER_METADATA_PATH, ['issuer', config.PUBLIC_URL]),
  unknown_paths: () => checkUnknownPaths(config),
  challenge: () => checkChallenge(config),
  streams: async () => checkStreams(await skipWithout(selfCheck)),
});

/** Requests a path; skips the check if there is no answer at all, which `public_url` reports. */
const ask = (config: Config, path: string, init?: RequestInit): Promise<Answer> =>
  askGateway(config, path, init).catch(() => {
    throw new Skipped('PUBLIC_URL is not reachable.');
  });

async function checkMetadata(
  config: Config,
  path: string,
  [field, expected]: readonly [field: string, value: string],
): Promise<Result> {
  const answer = await ask(config, path);
  if (answer.status !== 200 || answer.json === null)
    return failure(`${path} is answered with ${describeAnswer(answer)}.`, PASS_ALL);
  const found = answer.json[field];
  return found === expected
    ? ok(`${path} is JSON, and names ${expected}.`)
    : failure(
        `${path}: \`${field}\` is ${String(found)}, not ${expected}; clients refuse it.`,
        'Set the same PUBLIC_URL for the gateway and this command: the origin that clients use.',
      );
}

async function checkUnknownPaths(config: Config): Promise<Result> {
  const accept = 'application/json';
  const answers = await Promise.all(
    UNKNOWN_PATHS.map(async (path) => ({
      path,
      answer: await ask(config, path, { headers: { accept } }),
    })),
  );
  const wrong = answers.find(({ answer }) => answer.status !== 404 || answer.json === null);
  return wrong === undefined
    ? ok('Unknown paths are answered with 404 in JSON.')
    : failure(`${wrong.path} is answered with ${describeAnswer(wrong.answer)}.`, PASS_ALL);
}

async function checkChallenge(config: Config): Promise<Result> {
  const answer = await ask(config, '/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  if (answer.status !== 401)
    return failure(
      `POST /mcp without a credential is answered with ${describeAnswer(answer)}, not 401.`,
      PASS_ALL,
    );
  const challenge = answer.headers.get('www-authenticate') ?? '';
  const metadata = `resource_metadata="${config.PUBLIC_URL}${RESOURCE_METADATA_PATH}"`;
  return challenge.startsWith('Bearer ') && challenge.includes(metadata)
    ? ok('Requests without a credential get 401 with the address of the metadata.')
    : failure(
        `The challenge of /mcp is ${challenge === '' ? 'missing' : challenge}: clients cannot sign in.`,
        'Have the proxy pass WWW-Authenticate unchanged and add none.',
      );
}

const checkStreams = ({ is_streamed }: SelfCheck): Result =>
  is_streamed
    ? ok('Events arrive when they are sent.')
    : warning(
        'The proxy buffers responses: events arrive only at the end of a stream.',
        'Turn buffering and compression of responses off (nginx: proxy_buffering off; gzip off).',
      );
