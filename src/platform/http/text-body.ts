const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|yaml)\b)/i;
const JSON_TYPE = /^[^/;]+\/(?:[^;]+\+)?json\s*(?:;|$)/i;

/** Returns whether a content type is text that a person or a model can read. */
export const isTextType = (type: string): boolean => TEXT_TYPE.test(type);

export const isJsonType = (type: string): boolean => JSON_TYPE.test(type);

/** Decodes with the content type's charset, else as UTF-8; invalid bytes become U+FFFD. */
export function decodeText(body: Uint8Array, type: string): string {
  const label = /charset="?([\w.:-]{1,40})/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder('utf-8').decode(body);
  }
}
