import fc from 'fast-check';

/** A request as bytes; names and values of parameters are already encoded. */
export interface FuzzedRequest {
  method: string;
  path: string;
  query: string;
  headers: readonly string[];
  body: Buffer;
}

/** What the requests can name that exists. */
export interface Targets {
  /** Authorizations that wait for a decision, with the cookies of their browser. */
  authorizations: readonly { uid: string; cookie: string }[];
  /** The cookies of the person who may decide. */
  session: string;
  /** Parameters of requests that succeed, by path. */
  valid: Readonly<Record<string, readonly Record<string, string>[]>>;
}

const PATHS = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/mcp',
  '/oauth/jwks',
  '/oauth/authorize',
  '/oauth/authorize/{uid}',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/consent/{uid}',
  '/oauth/consent/{uid}/request',
  '/oauth/consent/{uid}/decision',
] as const;

const NAMES = [
  ...['client_id', 'client_secret', 'redirect_uri', 'response_type', 'response_mode', 'scope'],
  ...['state', 'code', 'code_verifier', 'code_challenge', 'code_challenge_method', 'resource'],
  ...['grant_type', 'refresh_token', 'token', 'token_type_hint', 'prompt', 'request', 'action'],
  ...['request_uri', 'claims', 'registration', 'dpop_jkt', 'client_assertion', 'assertion'],
  ...['client_assertion_type', 'username', 'password', 'email', 'account', 'team', 'agent'],
  ...['__proto__', 'constructor', 'toString', 'scope[]', 'client_id[$ne]', 'a[b][c]', '', '%'],
];

/** Values that parsers, databases and templates are known to stumble over. */
const HOSTILE = [
  ...['%00', 'a%00b', '%ff%fe', '%C0%80', '%ED%A0%80', '%F0%9F%92%A9', '%E2%80%AE', '%', '%zz'],
  ...['%0d%0aSet-Cookie:%20a=b', '%3Cscript%3E', "'%20OR%201=1%20--", '%24%7B7*7%7D', '+', '%20'],
  ...['null', 'undefined', 'NaN', '-1', '1e309', 'true', '__proto__', '..%2f..%2f', '%5C%5C'],
  ...['['.repeat(500), '%7B%22a%22:'.repeat(200), 'a[b]'.repeat(100), 'x'.repeat(4_000)],
  ...['http://127.0.0.1:99999/', 'http://%5B::1%5D/', 'javascript:alert(1)', 'urn:x', '//evil'],
];

const percentOf = (bytes: Uint8Array) =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

const anyBytes = fc.uint8Array({ maxLength: 24 }).map(percentOf);
const anyText = fc
  .string({ unit: 'binary', maxLength: 24 })
  .map((text) => percentOf(Buffer.from(text)));

const anyValue = (known: readonly string[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...known.map(encodeURIComponent)) },
    { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: anyBytes },
    { weight: 1, arbitrary: anyText },
  );

type Pair = readonly [name: string, value: string];

/** Changes the parameters of a request that succeeds: drops, replaces, repeats and adds some. */
const anyPairs = (valid: readonly Record<string, string>[], known: readonly string[]) =>
  fc.constantFrom(...valid, {}).chain((params) => {
    const pairs = Object.entries(params).map(([name, value]): Pair => [
      name,
      encodeURIComponent(value),
    ]);
    const name = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...NAMES, ...Object.keys(params)) },
      { weight: 1, arbitrary: anyBytes },
    );
    return fc
      .record({
        dropped: fc.option(fc.nat(), { freq: 2 }),
        replaced: fc.option(fc.tuple(fc.nat(), anyValue(known)), { freq: 2 }),
        repeated: fc.option(fc.nat(), { freq: 4 }),
        added: fc.array(fc.tuple(name, anyValue(known)), { maxLength: 3 }),
      })
      .map(({ dropped, replaced, repeated, added }): Pair[] => {
        const at = (index: number) => index % Math.max(1, pairs.length);
        const changed = pairs.map(([one, value], index): Pair => [
          one,
          replaced !== null && index === at(replaced[0]) ? replaced[1] : value,
        ]);
        const again = repeated === null ? [] : changed.slice(at(repeated), at(repeated) + 1);
        const rest = changed.filter((_, index) => dropped === null || index !== at(dropped));
        return [...rest, ...again, ...added];
      });
  });

const encode = (pairs: readonly Pair[]) =>
  pairs.map(([name, value]) => `${name}=${value}`).join('&');

const FORM = 'application/x-www-form-urlencoded';

