import { importsOf } from './sources.ts';
import type { Import, Sources } from './sources.ts';

/** The layers of docs/architecture.md: a file imports from its own folder and lower layers. */
const LAYERS: Readonly<Record<string, number>> = {
  gateway: 8,
  mcp: 7,
  explorer: 7,
  previews: 7,
  seed: 7,
  keys: 6,
  oauth: 6,
  sso: 6,
  scim: 6,
  'decision-log': 6,
  visibility: 5,
  accounts: 4,
  organizations: 4,
  teams: 4,
  content: 4,
  usage: 4,
  authz: 3,
  credentials: 3,
  limits: 3,
  mail: 3,
  audit: 3,
  idempotency: 3,
  jobs: 3,
  connect: 3,
  caller: 2,
  policies: 2,
  catalog: 2,
  snippets: 2,
  texts: 2,
  look: 2,
  platform: 1,
};
const ENTRIES =
  /^src\/(?:main|mcp-part|migrate|service|authentication|parts|connections|projection|rehearsal|rest-routes|rotation|seeding|traced|views|worker-pools)\.ts$|^stack\/start\.ts$|^src\/cli\//;
/**
 * Files that any module may import directly: schemas, pure tables, and modules without domain
 * logic.
 */
const OPEN =
  /^src\/(?:platform|policies|snippets|texts|look|caller)\/|\/(?:schema|permissions)\.ts$/;
const PORTABLE =
  /^src\/(?:policies|snippets)\/|^src\/texts\/languages\.ts$|^src\/look\/(?:look|color-scheme)\.ts$|\/(?:schema|permissions|permission-names)\.ts$|^src\/content\/tools\/http-annotations\.ts$|^src\/explorer\/unused\/without-unused\.ts$|^src\/caller\/(?:actions|system-roles|restrictions\/hours)\.ts$/;
/** Packages that portable files may import. */
const BROWSER_PACKAGES: ReadonlySet<string> = new Set(['zod', 'lru-cache']);
/** Platform files that do not use Node. */
const PORTABLE_PLATFORM =
  /^src\/platform\/(?:timestamp|json\/bounded-list|config\/plans|errors\/(?:error-codes|refusal|reported-error|shape-error)|http\/(?:canonical-network|list-query|pages|publication|reference|whole-number|without-nul)|text\/(?:fold-case|nfc|password-strength|(?:in)?visible(?:-name|-text)?))\.ts$/;

const OWNERS: Readonly<Record<string, RegExp>> = {
  slonik: /\/store\.ts$|^src\/platform\/|^src\/migrate\.ts$/,
  pg: /\/store\.ts$|^src\/platform\/|^src\/migrate\.ts$/,
  fastify: /\/routes\.ts$|^src\/gateway\//,
  '@openfga/sdk': /^src\/authz\//,
  '@openfga/syntax-transformer': /^src\/authz\//,
  i18next: /^src\/(?:texts|dashboard\/texts)\//,
  '@opentelemetry/api': /^src\/platform\//,
  '@opentelemetry/sdk-trace': /^src\/platform\//,
  '@opentelemetry/sdk-logs': /^src\/platform\//,
  ioredis: /^src\/(?:platform|limits|mcp\/legacy)\//,
  '@modelcontextprotocol/client': /^src\/(?:content\/upstreams\/|dashboard\/try\/mcp\.ts$)/,
  '@modelcontextprotocol/server': /^src\/mcp\//,
  '@modelcontextprotocol/node': /^src\/mcp\//,
  'node:process': /^src\/(?:main|migrate|catalog\/worker(?:-watch)?)\.ts$|^src\/cli\//,
};

export const MAX_LINES = 300;

const isStack = (path: string) => path.startsWith('stack/');

function folderOf(path: string): string {
  if (isStack(path)) return 'stack';
  return path.split('/').length > 2 ? path.split('/')[1]! : '';
}

const isEntry = (path: string) => ENTRIES.test(path);

/** Returns a message for each violation; empty if the sources follow every rule. */
export function findFaults(sources: Sources): string[] {
  const imports = [...sources].flatMap(([path, text]) => importsOf(path, text));
  return [
    ...imports.flatMap((one) => [...direction(one), ...frontDoor(one), ...owner(one)]),
    ...imports.flatMap(portability),
    ...imports.flatMap(legacyIsolation),
    ...[...sources.keys()].flatMap(folderLayer),
    ...[...sources].flatMap(([path, text]) => [...shape(path, text), ...forbiddenCode(path, text)]),
    ...tableOwners(sources),
    ...cycles(imports),
  ];
}

function direction({ from, to, isOurs }: Import): string[] {
  if (!isOurs) return [];
  const [source, target] = [folderOf(from), folderOf(to)];
  if (source === target || isEntry(from)) return [];
  if (source === 'dashboard') return browserCode(from, to);
  if (source === 'stack')
    return target === 'platform'
      ? []
      : [`${from} imports ${to}: the stack may import only platform`];
  if (target === 'stack')
    return [`${from} imports ${to}: only its own entry and the tests may import the stack`];
  if (isEntry(to)) return [`${from} imports ${to}: only entries may import an entry`];
  const [high, low] = [LAYERS[source] ?? 0, LAYERS[target] ?? 99];
  return low < high ? [] : [`${from} imports ${to}: ${target} is not below ${source}`];
}

