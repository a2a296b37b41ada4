import { Readable } from 'node:stream';
import { nextTurn } from '../../platform/concurrency/turns.ts';
import { StructureScan } from '../../platform/json/structure.ts';
import type { StructureFault } from '../../platform/json/structure.ts';
import { upstreamFailure } from './failure.ts';

export const STRUCTURE_LIMITS = { levels: 64, marks: 200_000, shapes: 10_000 };
// Limit for event streams: the client creates and dispatches a message for every two lines.
export const MAX_LINES = 5_000;
// The client processes a whole chunk in one turn of the event loop, and needs some twenty
// microseconds for a line.
const LINES_PER_TURN = 250;

const [LF, CR] = [0x0a, 0x0d];
const DATA = Buffer.from('data:');

/**
 * Passes through a body of JSON, or of events with JSON; throws `ToolFailure` if it is nested too
 * deeply or has too much structure. JSON strings cannot contain a raw line end, so a line end
 * resets the state of strings. Lines end with CR, LF or both, as the client reads them.
 */
export function limitStructure(body: Readable, bounds: Bounds): Readable {
  const limited = Readable.from(checkChunks(body, bounds), { objectMode: false });
  return limited.once('close', () => void body.destroy());
}

export interface Bounds {
  fairnessKey: string;
  isEvents: boolean;
  /** Throws if the chunk exceeds the limit. */
  countBytes(bytes: number): void;
}

async function* checkChunks(
  body: AsyncIterable<Buffer>,
  { fairnessKey, isEvents, countBytes }: Bounds,
) {
  const state: ScanState = { ...START, json: new StructureScan(STRUCTURE_LIMITS), isEvents };
  for await (const chunk of body) {
    countBytes(chunk.length);
    for (let start = 0; start < chunk.length;) {
      const end = scan(state, chunk, start);
      throwIfFault(state.json.fault);
      if (isEvents && state.lines > MAX_LINES) throwIfFault('marks');
      yield chunk.subarray(start, end);
      start = end;
      if (start < chunk.length) await nextTurn(fairnessKey);
    }
  }
}

/** Throws `ToolFailure` if a limit of the structure is exceeded. */
export function throwIfFault(fault: StructureFault | null): void {
  if (fault === 'levels') throw upstreamFailure('sent a response that is nested too deeply.');
  if (fault === 'shapes') throw upstreamFailure('sent a response with too many different objects.');
  if (fault === 'marks') throw upstreamFailure('sent a response with too many values.');
}

interface ScanState {
  json: StructureScan;
  isEvents: boolean;
  lines: number;
  /** Whether the byte before was a CR: an LF after it does not end another line. */
  isAfterCr: boolean;
  /** Bytes of the current line so far. */
  column: number;
  /** How many of them are the beginning of `data:`. */
  dataColumns: number;
}

const START = {
  lines: 0,
  isAfterCr: false,
  column: 0,
  dataColumns: 0,
};

/** Scans a chunk from `start`; of events at most the lines of one turn. Returns where it ended. */
function scan(state: ScanState, chunk: Buffer, start: number): number {
  const lastLine = state.isEvents ? state.lines + LINES_PER_TURN : Infinity;
  let at = start;
  while (at < chunk.length && state.lines < lastLine) {
    const byte = chunk[at]!;
    at += 1;
    if (byte === CR || byte === LF) {
      if (byte === CR || !state.isAfterCr) endLine(state);
    } else {
      if (state.dataColumns === state.column && byte === DATA[state.column]) state.dataColumns += 1;
      state.column += 1;
      // A bracket in a comment closes nothing.
      state.json.read(byte, !state.isEvents || state.dataColumns === DATA.length);
    }
    state.isAfterCr = byte === CR;
  }
  return at;
}

function endLine(state: ScanState): void {
  state.lines += 1;
  state.json.endLine();
  // An empty line ends an event.
  if (state.isEvents && state.column === 0) state.json.depth = 0;
  state.column = 0;
  state.dataColumns = 0;
}
