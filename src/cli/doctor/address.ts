import { cookieNames } from '../../accounts/sessions/cookies.ts';
import { CARRIED_HEADERS, selfCheckCookie } from '../../gateway/operations/self-check.ts';
import type { ArrivedRequest } from '../../gateway/operations/self-check.ts';
import type { Config } from '../../platform/config/config.ts';
import { isOnLoopback } from '../../platform/http/own-host.ts';
import { isPublicAddress } from '../../platform/outbound/public-address.ts';
import { askGateway, describeAnswer, fetchPublic } from './ask-gateway.ts';
import { failure, messageOf, ok, Skipped, warning } from './finding.ts';
import type { Checks, Result } from './finding.ts';
import { FORGED_ADDRESS, NoSelfCheck } from './self-check.ts';
import type { SelfCheck } from './self-check.ts';

/** Returns the checks of the public URL, and of what is between it and the gateway. */
export function addressChecks(config: Config, selfCheck: () => Promise<SelfCheck>): Checks {
  const requireSelfCheck = () => skipWithout(selfCheck);
  return {
    public_url: () => checkHealth(config),
    https: () => checkHttps(config),
    gateway: () => checkGateway(selfCheck),
    headers: async () => checkHeaders(config, (await requireSelfCheck()).arrived),
    client_address: async () => checkClientAddress(config, (await requireSelfCheck()).arrived),
    cookies: async () => checkCookies(config, await requireSelfCheck()),
    origins: () => checkOrigins(config),
  };
}

/** Returns the self-check; the check `gateway` reports why there is none. */
export const skipWithout = (selfCheck: () => Promise<SelfCheck>): Promise<SelfCheck> =>
  selfCheck().catch(() => {
    throw new Skipped('no gateway of this deployment answers at PUBLIC_URL.');
  });

interface Health {
  status?: string;
  failing?: string[];
  degraded?: string[];
}

async function checkHealth(config: Config): Promise<Result> {
  const { PUBLIC_URL } = config;
  let answer;
  try {
    answer = await askGateway(config, '/health');
  } catch (error) {
    return failure(
      `${PUBLIC_URL} is not reachable from here: ${messageOf(error)}`,
      'Start the gateway; check PUBLIC_URL, its DNS name, its certificate and the proxy.',
    );
  }
  const { status, failing = [], degraded = [] } = (answer.json ?? {}) as Health;
  if (status === undefined)
    return failure(
      `GET ${PUBLIC_URL}/health is answered with ${describeAnswer(answer)}, not by a gateway.`,
      'Have the proxy pass every path to the gateway, and set PUBLIC_URL to the final origin.',
    );
  if (status !== 'healthy')
    return failure(
      `The gateway is unhealthy: ${failing.join(', ')}.`,
      'The checks of the servers say why.',
    );
  return degraded.length === 0
    ? ok(`${PUBLIC_URL} is healthy.`)
    : warning(
        `The gateway works without ${degraded.join(', ')}.`,
        'The checks of the servers say why.',
      );
}

async function checkHttps(config: Config): Promise<Result> {
  const { PUBLIC_URL } = config;
  const { protocol, hostname, port } = new URL(PUBLIC_URL);
  if (protocol === 'http:') return ok('http on loopback: only this machine can use it.');
  const { headers } = await askGateway(config, '/health').catch(skipUnreachable);
  if (!headers.has('strict-transport-security'))
    return warning(
      'The proxy removes Strict-Transport-Security.',
      'Have it pass the headers of responses unchanged.',
    );
  const plain = { PUBLIC_URL: `http://${hostname}` };
  const answer = port === '' ? await fetchPublic(plain, '/').catch(() => null) : null;
  await answer?.body?.cancel();
  const isSecure = answer === null || answer.headers.get('location')?.startsWith('https:') === true;
  return isSecure
    ? ok('https, with a valid certificate')
    : warning(
        `http://${hostname} is answered without https.`,
        'Redirect http to https, or close port 80.',
      );
}

function skipUnreachable(): never {
  throw new Skipped('PUBLIC_URL is not reachable.');
}

async function checkGateway(selfCheck: () => Promise<SelfCheck>): Promise<Result> {
  try {
    await selfCheck();
    return ok('A gateway of this deployment answers.');
  } catch (error) {
    return failure(
      error instanceof NoSelfCheck ? error.message : `No gateway answered: ${messageOf(error)}`,
      'Give the gateway and this command the same SECRETS_KEY, version and clock, and have the proxy pass every path.',
    );
  }
}