const anyType = fc.oneof(
  { weight: 12, arbitrary: fc.constant([`content-type: ${FORM}`]) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<string[]>(
      ...[[], ['content-type: application/json'], [`content-type: ${FORM}; charset=utf-8`]],
      ...[[`content-type: ${FORM}; charset=utf-16`], ['content-type: multipart/form-data']],
      ...[['content-type: text/plain'], ['content-type: '], [`content-type: ${FORM}, ${FORM}`]],
      [`content-type: ${FORM}`, 'content-type: application/json'],
    ),
  },
);

const OTHER_HEADERS = [
  ...['authorization: Basic eDp5', 'authorization: Bearer a.b.c', 'authorization: ', 'accept: */*'],
  ...['accept: text/html', 'accept: application/xml;q=2', 'accept-language: *, xx-\u00ff;q=9'],
  ...['origin: https://evil.example', 'origin: null', 'sec-fetch-site: cross-site', 'dpop: x'],
  ...['content-encoding: gzip', 'x-http-method-override: DELETE', 'x-forwarded-proto: gopher'],
  ...['x-forwarded-host: evil.example', 'forwarded: host=evil', 'cookie: _interaction=%00; =;;'],
  ...['cookie: _session=x; _interaction=x; session=a.b.c', 'x-api-key: sk_x', 'te: trailers'],
];

const anyBody = (pairs: fc.Arbitrary<Pair[]>) =>
  fc.oneof(
    { weight: 40, arbitrary: pairs.map((one) => Buffer.from(encode(one))) },
    { weight: 4, arbitrary: fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one)) },
    { weight: 2, arbitrary: fc.json().map((one) => Buffer.from(one)) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom('{"a":', '[', 'a[b]=c&', '&', 'a=b&', '%')
        .map((part) => Buffer.from(part.repeat(8_000))),
    },
  );

const anyDecision = fc
  .record(
    {
      allow: fc.oneof(fc.boolean(), fc.jsonValue()),
      scopes: fc.oneof(fc.constant(['mcp_tools']), fc.array(fc.string({ unit: 'binary' }))),
      team_ids: fc.oneof(fc.constant(null), fc.array(fc.uuid()), fc.jsonValue()),
      default_agent_id: fc.oneof(fc.uuid(), fc.string({ unit: 'binary' }), fc.jsonValue()),
    },
    { requiredKeys: ['allow'] },
  )
  .map((decision) => Buffer.from(JSON.stringify(decision)));

/** Generates requests to every endpoint of the authorization server and its consent page. */
export function anyRequest({
  authorizations,
  session,
  valid,
}: Targets): fc.Arbitrary<FuzzedRequest> {
  const known = [
    ...new Set(
      Object.values(valid)
        .flat()
        .flatMap((params) => Object.values(params)),
    ),
  ];
  const anyUid = fc.oneof(fc.constantFrom(...HOSTILE), anyBytes);
  const anyAuthorization = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...authorizations) },
    { weight: 1, arbitrary: anyUid.map((uid) => ({ uid, cookie: `_interaction=${uid}` })) },
  );
  return fc.tuple(fc.constantFrom(...PATHS), anyAuthorization).chain(([path, { uid, cookie }]) => {
    const pairs = anyPairs(valid[path] ?? [], known);
    const isJson = path.endsWith('/decision');
    const isPost = isJson || path === '/oauth/token' || path === '/oauth/revoke';
    const usual = isPost ? 'POST' : 'GET';
    return fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(usual) },
        { weight: 3, arbitrary: fc.constant(isPost ? 'GET' : 'POST') },
        { weight: 1, arbitrary: fc.constantFrom('PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS') },
      ),
      path: fc.constant(path.replace('{uid}', uid)),
      query: fc.oneof(
        { weight: isPost ? 1 : 12, arbitrary: pairs.map(encode) },
        { weight: isPost ? 12 : 1, arbitrary: fc.constant('') },
      ),
      headers: fc
        .tuple(
          isJson ? fc.constant(['content-type: application/json']) : anyType,
          fc.subarray(OTHER_HEADERS, { maxLength: 2 }),
          fc.constantFrom([], [`cookie: ${cookie}`], [`cookie: ${cookie}; ${session}`]),
        )
        .map((lines) => lines.flat()),
      body: isJson ? fc.oneof(anyDecision, anyBody(pairs)) : anyBody(pairs),
    });
  });
}

/** Returns the bytes of a request. */
export function bytesOf({ method, path, query, headers, body }: FuzzedRequest): Buffer {
  const lines = [
    `${method} ${path}${query === '' ? '' : `?${query}`} HTTP/1.1`,
    ...['host: localhost', 'connection: close', `content-length: ${body.length}`, ...headers],
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
