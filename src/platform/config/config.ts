import { isIP } from 'node:net';
import { z } from 'zod';
import { OperatorError } from '../errors/operator-error.ts';
import { defaultPlans, Plans } from './plans.ts';
import { shapeError } from '../errors/shape-error.ts';
import { isOnLoopback } from '../http/own-host.ts';
import { isPublicAddress } from '../outbound/public-address.ts';
import { decisionSettings } from './decision-settings.ts';
import { mayShareSite } from './same-site.ts';
import { networkSettings } from './network-settings.ts';
import { list, redisUrl, url } from './setting-shapes.ts';
import { tracingSettings } from './tracing-settings.ts';

const optionalText = z.string().min(1).max(1_000).optional();
const wholeNumber = (low: number, high: number) => z.coerce.number().int().min(low).max(high);
const MAX_FALLBACKS = 4;
const isRootKey = (text: string) => /^[^\s,]{32,}$/.test(text);

/** Name, validation, default and description of each setting. */
const settings = {
  PORT: wholeNumber(0, 65535).default(7070).describe('Port to listen on.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PUBLIC_URL: url(['http:', 'https:'])
    .optional()
    .describe(
      'Public origin of the gateway; https, or http on loopback. Default: http://localhost:PORT.',
    ),
  DASHBOARD_URL: url(['http:', 'https:'])
    .optional()
    .describe('Origin of the dashboard, on the same site. Default: PUBLIC_URL.'),
  DATABASE_URL: url(['postgres:', 'postgresql:']).describe('PostgreSQL URL, of the primary.'),
  REDIS_URL: redisUrl.describe('Redis URL; redis+cluster://host:port,host:port for a cluster.'),
  REDIS_PREFIX: z.string().default('').describe('Prefix of every Redis key.'),
  OPENFGA_API_URL: url(['http:', 'https:']).describe('URL of the OpenFGA 1.22.1 HTTP API.'),
  OPENFGA_API_TOKEN: z.string().min(1).optional().describe('Preshared key of OpenFGA.'),
  OPENFGA_STORE_ID: z
    .string()
    .min(1)
    .describe('Id of the OpenFGA store; only a local start creates one.'),
  OPENFGA_DEADLINE_MS: wholeNumber(100, 10_000)
    .default(500)
    .describe('Time that OpenFGA has to answer a request, in milliseconds; each is tried twice.'),
  SMTP_URL: url(['smtp:', 'smtps:']).describe('URL of the SMTP server, smtp: or smtps:.'),
  MAIL_FROM: z
    .string()
    .min(3)
    .default('toolgate <no-reply@localhost>')
    .describe('Sender (From) of outgoing e-mails.'),
  CAPTCHA: z
    .enum(['altcha', 'turnstile', 'hcaptcha', 'recaptcha'])
    .default('altcha')
    .describe('CAPTCHA of public forms; altcha is a built-in proof of work.'),
  CAPTCHA_SITE_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('Site key of turnstile, hcaptcha or recaptcha.'),
  CAPTCHA_SECRET: z.string().min(1).optional().describe('Secret key of that CAPTCHA provider.'),
  CAPTCHA_VERIFY_URL: url(['http:', 'https:'])
    .optional()
    .describe('URL that verifies CAPTCHA tokens. Default: the provider’s URL.'),
  GOOGLE_CLIENT_ID: optionalText.describe(
    'OAuth client id for Google sign-in; requires GOOGLE_CLIENT_SECRET.',
  ),
  GOOGLE_CLIENT_SECRET: optionalText.describe('OAuth client secret for Google sign-in.'),
  GITHUB_CLIENT_ID: optionalText.describe(
    'OAuth client id for GitHub sign-in; requires GITHUB_CLIENT_SECRET.',
  ),
  GITHUB_CLIENT_SECRET: optionalText.describe('OAuth client secret for GitHub sign-in.'),
  GITHUB_URL: url(['https:', 'http:'])
    .default('https://github.com')
    .describe('GitHub URL; change it for GitHub Enterprise Server.'),
  OIDC_NAME: optionalText.describe(
    'Display name of another OpenID Connect provider; requires the next three.',
  ),
  OIDC_ISSUER: url(['https:', 'http:'])
    .optional()
    .describe('Issuer URL of that provider; http only for hosts in OUTBOUND_ALLOW.'),
  OIDC_CLIENT_ID: optionalText.describe('OAuth client id at that provider.'),
  OIDC_CLIENT_SECRET: optionalText.describe('OAuth client secret at that provider.'),
  SECRETS_KEY: z
    .string()
    .refine(isRootKey, { error: 'must have at least 32 characters and no space or comma' })
    .describe('Master key of all encryption and signing keys; at least 32 random characters.'),
  SECRETS_KEY_FALLBACKS: z
    .string()
    .default('')
    .transform((text) => list(text))
    .refine((keys) => keys.every(isRootKey) && keys.length <= MAX_FALLBACKS, {
      error: `must be at most ${MAX_FALLBACKS} keys of at least 32 characters, separated by commas`,
    })
    .describe(
      'Other keys, separated by commas, that verify and decrypt while SECRETS_KEY is rotated.',
    ),
  REFRESH_LEEWAY_S: wholeNumber(0, 60)
    .default(10)
    .describe(
      'Seconds after its first use in which an OAuth refresh token may be sent again; 0 allows one use.',
    ),
  DATA_DIR: z.string().default('.data').describe('Data folder of a local start.'),
  DEV_MAIL: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Shows e-mails of the local mail sink at /dev/mail; set by a local start only.'),
  PLANS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('Path of a JSON file that overrides the default plans.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest severity that is logged.'),
  AUTHZ_CACHE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Caches decisions until permissions change; off calls OpenFGA every time.'),
  WORKERS: wholeNumber(1, 64).default(1).describe('Number of processes that share the port.'),
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer token required for /metrics from outside loopback.'),
  ...decisionSettings,
  ...tracingSettings,
  ...networkSettings,
};

// The variable from which MCP clients read their API key; they may share the environment.
const CLIENT_KEY = 'TOOLGATE_KEY';

export const Settings = z.object(settings);
export type Config = Readonly<
  z.infer<typeof Settings> & { PUBLIC_URL: string; DASHBOARD_URL: string; plans: Plans }
>;

/** A configuration error: one line that names the setting and what it must be. */
export class ConfigError extends OperatorError {}

/**
 * Reads the environment once. Throws `ConfigError` with one line per fault for wrong or incomplete
 * settings and for unknown `TOOLGATE_*` names. `readFile` reads the plans file.
 */
export function loadConfig(
  env: Record<string, string | undefined>,
  readFile: (path: string) => string,
): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const unknown = Object.keys(set).filter(
    (name) => name.startsWith('TOOLGATE_') && name !== CLIENT_KEY,
  );
  if (unknown.length > 0) throw new ConfigError(`Unknown setting ${unknown.join(', ')}.`);
  const parsed = Settings.safeParse(set, { error: shapeError });
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => describeIssue(issue, set));
    throw new ConfigError(lines.join('\n'));
  }
  const value = parsed.data;
  requireWholeSets(value);
  requireDistinctKeys(value);
  const publicUrl = originOf('PUBLIC_URL', value.PUBLIC_URL ?? `http://localhost:${value.PORT}`);
  if (value.DEV_MAIL === 'on' && !isOnLoopback(publicUrl))
    throw new ConfigError(
      'DEV_MAIL=on shows everyone’s e-mails, so it requires a loopback PUBLIC_URL.',
    );
  checkCaptcha(value);
  const dashboard = originOf('DASHBOARD_URL', value.DASHBOARD_URL ?? publicUrl);
  if (!mayShareSite(publicUrl, dashboard))
    throw new ConfigError(
      'DASHBOARD_URL must be on the same site as PUBLIC_URL, such as app.example.com and ' +
        'api.example.com, with the same scheme: browsers do not send the cookies to other sites.',
    );
  return Object.freeze({
    ...value,
    PUBLIC_URL: publicUrl,
    DASHBOARD_URL: dashboard,
    plans: readPlans(value.PLANS_FILE, readFile),
  });
}

