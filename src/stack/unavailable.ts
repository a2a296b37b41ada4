/** A stack that cannot be: its message is the one line a person needs, without a trace. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}
