import { RequestError } from '../api/request.ts';

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

/** Reads JSON that was typed. Throws for its field what the service could not be sent. */
export function jsonOf(text: string, pointer: string, message: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(422, [{ code: 'invalid_body', message, detail: { pointer } }], null);
  }
}
