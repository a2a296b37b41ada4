import { oauthClientPresets } from '../../snippets/oauth-clients.ts';
import { isRegisteredUri } from '../clients/clients.ts';

/** What a known client is called, besides its title, and where it receives answers. */
interface Known {
  names: readonly string[];
  /** Hosts of its makers: any address below them is its own. */
  hosts?: readonly string[];
  /** Path below which it listens on a loopback host. */
  loopback_path?: string;
}

const CLAUDE = { names: ['Claude', 'Claude Desktop', 'claude.ai', 'Anthropic'] };

/** Additions to the presets, by their id. */
const KNOWN: Readonly<Record<string, Known>> = {
  claude_code: CLAUDE,
  claude: { ...CLAUDE, hosts: ['claude.ai', 'claude.com'] },
  cursor: { names: [], hosts: ['cursor.com'] },
  vscode: { names: ['Visual Studio Code'], hosts: ['vscode.dev'] },
  codex: { names: ['OpenAI Codex'], loopback_path: '/callback' },
  gemini_cli: { names: ['Gemini'] },
  copilot_cli: { names: ['Copilot', 'GitHub Copilot'] },
  chatgpt: { names: ['OpenAI'], hosts: ['chatgpt.com', 'openai.com'] },
};

const presets = oauthClientPresets('').map(({ id, title, redirect_uris }) => ({
  ...{ redirect_uris, ...KNOWN[id] },
  names: [...title.split(' and '), ...(KNOWN[id]?.names ?? [])],
}));

/**
 * Returns the known client whose name a client's name contains or looks like, although its answers
 * go to an address that none of the known clients of that name uses; null for any other client.
 * Anyone can give a client any name: only the address shows who receives the answer.
 */
export function lookalikeOf(name: string, redirect_uri: string): string | null {
  const words = wordsOf(name);
  const alike = presets.flatMap((preset) => {
    const known = preset.names.filter((one) => contains(words, wordsOf(one).join('')));
    return known.length === 0 ? [] : [{ preset, known }];
  });
  if (alike.some(({ preset }) => isAddressOf(preset, redirect_uri))) return null;
  const names = alike.flatMap(({ known }) => known);
  return names.toSorted((a, b) => b.length - a.length)[0] ?? null;
}

function isAddressOf(
  { redirect_uris, hosts = [], loopback_path }: (typeof presets)[number] & Partial<Known>,
  uri: string,
): boolean {
  if (isRegisteredUri(redirect_uris, uri)) return true;
  const { protocol, hostname, pathname } = new URL(uri);
  if (loopback_path !== undefined && isRegisteredUri([`http://127.0.0.1${pathname}`], uri))
    return `${pathname}/`.startsWith(`${loopback_path}/`);
  return (
    protocol === 'https:' && hosts.some((one) => hostname === one || hostname.endsWith(`.${one}`))
  );
}

/** Returns whether consecutive words spell a name: `ClaudeCode`, `C l a u d e  C o d e`. */
const contains = (words: readonly string[], name: string): boolean =>
  words.some((_, start) => {
    let spelled = '';
    for (const word of words.slice(start)) {
      spelled += word;
      if (spelled === name) return true;
      if (spelled.length >= name.length) return false;
    }
    return false;
  });

/** Characters that look like Latin letters once accents are removed; `i` and `l` count as one. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аαɑ4@',
    b: 'ьвβ8',
    c: 'сϲⅽς¢ꮯⲥ',
    d: 'ԁɗⅾ',
    e: 'еєεҽɛ3€',
    f: 'ғƒ',
    g: 'ɡցɢ9',
    h: 'һհнη',
    l: 'iіıιɩ1|!ⅼӏlǀłⲓꞁ',
    j: 'јϳ',
    k: 'кκⲕ',
    m: 'мⅿ',
    n: 'пոɴ',
    o: 'оοօσ0øө',
    p: 'рρ',
    q: 'ԛգ',
    r: 'гʀᴦ',
    s: 'ѕꜱ5$',
    t: 'тτ7',
    u: 'υսцʋᴜ',
    v: 'ѵνⅴ',
    w: 'ԝѡωա',
    x: 'хχⅹ',
    y: 'уүγʏ',
    z: 'ᴢ2',
  }).flatMap(([letter, alike]) => Array.from(alike, (one) => [one, letter] as const)),
);

/** Returns the Latin letter that a character looks like, in its case; else the character. */
function letterLike(one: string): string {
  const lower = one.toLowerCase();
  const letter = LOOKALIKES.get(lower) ?? one;
  return lower === one ? letter : letter.toUpperCase();
}

/** Splits a name at spaces, signs and capitals, and folds what looks alike. */
const wordsOf = (name: string): string[] =>
  name
    // Some letters decompose into one that looks different: Ϲ into a sigma.
    .replaceAll(/[^\p{ASCII}]/gu, letterLike)
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}]/gu, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}|!@$€¢]+/u)
    .map((word) => Array.from(word, (one) => LOOKALIKES.get(one) ?? one).join(''))
    .filter((word) => word !== '');
