import { isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { finish, inTurns } from '../concurrency/turns.ts';
import type { Steps } from '../concurrency/turns.ts';
import { malformed, Refusal } from '../errors/refusal.ts';

/** The "2 MB" of the specification. */
export const BODY_BYTES = 2_097_152;
const BODY_DEPTH = 32;
// Two megabytes of `{}` and `,` would block the event loop for most of a second.
export const MAX_PUNCTUATION = 100_000;
// Each takes several microseconds and hundreds of bytes, however small it is. A body of 2 MB has half
// as many, even if each is a TCP segment on the slowest of links.
const MAX_CHUNKS = 4_096;
const BODY_MS = 30_000;
// Part of a rejected upload is still read: closing with unread bytes resets the connection, and the
// client would never receive the 413.
const DRAIN_BYTES = 16 * BODY_BYTES;
const DRAIN_MS = 1_000;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `; *${TOKEN}=(?:${TOKEN}|"[^"\\\\]*")`;
// Spaces can be matched in one way only: there may be 16 kB of them.
const JSON_TYPE = new RegExp(
  `^${TOKEN}/(?:json|[!#$%&'*+.^_\`|~0-9a-z-]*\\+json)(?: *${PARAMETER})*(?: *;)? *$`,
  'i',
);

/** Throws 415 unless there is exactly one JSON Content-Type and no Content-Encoding. */
export function requireJsonType(rawHeaders: readonly string[]): void {
  const types = headerValues(rawHeaders, 'content-type');
  const encodings = headerValues(rawHeaders, 'content-encoding');
  if (types.length === 1 && JSON_TYPE.test(types[0]!) && encodings.length === 0) return;
  throw new Refusal(
    'unsupported_type',
    'unsupported_media_type',
    'Send the body as application/json, without Content-Encoding.',
  );
}

const FORM_TYPE = /^application\/x-www-form-urlencoded(?: *; *charset="?utf-8"?)? *$/i;

/** Throws 415 unless the body is a form, without Content-Encoding. */
export function requireFormType(rawHeaders: readonly string[]): void {
  const types = headerValues(rawHeaders, 'content-type');
  const encodings = headerValues(rawHeaders, 'content-encoding');
  if (types.length === 1 && FORM_TYPE.test(types[0]!) && encodings.length === 0) return;
  throw new Refusal(
    'unsupported_type',
    'unsupported_media_type',
    'Send the body as application/x-www-form-urlencoded, without Content-Encoding.',
  );
}

/** Returns every value of a header as sent; Node itself joins or drops repeated ones. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!;
    if (header.length === name.length && header.toLowerCase() === name)
      values.push(rawHeaders[index + 1]!);
  }
  return values;
}

/**
 * Reads the whole body; throws 413 beyond `limit` bytes or in too many chunks, and 408 if it does not
 * end in time.
 */
export function readBody(
  request: IncomingMessage,
  { limit = BODY_BYTES, timeoutMs = BODY_MS }: { limit?: number; timeoutMs?: number } = {},
): Promise<Buffer> {
  const buffered = bufferedBody(request, limit);
  if (buffered !== null) return Promise.resolve(buffered);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let tooLarge = Number(request.headers['content-length'] ?? 0) > limit;
    let timer = setTimeout(tooLarge ? refuseSize : refuseTime, tooLarge ? DRAIN_MS : timeoutMs);

    request
      .on('data', take)
      .once('end', end)
      .once('error', rejectIncomplete)
      .once('close', rejectIncomplete);

    function take(chunk: Buffer) {
      size += chunk.length;
      if (!tooLarge && chunks.length === MAX_CHUNKS) return refuseChunks();
      if (!tooLarge && size <= limit) chunks.push(chunk);
      else if (!tooLarge) {
        tooLarge = true;
        chunks.length = 0;
        clearTimeout(timer);
        timer = setTimeout(refuseSize, DRAIN_MS);
      }
      if (size > DRAIN_BYTES) refuseSize();
    }
    function end() {
      if (tooLarge) return refuseSize();
      stop();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    }
    function rejectIncomplete() {
      stop();
      reject(malformed('incomplete_body', 'The body ended before it was complete.'));
    }
    function refuseSize() {
      stop();
      reject(new Refusal('too_large', 'body_too_large', `The body exceeds ${limit} bytes.`));
    }
    function refuseChunks() {
      stop();
      const message = `The body has more than ${MAX_CHUNKS} chunks. Send larger ones.`;
      reject(new Refusal('too_large', 'body_too_large', message));
    }
    function refuseTime() {
      stop();
      reject(new Refusal('timed_out', 'request_timeout', 'The body did not arrive in time.'));
    }
    function stop() {
      clearTimeout(timer);
      request
        .off('data', take)
        .off('end', end)
        .off('error', rejectIncomplete)
        .off('close', rejectIncomplete);
      request.on('error', () => {});
    }
  });
}

/**
 * Returns a body that arrived with its headers, as most do, without listeners or timers; else null.
 */
function bufferedBody(request: IncomingMessage, limit: number): Buffer | null {
  const { complete, readableLength, headers } = request;
  const isWhole = complete && readableLength === Number(headers['content-length']);
  if (!isWhole || readableLength === 0 || readableLength > limit) return null;
  return request.read() as Buffer;
}