const HOSTED_SETTINGS = ['CAPTCHA_SITE_KEY', 'CAPTCHA_SECRET', 'CAPTCHA_VERIFY_URL'] as const;

/** Throws unless the CAPTCHA settings are complete and belong to the chosen provider. */
function checkCaptcha(value: z.infer<typeof Settings>): void {
  const { CAPTCHA, CAPTCHA_SITE_KEY, CAPTCHA_SECRET, CAPTCHA_VERIFY_URL } = value;
  if (CAPTCHA === 'altcha') {
    const idle = HOSTED_SETTINGS.find((name) => value[name] !== undefined);
    if (idle === undefined) return;
    throw new ConfigError(`${idle} is set, but CAPTCHA=altcha does not use it.`);
  }
  if (CAPTCHA_SITE_KEY === undefined || CAPTCHA_SECRET === undefined)
    throw new ConfigError(`CAPTCHA=${CAPTCHA} needs both CAPTCHA_SITE_KEY and CAPTCHA_SECRET.`);
  if (CAPTCHA_VERIFY_URL === undefined) return;
  const { protocol, hostname, host, username } = new URL(CAPTCHA_VERIFY_URL);
  if (username !== '' || (protocol === 'http:' && !isOnLoopback(CAPTCHA_VERIFY_URL)))
    throw new ConfigError('CAPTCHA_VERIFY_URL must be https, or http on loopback.');
  const isPrivate = isOnLoopback(CAPTCHA_VERIFY_URL) || !isPublicHost(hostname);
  if (isPrivate && !value.OUTBOUND_ALLOW.some((name) => name === hostname || name === host))
    throw new ConfigError(
      `CAPTCHA_VERIFY_URL is on a private host: add ${host} to OUTBOUND_ALLOW.`,
    );
}

