import { isIP } from 'node:net';
import { z } from 'zod';
import { OperatorError } from '../errors/operator-error.ts';
import { defaultPlans, Plans } from './plans.ts';
import { isPublicAddress } from '../outbound/public-address.ts';
import { list, url } from './setting-shapes.ts';
import { tracingSettings } from './tracing-settings.ts';

/** One server, or several after a cluster scheme, which no URL parser accepts. */
const redisUrl = z.string().refine(
  (text) => {
    const [, scheme, kind, hosts = ''] = /^(rediss?)(\+cluster)?:\/\/(.*)$/.exec(text) ?? [];
    if (scheme === undefined) return false;
    const servers = kind === undefined ? [hosts] : hosts.split(',');
    return servers.every((server) => server !== '' && URL.canParse(`${scheme}://${server}`));
  },
  { error: 'must be a URL of redis:, rediss:, redis+cluster: or rediss+cluster:' },
);
const optional = z.string().min(1).max(1_000).optional();
const whole = (low: number, high: number) => z.coerce.number().int().min(low).max(high);
const MAX_FALLBACKS = 4;
const isRootKey = (text: string) => /^[^\s,]{32,}$/.test(text);
const isNetwork = (text: string) => {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
};
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Name, validation, default and description of each setting. */
const settings = {
  PORT: whole(0, 65535).default(7070).describe('Port to listen on.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PUBLIC_URL: url(['http:', 'https:'])
    .optional()
    .describe('Origin people and agents use; https, or http on loopback. Unset: localhost:PORT.'),
  DASHBOARD_URL: url(['http:', 'https:'])
    .optional()
    .describe('Origin of the dashboard, on the same site. Unset: PUBLIC_URL.'),
  DATABASE_URL: url(['postgres:', 'postgresql:']).describe('URL of the PostgreSQL primary.'),
  REDIS_URL: redisUrl.describe('URL of Redis; redis+cluster://host:port,host:port for a cluster.'),
  REDIS_PREFIX: z.string().default('').describe('Prepended to every Redis key.'),
  OPENFGA_API_URL: url(['http:', 'https:']).describe('URL of the HTTP API of OpenFGA 1.22.1.'),
  OPENFGA_API_TOKEN: z.string().min(1).optional().describe('Preshared key of OpenFGA.'),
  OPENFGA_STORE_ID: z
    .string()
    .min(1)
    .describe('The store in OpenFGA; only a local start creates one.'),
  SMTP_URL: url(['smtp:', 'smtps:']).describe('URL of the mail server, smtp: or smtps:.'),
  MAIL_FROM: z
    .string()
    .min(3)
    .default('toolgate <no-reply@localhost>')
    .describe('Sender of our mails.'),
  CAPTCHA: z
    .enum(['altcha', 'turnstile', 'hcaptcha', 'recaptcha'])
    .default('altcha')
    .describe('What public forms ask of a browser; altcha is a proof of work of our own.'),
  CAPTCHA_SITE_KEY: z
    .string()
    .min(1)
    .optional()
    .describe('Public key of the widget of turnstile, hcaptcha or recaptcha.'),
  CAPTCHA_SECRET: z.string().min(1).optional().describe('Secret key that belongs to it.'),
  CAPTCHA_VERIFY_URL: url(['http:', 'https:'])
    .optional()
    .describe('Where tokens of that provider are checked. Unset: its own address.'),
  GOOGLE_CLIENT_ID: optional.describe('Client of sign-in with Google; with its secret.'),
  GOOGLE_CLIENT_SECRET: optional.describe('Secret of that client.'),
  GITHUB_CLIENT_ID: optional.describe('OAuth app of sign-in with GitHub; with its secret.'),
  GITHUB_CLIENT_SECRET: optional.describe('Secret of that app.'),
  GITHUB_URL: url(['https:', 'http:'])
    .default('https://github.com')
    .describe('Where GitHub is: an Enterprise Server has a URL of its own.'),
  OIDC_NAME: optional.describe('What people call another OpenID Connect provider; with all three.'),
  OIDC_ISSUER: url(['https:', 'http:'])
    .optional()
    .describe('Its issuer; http only for hosts of OUTBOUND_ALLOW.'),
  OIDC_CLIENT_ID: optional.describe('Client of sign-in with that provider.'),
  OIDC_CLIENT_SECRET: optional.describe('Secret of that client.'),
  SECRETS_KEY: z
    .string()
    .refine(isRootKey, { error: 'must have at least 32 characters and no space or comma' })
    .describe('Root of every encryption and signing key; at least 32 random characters.'),
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
  DATA_DIR: z.string().default('.data').describe('Where a local start keeps its data.'),
  DEV_MAIL: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Serves the mails of the local sink at /dev/mail; set by a local start only.'),
  PLANS_FILE: z.string().min(1).optional().describe('JSON merged over the default plans.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe line that is logged.'),
  AUTHZ_CACHE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Keeps decisions as long as nothing moved them; off asks OpenFGA every time.'),
  WORKERS: whole(1, 64).default(1).describe('Processes sharing the port.'),
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Bearer for /metrics from elsewhere than loopback.'),
  ...tracingSettings,
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => list(text))
    .refine((networks) => networks.every(isNetwork), { error: 'must be CIDRs or IP addresses' })
    .describe('CIDRs whose X-Forwarded-For is believed, separated by commas.'),
  OUTBOUND_ALLOW: z
    .string()
    .default('')
    .transform((text) => list(text))
    .describe('Hosts that may be reached although they are private, separated by commas.'),
};

