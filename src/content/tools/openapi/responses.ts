import { toJsonPointer } from '../../../platform/json/json-pointer.ts';
import { isTextType } from '../../../platform/http/text-body.ts';
import { recordOf, resolveRef } from './document.ts';
import type { Operation } from './document.ts';

/** Warns if a successful response has only media types that a tool cannot return. */
export function checkResponses({ document, operation, pathPointer, key, warn }: Operation): void {
  for (const [status, value] of Object.entries(recordOf(operation['responses']))) {
    if (!/^2(?:\d\d|XX)$/i.test(status)) continue;
    const types = Object.keys(recordOf(resolveRef(document, value)['content']));
    if (types.length === 0 || types.some((type) => type.includes('*') || isTextType(type)))
      continue;
    warn(
      'unsupported_response',
      `The response is ${types[0]!.slice(0, 100)}, which a tool cannot return: it must be text or JSON.`,
      `${pathPointer}${toJsonPointer([key, 'responses', status])}`,
    );
  }
}