/** Host names count as public here: the addresses they resolve to are checked on every request. */
function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isPublicAddress(address);
}

/** Settings that must be set together. */
const SETS = [
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['OIDC_NAME', 'OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
] as const;

function requireWholeSets(value: z.infer<typeof Settings>): void {
  for (const names of SETS) {
    const missing = names.filter((name) => value[name] === undefined);
    if (missing.length > 0 && missing.length < names.length)
      throw new ConfigError(
        `${missing.join(', ')} not set: set all of ${names.join(', ')}, or none.`,
      );
  }
}

function requireDistinctKeys(value: z.infer<typeof Settings>): void {
  const keys = [value.SECRETS_KEY, ...value.SECRETS_KEY_FALLBACKS];
  if (new Set(keys).size < keys.length)
    throw new ConfigError(
      'SECRETS_KEY_FALLBACKS must list keys other than SECRETS_KEY, each only once.',
    );
}

function originOf(name: string, text: string): string {
  const parsed = new URL(text);
  if (parsed.protocol === 'http:' && !isOnLoopback(text))
    throw new ConfigError(`${name} must be https, or http on loopback.`);
  if (parsed.pathname !== '/' || parsed.search || parsed.hash || parsed.username)
    throw new ConfigError(`${name} must be an origin: only scheme, host and port.`);
  return parsed.origin;
}

function readPlans(path: string | undefined, readFile: (path: string) => string): Plans {
  if (path === undefined) return defaultPlans;
  const parsed = Plans.safeParse(merge(defaultPlans, readJson(path, readFile)), {
    error: shapeError,
  });
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(
    (issue) => `PLANS_FILE ${path}: ${`${issue.path.join('.')} ${issue.message}`.trim()}.`,
  );
  throw new ConfigError(lines.join('\n'));
}

function readJson(path: string, readFile: (path: string) => string): unknown {
  try {
    return JSON.parse(readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`PLANS_FILE ${path} must be a readable JSON file (${reason}).`);
  }
}

function merge(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over;
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [
      key,
      Object.hasOwn(over, key) ? merge(base[key], over[key]) : base[key],
    ]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Names the setting and what it must be, never its value, which may be a secret. */
function describeIssue(issue: z.core.$ZodIssue, values: Record<string, unknown>): string {
  const name = String(issue.path[0]);
  const fault = Object.hasOwn(values, name) ? `${name}: ${issue.message}.` : `${name} is not set.`;
  return `${fault} ${describe(name)}`.trim();
}
const describe = (name: unknown) =>
  Object.hasOwn(settings, String(name))
    ? (settings[name as keyof typeof settings].description ?? '')
    : '';