function checkHeaders({ PUBLIC_URL, DASHBOARD_URL }: Config, arrived: ArrivedRequest): Result {
  const missing = CARRIED_HEADERS.filter((name) => !arrived.headers.includes(name));
  if (missing.length > 0)
    return failure(
      `The proxy removes headers of requests: ${missing.join(', ')}.`,
      'Have it pass all headers unchanged.',
    );
  if (arrived.origin !== DASHBOARD_URL)
    return failure(
      `The proxy changes Origin to ${arrived.origin}.`,
      'Have it pass Origin unchanged; the gateway refuses requests of other origins by it.',
    );
  const { host } = new URL(PUBLIC_URL);
  if (arrived.host !== host)
    return warning(
      `The gateway gets Host ${arrived.host} instead of ${host}.`,
      'Have the proxy pass Host unchanged (nginx: proxy_set_header Host $host).',
    );
  return ok('All headers of requests arrive unchanged.');
}

function checkClientAddress({ PUBLIC_URL }: Config, arrived: ArrivedRequest): Result {
  const { remote_address: remote, client_address: client, forwarded_for: forwarded } = arrived;
  const isUntouched = forwarded === FORGED_ADDRESS;
  if (client === FORGED_ADDRESS && isUntouched)
    return failure(
      `Clients choose their address: ${remote} is in TRUSTED_PROXIES, and passes on X-Forwarded-For as they sent it.`,
      'Have the proxy append the client’s address, or remove it from TRUSTED_PROXIES.',
    );
  if (isUntouched && !isOnLoopback(PUBLIC_URL) && !isPublicAddress(remote))
    return warning(
      `All clients seem to have the address ${remote} and share its limits: no proxy adds X-Forwarded-For.`,
      'Have the proxy append the client’s address, and add its own to TRUSTED_PROXIES.',
    );
  if (!isUntouched && client === remote)
    return warning(
      `All clients seem to have the address ${remote} and share its limits.`,
      `Add ${remote} to TRUSTED_PROXIES: it sends X-Forwarded-For.`,
    );
  return ok(
    isUntouched ? `Clients connect directly, this one from ${remote}.` : 'The proxy is trusted.',
  );
}

function checkCookies({ PUBLIC_URL }: Config, { set_cookies }: SelfCheck): Result {
  const isSecure = cookieNames(PUBLIC_URL).isSecure;
  const { name, value } = selfCheckCookie(isSecure);
  const cookie = set_cookies.find((one) => one.startsWith(`${name}=${value};`));
  if (cookie === undefined)
    return failure(
      'The proxy removes or renames cookies, so nobody can sign in.',
      'Have it pass Set-Cookie unchanged.',
    );
  const attributes = cookie.toLowerCase().split(/;\s*/);
  const expected = ['path=/', 'httponly', 'samesite=lax', ...(isSecure ? ['secure'] : [])];
  const missing = expected.filter((one) => !attributes.includes(one));
  const isForDomain = attributes.some((one) => one.startsWith('domain='));
  return missing.length === 0 && !isForDomain
    ? ok('Cookies pass unchanged.')
    : failure(
        `The proxy changes cookies: ${cookie}`,
        'Have it pass Set-Cookie unchanged (nginx: no proxy_cookie_path or proxy_cookie_domain).',
      );
}

/** Checks that the dashboard's pages may call `/mcp`, and that other sites' pages cannot use cookies. */
async function checkOrigins(config: Config): Promise<Result> {
  const { DASHBOARD_URL } = config;
  const preflight = await askGateway(config, '/mcp', {
    method: 'OPTIONS',
    headers: { origin: DASHBOARD_URL, 'access-control-request-method': 'POST' },
  }).catch(skipUnreachable);
  const allowed = preflight.headers.get('access-control-allow-origin');
  if (allowed !== DASHBOARD_URL)
    return warning(
      `Pages of ${DASHBOARD_URL} may not call /mcp: the allowed origin is ${allowed ?? 'none'}.`,
      `Add ${DASHBOARD_URL} to MCP_ORIGINS, and have the proxy add no CORS headers.`,
    );
  const foreign = await askGateway(config, '/api/auth/refresh', {
    method: 'POST',
    headers: { origin: 'https://other.invalid' },
  });
  const [error] = (foreign.json?.['errors'] ?? []) as { code?: string }[];
  return error?.code === 'cross_site_request'
    ? ok('Only pages of this site may use its cookies.')
    : failure(
        `A request that a page of another site may not send is answered with ${describeAnswer(foreign)}.`,
        'Have the proxy pass Origin unchanged.',
      );
}
