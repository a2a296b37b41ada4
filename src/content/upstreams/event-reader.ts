import { MAX_LINES, throwIfFault } from './structure-limit.ts';

const [LF, CR, SPACE, COLON] = [0x0a, 0x0d, 0x20, 0x3a];
const BOM = Buffer.from('\u{feff}');
const NONE = Buffer.alloc(0);

/** Reads the messages of an event stream as its bytes arrive. */
export class EventReader {
  /** Id of the last event that had one, from which the stream can be resumed. */
  lastEventId: string | undefined;
  readonly #onMessage: (data: Buffer) => void;
  /** The beginning of a line whose end has not arrived; joined once, however many chunks it has. */
  #begun: Buffer[] = [];
  #lines = 0;
  #isAfterCr = false;
  #data: Buffer[] = [];
  #isMessage = true;

  constructor(onMessage: (data: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  /** Throws `ToolFailure` beyond `MAX_LINES`. */
  read(chunk: Buffer): void {
    let at = this.#isAfterCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.#isAfterCr = false;
    let cr = indexOrEnd(chunk, CR, at);
    while (at < chunk.length) {
      if (cr < at) cr = indexOrEnd(chunk, CR, at);
      const end = Math.min(cr, indexOrEnd(chunk, LF, at));
      const part = chunk.subarray(at, end);
      if (end === chunk.length) return void this.#begun.push(part);
      const line = this.#begun.length === 0 ? part : Buffer.concat([...this.#begun, part]);
      this.#begun = [];
      this.#endLine(line);
      at = end + 1;
      if (chunk[end] !== CR) continue;
      if (at === chunk.length) this.#isAfterCr = true;
      else if (chunk[at] === LF) at += 1;
    }
  }

  #endLine(line: Buffer): void {
    this.#lines += 1;
    if (this.#lines > MAX_LINES) throwIfFault('marks');
    if (line.length === 0) return this.#endEvent();
    const start = this.#lines === 1 && line.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
    const colon = indexOrEnd(line, COLON, start);
    const valueStart = line[colon + 1] === SPACE ? colon + 2 : colon + 1;
    const value = line.subarray(Math.min(valueStart, line.length));
    const field = line.toString('latin1', start, colon);
    if (field === 'data') this.#data.push(value);
    else if (field === 'id' && value.length > 0) this.lastEventId = value.toString();
    else if (field === 'event') this.#isMessage = ['', 'message'].includes(value.toString());
  }

  #endEvent(): void {
    const [first = NONE, ...more] = this.#data;
    const isMessage = this.#isMessage;
    this.#data = [];
    this.#isMessage = true;
    const data = more.length === 0 ? first : joined([first, ...more]);
    if (isMessage && data.length > 0) this.#onMessage(data);
  }
}

/** Joins the data of several lines, which is rare. */
const joined = (lines: readonly Buffer[]) =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.of(LF)])).subarray(0, -1);

function indexOrEnd(bytes: Buffer, byte: number, start: number): number {
  const index = bytes.indexOf(byte, start);
  return index === -1 ? bytes.length : index;
}
