import { Readable } from 'node:stream';
import { upstreamFailure } from './failure.ts';

const MAX_LEVELS = 64;
// Two megabytes of `[` and `{` would block the event loop for most of a second.
const MAX_MARKS = 200_000;
// Limit for event streams: the client creates and dispatches a message for every two lines.
const MAX_LINES = 5_000;

const [QUOTE, BACKSLASH, COMMA, COLON, NEWLINE] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Passes through a body of JSON, or of events with JSON; throws `ToolFailure` if it is nested too
 * deeply or has too much structure. JSON strings cannot contain a raw line end, so a line end
 * resets the state of strings.
 */
export function limitStructure(body: Readable, bounds: Bounds): Readable {
  const limited = Readable.from(checkChunks(body, bounds), { objectMode: false });
  return limited.once('close', () => void body.destroy());
}

export interface Bounds {
  isEvents: boolean;
  /** Throws if the chunk exceeds the limit. */
  countBytes(bytes: number): void;
}

async function* checkChunks(body: AsyncIterable<Buffer>, { isEvents, countBytes }: Bounds) {
  const state = { marks: 0, lines: 0, depth: 0, isString: false, isEscaped: false };
  for await (const chunk of body) {
    countBytes(chunk.length);
    count(state, chunk);
    if (state.marks > MAX_MARKS || (isEvents && state.lines > MAX_LINES))
      throw upstreamFailure('sent a response with too many values.');
    yield chunk;
  }
}

interface ScanState {
  marks: number;
  lines: number;
  depth: number;
  isString: boolean;
  isEscaped: boolean;
}

function count(state: ScanState, chunk: Buffer): void {
  for (const byte of chunk) {
    if (byte === NEWLINE) {
      state.marks += 1;
      state.lines += 1;
      state.isString = false;
      state.isEscaped = false;
    } else if (state.isString) {
      if (state.isEscaped) state.isEscaped = false;
      else if (byte === BACKSLASH) state.isEscaped = true;
      else if (byte === QUOTE) state.isString = false;
    } else if (byte === QUOTE) state.isString = true;
    else if (OPENING.has(byte)) {
      state.marks += 1;
      state.depth += 1;
      if (state.depth > MAX_LEVELS)
        throw upstreamFailure('sent a response that is nested too deeply.');
    } else if (CLOSING.has(byte)) {
      state.marks += 1;
      state.depth -= 1;
    } else if (byte === COMMA || byte === COLON) state.marks += 1;
  }
}
