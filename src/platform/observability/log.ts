import pino from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { isRefusal } from '../errors/refusal.ts';

export type Log = Logger;

// A second line of defense: headers and bodies are not logged in the first place.
const REDACT = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'captcha_token',
  'refresh_token',
  'access_token',
  'headers',
].flatMap((name) => [name, `*.${name}`]);

const KEY_SECRET = /sk_[0-9a-f-]{8,}/gi;

/** Creates a logger of JSON lines on standard output, without secrets, tokens or header values. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACT, censor: '[redacted]' },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: clean(String(error)) };
  return {
    type: error.name,
    message: clean(error.message),
    code: (error as { code?: unknown }).code,
    // A refusal's reason, which is not shown to the caller.
    reason: isRefusal(error) && error.reason !== undefined ? clean(error.reason) : undefined,
    stack: error.stack === undefined ? undefined : clean(error.stack),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

const clean = (text: string) => text.replace(KEY_SECRET, 'sk_[redacted]').slice(0, 4000);
