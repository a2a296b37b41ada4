import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/platform/config/config.ts';

const required = {
  DATABASE_URL: 'postgres://127.0.0.1/toolgate',
  REDIS_URL: 'redis://127.0.0.1',
  OPENFGA_API_URL: 'http://127.0.0.1',
  OPENFGA_STORE_ID: 'store',
  SMTP_URL: 'smtp://127.0.0.1',
  SECRETS_KEY: 'x'.repeat(32),
};
const load = (env: Record<string, string>) => loadConfig({ ...required, ...env }, () => '');
const faultOf = (env: Record<string, string>) => {
  try {
    load(env);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
};

describe('the settings of a hosted captcha must be complete', () => {
  const hosted = { CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'site', CAPTCHA_SECRET: 'hush' };
  const allowed = { OUTBOUND_ALLOW: '127.0.0.1:8080, captcha.internal, 10.1.2.3' };

  test.each([
    {},
    hosted,
    { ...hosted, CAPTCHA: 'hcaptcha' },
    { ...hosted, CAPTCHA: 'recaptcha', CAPTCHA_VERIFY_URL: 'https://www.recaptcha.net/x' },
    { ...hosted, ...allowed, CAPTCHA_VERIFY_URL: 'http://127.0.0.1:8080/verify' },
    { ...hosted, ...allowed, CAPTCHA_VERIFY_URL: 'https://captcha.internal/verify' },
    { ...hosted, ...allowed, CAPTCHA_VERIFY_URL: 'https://10.1.2.3/verify' },
  ])('the service starts with %j', (env) => {
    expect(faultOf(env)).toBeNull();
  });

  test.each<[Record<string, string>, string]>([
    [{ CAPTCHA: 'friendly' }, 'CAPTCHA: '],
    [{ CAPTCHA: 'turnstile' }, 'CAPTCHA=turnstile needs both'],
    [{ ...hosted, CAPTCHA_SECRET: '' }, 'needs both CAPTCHA_SITE_KEY and CAPTCHA_SECRET'],
    [{ ...hosted, CAPTCHA_SITE_KEY: '' }, 'needs both CAPTCHA_SITE_KEY and CAPTCHA_SECRET'],
    [{ CAPTCHA_SECRET: 'hush' }, 'CAPTCHA_SECRET is set, but CAPTCHA=altcha'],
    [{ CAPTCHA_SITE_KEY: 'site' }, 'CAPTCHA_SITE_KEY is set, but CAPTCHA=altcha'],
    [{ ...hosted, CAPTCHA_VERIFY_URL: 'captcha.example' }, 'CAPTCHA_VERIFY_URL: must be a URL'],
    [{ ...hosted, CAPTCHA_VERIFY_URL: 'http://captcha.example/' }, 'must be https'],
    [{ ...hosted, CAPTCHA_VERIFY_URL: 'https://a:b@captcha.example/' }, 'must be https'],
    [{ ...hosted, CAPTCHA_VERIFY_URL: 'http://127.0.0.1:8080/' }, 'to OUTBOUND_ALLOW'],
    [{ ...hosted, CAPTCHA_VERIFY_URL: 'https://10.1.2.3/' }, 'add 10.1.2.3 to OUTBOUND_ALLOW'],
    [{ ...hosted, CAPTCHA_VERIFY_URL: 'https://[::1]/' }, 'to OUTBOUND_ALLOW'],
    [
      { ...hosted, ...allowed, CAPTCHA_VERIFY_URL: 'http://127.0.0.1:8081/' },
      'add 127.0.0.1:8081 to OUTBOUND_ALLOW',
    ],
  ])('the service does not start with %j, and the error is one line', (env, line) => {
    const fault = faultOf(env);

    expect(fault).toContain(line);
    expect(fault).not.toMatch(/\n|hush/);
  });
});

describe('the settings of a third-party provider must be complete', () => {
  const google = { GOOGLE_CLIENT_ID: 'a', GOOGLE_CLIENT_SECRET: 'hush' };
  const github = { GITHUB_CLIENT_ID: 'a', GITHUB_CLIENT_SECRET: 'hush' };
  const own = {
    OIDC_NAME: 'Example ID',
    OIDC_ISSUER: 'https://id.example.com',
    OIDC_CLIENT_ID: 'a',
    OIDC_CLIENT_SECRET: 'hush',
  };

  test.each([google, github, own, { ...google, ...github, ...own }, { GITHUB_URL: 'https://x.y' }])(
    'the service starts with %j',
    (env) => {
      expect(faultOf(env)).toBeNull();
    },
  );

  test.each(
    [google, github, own].flatMap((set) =>
      Object.keys(set).map((missing): [string, Record<string, string>] => [
        missing,
        { ...set, [missing]: '' },
      ]),
    ),
  )('without %s the service does not start, and the error is one line', (missing, env) => {
    const fault = faultOf(env);

    expect(fault).toMatch(new RegExp(`^${missing} not set: `));
    expect(fault).not.toMatch(/\n|hush/);
  });

  test('an issuer that is not a URL prevents the start', () => {
    expect(faultOf({ ...own, OIDC_ISSUER: 'id.example.com' })).toContain(
      'OIDC_ISSUER: must be a URL',
    );
  });
});

describe('the leeway of refresh tokens is a whole number of seconds, at most 60', () => {
  test.each([
    [{}, 10],
    [{ REFRESH_LEEWAY_S: '0' }, 0],
    [{ REFRESH_LEEWAY_S: '60' }, 60],
  ])('the service starts with %j, and the leeway is %d seconds', (env, seconds) => {
    expect(load(env).REFRESH_LEEWAY_S).toBe(seconds);
  });

  test.each(['-1', '61', '1.5', 'ten', 'off'])('the service does not start with %j', (seconds) => {
    expect(faultOf({ REFRESH_LEEWAY_S: seconds })).toContain('REFRESH_LEEWAY_S: must be');
  });
});

describe('trusted proxies must be networks or addresses', () => {
  test.each(['', '127.0.0.0/8', '10.0.0.1, fd00::/8,::1', '0.0.0.0/0'])(
    'the service starts with %j',
    (proxies) => {
      expect(faultOf({ TRUSTED_PROXIES: proxies })).toBeNull();
    },
  );

  test.each(['loopback', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.1:80'])(
    'the service does not start with %j',
    (proxies) => {
      expect(faultOf({ TRUSTED_PROXIES: proxies })).toContain(
        'TRUSTED_PROXIES: must be CIDR ranges',
      );
    },
  );
});

describe('the dashboard must be on the site of the service, or it would get no cookies', () => {
  const siteFaultOf = (PUBLIC_URL: string, DASHBOARD_URL: string) =>
    faultOf({ PUBLIC_URL, DASHBOARD_URL });

  test.each([
    ['https://api.example.com', 'https://app.example.com'],
    ['https://example.com', 'https://app.example.com:8443'],
    ['https://tools.internal', 'https://tools.internal'],
    ['http://localhost:7070', 'http://localhost:5173'],
    ['https://[fd00::1]', 'https://[fd00::1]:444'],
  ])('the service starts at %s with a dashboard at %s', (service, dashboard) => {
    expect(siteFaultOf(service, dashboard)).toBeNull();
  });

  test.each([
    ['https://api.example.com', 'https://app.example.org'],
    ['https://api.example.com', 'https://example.com.evil.net'],
    ['https://localhost', 'http://localhost:5173'],
    ['http://localhost:7070', 'http://127.0.0.1:5173'],
    ['https://10.0.0.1', 'https://10.9.0.1'],
    ['https://tools', 'https://dashboard'],
  ])(
    'the service does not start at %s with a dashboard at %s, and the error is one line',
    (service, dashboard) => {
      expect(siteFaultOf(service, dashboard)).toMatch(
        /^DASHBOARD_URL must be on the same site as PUBLIC_URL.*\.$/,
      );
    },
  );
});

describe('root keys are long, and each is listed once', () => {
  const other = 'hush'.repeat(8);
  const third = 'hist'.repeat(8);

  test.each<[Record<string, string>]>([
    [{}],
    [{ SECRETS_KEY_FALLBACKS: '' }],
    [{ SECRETS_KEY_FALLBACKS: other }],
    [{ SECRETS_KEY: other, SECRETS_KEY_FALLBACKS: ` ${third} , ${required.SECRETS_KEY},` }],
  ])('the service starts with %j', (env) => {
    expect(faultOf(env)).toBeNull();
  });

  test('fallbacks are read in their order', () => {
    const { SECRETS_KEY_FALLBACKS } = load({ SECRETS_KEY_FALLBACKS: `${third}, ${other}` });

    expect(SECRETS_KEY_FALLBACKS).toEqual([third, other]);
  });

  test.each<[Record<string, string>, string]>([
    [{ SECRETS_KEY: 'hush' }, 'SECRETS_KEY: must have at least 32 characters'],
    [{ SECRETS_KEY: `${other},${third}` }, 'SECRETS_KEY: must have at least 32 characters and no'],
    [{ SECRETS_KEY: `${other}\n` }, 'SECRETS_KEY: must have at least 32 characters and no'],
    [{ SECRETS_KEY: '', SECRETS_KEY_FALLBACKS: other }, 'SECRETS_KEY is not set'],
    [{ SECRETS_KEY_FALLBACKS: `${other},hush` }, 'SECRETS_KEY_FALLBACKS: must be at most 4 keys'],
    [{ SECRETS_KEY_FALLBACKS: `${other} ${third}` }, 'SECRETS_KEY_FALLBACKS: must be at most 4'],
    [
      { SECRETS_KEY_FALLBACKS: [1, 2, 3, 4, 5].map((n) => other + n).join(',') },
      'SECRETS_KEY_FALLBACKS: must be at most 4 keys',
    ],
    [
      { SECRETS_KEY_FALLBACKS: required.SECRETS_KEY },
      'SECRETS_KEY_FALLBACKS must list keys other than',
    ],
    [
      { SECRETS_KEY_FALLBACKS: `${other},${other}` },
      'SECRETS_KEY_FALLBACKS must list keys other than',
    ],
  ])('the service does not start with %j, and the error is one line without a key', (env, line) => {
    const fault = faultOf(env);

    expect(fault).toContain(line);
    expect(fault).not.toMatch(/\n|hush|hist|xxx/);
  });
});

test.each([
  [{ PORT: 'http' }, 'PORT: must be a number. Port to listen on.'],
  [{ WORKERS: '0' }, 'WORKERS: must be at least 1. Number of processes that share the port.'],
  [{ AUTHZ_CACHE: 'no' }, 'AUTHZ_CACHE: must be one of "on", "off". '],
  [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN: must have at least 16 characters. '],
])(
  'the service does not start with %j, and the error says what the setting must be',
  (env, line) => {
    expect(faultOf(env)).toContain(line);
  },
);

test.each([
  ['{"free": {"items": -1}}', 'PLANS_FILE plans.json: free.items must be at least 0.'],
  ['{"gratis": {}}', 'PLANS_FILE plans.json: must not have the field "gratis".'],
  ['{', 'PLANS_FILE plans.json must be a readable JSON file ('],
])(
  'the plans %s prevent the start; the error names the field and its requirement',
  (file, line) => {
    expect(() => loadConfig({ ...required, PLANS_FILE: 'plans.json' }, () => file)).toThrow(line);
  },
);

describe('MCP_ORIGINS', () => {
  test.each<[string | undefined, readonly string[] | undefined]>([
    [undefined, undefined],
    ['*', ['*']],
    ['https://claude.ai, http://localhost:6274', ['https://claude.ai', 'http://localhost:6274']],
    ['chrome-extension://abcdef', ['chrome-extension://abcdef']],
  ])('%j is read as %j', (text, expected) => {
    expect(load(text === undefined ? {} : { MCP_ORIGINS: text }).MCP_ORIGINS).toEqual(expected);
  });

  test.each([
    'claude.ai',
    'https://claude.ai/',
    'https://a@claude.ai',
    'https://Claude.ai',
    'https://claude.ai:443',
    'null',
  ])('%s is not an origin, and the service does not start', (text) => {
    expect(faultOf({ MCP_ORIGINS: text })).toContain('MCP_ORIGINS: must be origins such as');
  });
});

test('an unknown setting stops the start, but the variable of MCP clients is none', () => {
  expect(faultOf({ TOOLGATE_PORT: '1' })).toContain('TOOLGATE_PORT');
  expect(faultOf({ TOOLGATE_KEY: 'sk_of-a-client' })).toBeNull();
});
