import { inTurns } from '../../platform/concurrency/turns.ts';
import type { Steps } from '../../platform/concurrency/turns.ts';
import { secretForms } from './secret-forms.ts';
import { createTextSearch } from './text-search.ts';
import type { TextSearch } from './text-search.ts';

const REDACTED = '[secret]';
// Shorter strings match too much, and are unlikely to be secrets.
const MIN_CHARACTERS = 6;
const VALUES_PER_STEP = 256;
const PARTS_PER_STEP = 4_096;
// The search for one form in a shorter text needs no step of its own.
const LONG_TEXT = 4_096;

/**
 * Creates the redaction of some secrets, which sanitizes text from upstream servers: it removes
 * secrets that a server echoes, and makes the text well-formed, since half a surrogate pair breaks
 * the JSON parsers of some clients. Its time is linear in the text for each secret, whatever the
 * two contain, and it works in turns, which it shares fairly with those of other keys: a server and
 * the owner of a secret can be one attacker.
 */
export function createRedaction(secrets: Iterable<string> | SecretForms, fairnessKey: string) {
  const forms = secrets instanceof SecretForms ? secrets : new SecretForms(secrets);

  function* redact(text: string): Steps<string> {
    const covered = yield* coverage(text, yield* forms.searches());
    const clean = covered === null ? text : yield* replaceCovered(text, covered);
    return clean.toWellFormed();
  }

  function* redactJson(value: unknown, count = { values: 0 }): Steps<unknown> {
    if ((count.values += 1) % VALUES_PER_STEP === 0) yield;
    if (typeof value === 'string') return yield* redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(yield* redactJson(item, count));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    const members: [string, unknown][] = [];
    let isClean = true;
    for (const [key, member] of Object.entries(value)) {
      const clean = [yield* redact(key), yield* redactJson(member, count)] as const;
      isClean &&= clean[0] === key && clean[1] === member;
      members.push([...clean]);
    }
    // Creating an object takes far longer than reading one, if it has many keys.
    return isClean ? value : Object.fromEntries(members);
  }

  return {
    text: (text: string) => inTurns(fairnessKey, redact(text)),
    /** Sanitizes every string and key of a JSON value. */
    json: (value: unknown) => inTurns(fairnessKey, redactJson(value)),
  };
}
export type Redaction = ReturnType<typeof createRedaction>;

/** The forms in which servers may repeat some secrets, found once, on first use. */
export class SecretForms {
  readonly #secrets: ReadonlySet<string>;
  #searches: readonly TextSearch[] | null = null;

  constructor(secrets: Iterable<string>) {
    this.#secrets = new Set([...secrets].filter((secret) => secret.length >= MIN_CHARACTERS));
  }

  *searches(): Steps<readonly TextSearch[]> {
    this.#searches ??= yield* searchesFor(this.#secrets);
    return this.#searches;
  }
}

/** Returns a search for each form in which a server may repeat a secret, the shortest first. */
function* searchesFor(secrets: ReadonlySet<string>): Steps<TextSearch[]> {
  const forms = new Set<string>();
  for (const secret of secrets) {
    for (const form of secretForms(secret)) if (form.length >= MIN_CHARACTERS) forms.add(form);
    yield;
  }
  return [...forms].toSorted((a, b) => a.length - b.length).map(createTextSearch);
}

/** Marks every character that belongs to a form, with 1; null if there is none. */
function* coverage(text: string, forms: readonly TextSearch[]): Steps<Uint8Array | null> {
  let covered: Uint8Array | null = null;
  for (const { length, startIn, occurrencesIn } of forms) {
    if (length > text.length) break;
    if (text.length > LONG_TEXT) yield;
    const start = startIn(text);
    if (start === -1) continue;
    for (const occurrence of occurrencesIn(text, start)) {
      if (occurrence === null) yield;
      else (covered ??= new Uint8Array(text.length)).fill(1, occurrence.from, occurrence.to);
    }
  }
  return covered;
}

/** Replaces each run of covered characters, which may be of several secrets that overlap. */
function* replaceCovered(text: string, covered: Uint8Array): Steps<string> {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const from = orEnd(covered.indexOf(1, at), text);
    parts.push(text.slice(at, from));
    if (from === text.length) break;
    if (parts.push(REDACTED) % PARTS_PER_STEP === 0) yield;
    at = orEnd(covered.indexOf(0, from), text);
  }
  return parts.join('');
}

const orEnd = (index: number, { length }: string) => (index === -1 ? length : index);
