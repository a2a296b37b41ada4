import type { Reply } from '../caller/route.ts';
import type { Secrets } from '../platform/secrets.ts';
import { sealedRequests } from './store.ts';
import type { RequestRow, StoredContent } from './store.ts';

/** A response, or what a creation saved: then `status` is missing. */
export interface Content {
  status?: number;
  headers?: Reply['headers'];
  body: Readonly<Record<string, unknown>>;
}

/** Converts between a request's content and what is stored of it. */
export function createContentCodec(secrets: Pick<Secrets, 'encrypt' | 'decrypt'>) {
  const { label, ownerOf } = sealedRequests;
  return {
    /** Separates the named secret fields of the body. */
    encode(id: string, content: Content, fields: readonly string[]): StoredContent {
      const isSecret = ([name, value]: [string, unknown]) => fields.includes(name) && value != null;
      const entries = Object.entries(content.body);
      const rest = { ...content, body: Object.fromEntries(entries.filter((e) => !isSecret(e))) };
      return {
        content: JSON.stringify(rest),
        sealed: entries.some(isSecret)
          ? secrets.encrypt(label, ownerOf({ id }), JSON.stringify(content))
          : null,
      };
    },
    /** Returns the content with its secrets, or without them if they are gone or unreadable. */
    decode(id: string, { content, sealed }: RequestRow & { content: string }): Content {
      return JSON.parse(sealed === null ? content : (open(id, sealed) ?? content)) as Content;
    },
  };

  function open(id: string, sealed: Buffer): string | null {
    try {
      return secrets.decrypt(label, ownerOf({ id }), sealed);
    } catch {
      // A key was removed from SECRETS_KEY_FALLBACKS; the operator's log has the reason.
      return null;
    }
  }
}