/** Code for a body that is not JSON; JSON that violates the limits below gets `invalid_body`. */
export const INVALID_JSON = 'invalid_json';

/**
 * Parses and validates a body: fatal UTF-8 without BOM, one JSON document, 32 levels unless more
 * are allowed, 100 000 structural characters, no NUL, no lone surrogate, no duplicate key, no key
 * that could change a prototype. Throws `malformed`.
 */
export function parseJsonStrictly(bytes: Buffer, levels: number = BODY_DEPTH): unknown {
  return finish(parsing(bytes, levels));
}

/**
 * Parses a body like `parseJsonStrictly`; a long one in turns of the event loop, which are shared
 * fairly among keys.
 */
export async function parseJsonBody(
  fairnessKey: string,
  bytes: Buffer,
  levels: number = BODY_DEPTH,
): Promise<unknown> {
  if (bytes.length < LONG_BYTES) return parseJsonStrictly(bytes, levels);
  return inTurns(fairnessKey, parsing(bytes, levels));
}

const LONG_BYTES = 65_536;

function* parsing(bytes: Buffer, levels: number): Steps<unknown> {
  const text = decode(bytes);
  const fault = scan(text, levels);
  if (fault === TOO_DEEP) throw rejectedBody(`more than ${levels} levels`);
  if (fault === TOO_MANY) throw rejectedBody(fault);

  yield;
  const value = parse(text);
  yield;
  if (typeof fault === 'string') throw rejectedBody(fault);
  const members = { left: fault };
  if (reachesPrototype(value, members))
    throw rejectedBody('a key is __proto__ or constructor.prototype');
  if (members.left !== 0) throw rejectedBody('a key is duplicated');
  return value;
}

const rejectedBody = (reason: string) =>
  malformed('invalid_body', `The body is not accepted: ${reason}.`);
const TOO_DEEP = 'too many levels';
const TOO_MANY = `more than ${MAX_PUNCTUATION} brackets, colons and commas`;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  // The common case, decoded in a third of the time.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    const text = utf8.decode(bytes);
    if (text.charCodeAt(0) !== 0xfeff) return text;
  } catch {
    // Rejected below: neither case is JSON text.
  }
  throw malformed(INVALID_JSON, 'The body must be JSON in UTF-8.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(INVALID_JSON, 'The body must be valid JSON.');
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Scans the text once; returns the number of members of all objects, or the fault as text. */
function scan(text: string, levels: number): number | string {
  let depth = 0;
  let punctuation = 0;
  let members = 0;
  let fault: string | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      for (index += 1; index < text.length; index += 1) {
        const inner = text.charCodeAt(index);
        if (inner === QUOTE) break;
        if (inner !== BACKSLASH) continue;
        index += 1;
        if (text.charCodeAt(index) !== 0x75) continue;
        const unit = hexUnit(text, index + 1);
        index += 4;
        if (unit === 0) fault ??= 'a NUL character';
        if (unit < 0xd800 || unit > 0xdfff) continue;
        if (unit < 0xdc00 && text.startsWith('\\u', index + 1) && isLow(hexUnit(text, index + 3)))
          index += 6;
        else fault ??= 'a lone surrogate';
      }
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      punctuation += 1;
      if (depth > levels) return TOO_DEEP;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
      punctuation += 1;
    } else if (code === COLON) {
      members += 1;
      punctuation += 1;
    } else if (code === COMMA) punctuation += 1;
    if (punctuation > MAX_PUNCTUATION) return TOO_MANY;
  }
  return fault ?? members;
}

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

/** Returns the value of the four hexadecimal digits at `start`; NaN if there are none. */
function hexUnit(text: string, start: number): number {
  let unit = 0;
  for (let index = start; index < start + 4; index += 1) {
    const code = text.charCodeAt(index);
    const digit = code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
    if (!(digit >= 0 && digit <= 15)) return NaN;
    unit = unit * 16 + digit;
  }
  return unit;
}

// JSON.parse keeps the last of repeated keys, so members in the text that are missing from the
// value were repeated. Recursion is bounded by the depth the scan allowed.
function reachesPrototype(value: unknown, members: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => reachesPrototype(item, members));
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record);
  members.left -= keys.length;
  return keys.some((key) => {
    if (key === '__proto__') return true;
    const inner = record[key];
    if (key === 'constructor' && typeof inner === 'object' && inner !== null)
      if (Object.hasOwn(inner, 'prototype')) return true;
    return reachesPrototype(inner, members);
  });
}

/** Returns whether `parseJsonStrictly` would reject a value for one of its keys. */
export const hasPrototypeKey = (value: unknown): boolean => reachesPrototype(value, { left: 0 });

/** Returns how many brackets, colons and commas a value has as JSON; limited by MAX_PUNCTUATION. */
export function punctuationOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  const own = 2 + (Array.isArray(value) ? 0 : inner.length) + Math.max(0, inner.length - 1);
  return inner.reduce<number>((sum, one) => sum + punctuationOf(one), own);
}