export const Settings = z.object(settings);
export type Config = Readonly<
  z.infer<typeof Settings> & { PUBLIC_URL: string; DASHBOARD_URL: string; plans: Plans }
>;

/** A configuration error: one line that names the setting and what it must be. */
export class ConfigError extends OperatorError {}

/**
 * Reads the environment once. Throws `ConfigError` with one line per fault for wrong or incomplete
 * settings and for unknown `TOOLGATE_*` names; `readFile` reads `PLANS_FILE`.
 */
export function loadConfig(
  env: Record<string, string | undefined>,
  readFile: (path: string) => string,
): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const unknown = Object.keys(given).filter((name) => name.startsWith('TOOLGATE_'));
  if (unknown.length > 0) throw new ConfigError(`Unknown setting ${unknown.join(', ')}.`);
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => sentence(issue, given));
    throw new ConfigError(lines.join('\n'));
  }
  const value = parsed.data;
  requireWholeSets(value);
  requireDistinctKeys(value);
  const publicUrl = origin('PUBLIC_URL', value.PUBLIC_URL ?? `http://localhost:${value.PORT}`);
  if (value.DEV_MAIL === 'on' && !isLoopback(publicUrl))
    throw new ConfigError(
      'DEV_MAIL=on shows every user’s e-mails: it needs a loopback PUBLIC_URL.',
    );
  checkCaptcha(value);
  const dashboard = origin('DASHBOARD_URL', value.DASHBOARD_URL ?? publicUrl);
  if (!mayShareSite(publicUrl, dashboard))
    throw new ConfigError(
      'DASHBOARD_URL must be of the site of PUBLIC_URL, such as app.example.com beside ' +
        'api.example.com, by the same scheme: browsers send our cookies to no other.',
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
    throw new ConfigError(`${idle} is set, but CAPTCHA is altcha, which takes none.`);
  }
  if (CAPTCHA_SITE_KEY === undefined || CAPTCHA_SECRET === undefined)
    throw new ConfigError(`CAPTCHA=${CAPTCHA} needs both CAPTCHA_SITE_KEY and CAPTCHA_SECRET.`);
  if (CAPTCHA_VERIFY_URL === undefined) return;
  const { protocol, hostname, host, username } = new URL(CAPTCHA_VERIFY_URL);
  if (username !== '' || (protocol === 'http:' && !isLoopback(CAPTCHA_VERIFY_URL)))
    throw new ConfigError('CAPTCHA_VERIFY_URL must be https, or http on loopback.');
  const isPrivate = isLoopback(CAPTCHA_VERIFY_URL) || !isPublicHost(hostname);
  if (isPrivate && !value.OUTBOUND_ALLOW.some((name) => name === hostname || name === host))
    throw new ConfigError(`CAPTCHA_VERIFY_URL is a private host: put ${host} in OUTBOUND_ALLOW.`);
}

/** Host names count as public here: what they resolve to is checked on every request. */
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
        `${missing.join(', ')} not set: ${names.join(', ')} are given together or not at all.`,
      );
  }
}

function requireDistinctKeys(value: z.infer<typeof Settings>): void {
  const keys = [value.SECRETS_KEY, ...value.SECRETS_KEY_FALLBACKS];
  if (new Set(keys).size < keys.length)
    throw new ConfigError(
      'SECRETS_KEY_FALLBACKS must list other keys than SECRETS_KEY, and each of them once.',
    );
}

function origin(name: string, text: string): string {
  const parsed = new URL(text);
  if (parsed.protocol === 'http:' && !isLoopback(text))
    throw new ConfigError(`${name} must be https, or http on loopback.`);
  if (parsed.pathname !== '/' || parsed.search || parsed.hash || parsed.username)
    throw new ConfigError(`${name} must be an origin: scheme, host and port alone.`);
  return parsed.origin;
}

/**
 * Returns false if browsers would never send cookies between the two origins (RFC 6265bis,
 * same-site). A site is a registrable domain of at least two labels; only the public suffix list
 * could tell whether it needs more, as under `co.uk`.
 */
function mayShareSite(one: string, other: string): boolean {
  const [first, second] = [new URL(one), new URL(other)];
  if (first.protocol !== second.protocol) return false;
  return first.hostname === second.hostname || siteOf(first) === siteOf(second);
}

function siteOf({ hostname }: URL): string {
  const labels = hostname.split('.');
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress ? hostname : labels.slice(-2).join('.');
}

const isLoopback = (text: string) => LOOPBACK.has(new URL(text).hostname);

function readPlans(path: string | undefined, readFile: (path: string) => string): Plans {
  if (path === undefined) return defaultPlans;
  try {
    return Plans.parse(merge(defaultPlans, JSON.parse(readFile(path))));
  } catch (error) {
    throw new ConfigError(
      `PLANS_FILE ${path}: ${error instanceof Error ? error.message : String(error)}`,
    );
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
function sentence(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const name = String(issue.path[0]);
  const fault = Object.hasOwn(given, name) ? `${name}: ${issue.message}.` : `${name} is not set.`;
  return `${fault} ${describe(name)}`.trim();
}
const describe = (name: unknown) =>
  Object.hasOwn(settings, String(name))
    ? (settings[name as keyof typeof settings].description ?? '')
    : '';