/** The dashboard runs in a browser: of the server's files, it has schemas, tables and texts. */
const browserCode = (from: string, to: string): string[] =>
  PORTABLE.test(to) || PORTABLE_PLATFORM.test(to)
    ? []
    : [`${from} imports ${to}: the dashboard may import only what runs in a browser`];

function frontDoor({ from, to, isOurs }: Import): string[] {
  const [source, target] = [folderOf(from), folderOf(to)];
  if (!isOurs || source === target || source === 'dashboard' || isEntry(from) || OPEN.test(to))
    return [];
  return to === `src/${target}/${target}.ts` || SIDE_DOORS.has(to)
    ? []
    : [`${from} imports ${to}: enter ${target} by its front door, src/${target}/${target}.ts`];
}

/** Files through which other modules may enter, too: the protocols of third-party sign-in. */
const SIDE_DOORS = new Set(['src/accounts/providers/providers.ts']);

/** Only mcp/legacy may use the 2025 protocol, so that it can be removed with its folder. */
const legacyIsolation = ({ from, to }: Import): string[] =>
  /^src\/mcp\/(?!legacy\/)/.test(from) && to.startsWith('src/mcp/legacy/')
    ? [`${from} imports ${to}: only mcp/legacy may use the 2025 protocol`]
    : [];

function owner({ from, to, isOurs }: Import): string[] {
  const allowed = isOurs ? undefined : OWNERS[to];
  return allowed === undefined || allowed.test(from) || isStack(from)
    ? []
    : [`${from} imports ${to}: only its owner may import this package`];
}

function portability({ from, to, isOurs }: Import): string[] {
  if (!PORTABLE.test(from)) return [];
  const isFine = isOurs
    ? PORTABLE.test(to) || PORTABLE_PLATFORM.test(to)
    : BROWSER_PACKAGES.has(to);
  return isFine
    ? []
    : [`${from} imports ${to}: a portable file may import only what runs in a browser`];
}

function folderLayer(path: string): string[] {
  const folder = folderOf(path);
  const isKnown = isEntry(path) || folder === 'stack' || folder === 'dashboard' || folder in LAYERS;
  return isKnown ? [] : [`${path}: this folder has no layer`];
}

function shape(path: string, text: string): string[] {
  const name = path
    .split('/')
    .at(-1)!
    .replace(/(?:\.d)?\.\w+$/, '');
  const lines = text.split('\n').length - 1;
  return [
    ...(['index', 'utils', 'helpers', 'common'].includes(name)
      ? [`${path}: use a name that describes the content`]
      : []),
    ...(/^[a-z0-9-]+$/.test(name) ? [] : [`${path}: file names are kebab-case`]),
    ...(lines > MAX_LINES ? [`${path}: ${lines} lines; the limit is ${MAX_LINES}`] : []),
  ];
}

function forbiddenCode(path: string, text: string): string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  // The cli commands call our own gateway.
  const mayFetch =
    isStack(path) ||
    /^src\/platform\/outbound\/outbound\.ts$|^src\/cli\/|^src\/dashboard\/api\/request\.ts$/.test(
      path,
    );
  const mayReadEnv = isEntry(path) || isStack(path);
  return [
    ...(!mayFetch && /(?<![.\w])fetch\(/.test(code)
      ? [`${path}: only outbound.ts may call fetch`]
      : []),
    ...(!mayReadEnv && /\bprocess\.env\b/.test(code) ? [`${path}: reads the environment`] : []),
    ...(/\bsql\.unsafe\b/.test(code)
      ? [`${path}: sql.unsafe has no row schema; use sql.type or sql.typeAlias`]
      : []),
    ...(/picomatch|minimatch/.test(code) ? [`${path}: use the matcher in src/policies`] : []),
  ];
}

// The tables of bindings are named in a descriptor, and written by one file for all kinds.
const WRITE =
  /\b(?:bindings:(?=\s+')|INSERT\s+INTO|UPDATE(?!\s+SET)|DELETE\s+FROM|sweepOlder\(connection, \{\s*table:|: EncryptedColumn<[^=]*> = \{\s*table:)\s+'?([a-z_]+)/g;

/** Each table is written by one file; others may read it in a SELECT. */
function tableOwners(sources: Sources): string[] {
  const writers = new Map<string, Set<string>>();
  for (const [path, text] of sources)
    for (const [, table] of text.matchAll(WRITE))
      writers.set(table!, (writers.get(table!) ?? new Set()).add(path));
  return [...writers]
    .filter(([, paths]) => paths.size > 1)
    .map(([table, paths]) => `${table} is written by ${[...paths].join(' and ')}`);
}

/**
 * Returns import cycles, type imports included: files of a cycle cannot be understood separately.
 */
function cycles(imports: readonly Import[]): string[] {
  const edges = Map.groupBy(
    imports.filter((one) => one.isOurs),
    (one) => one.from,
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push(`a cycle: ${[...trail.slice(start), path].join(' → ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const { to } of edges.get(path) ?? []) visit(to, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return found;
}
