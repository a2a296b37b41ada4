import { createDecryptedCache } from '../../platform/decrypted-cache.ts';
import type { Queryable, Transaction } from '../../platform/postgres/database.ts';
import type { Problem } from '../../platform/errors/refusal.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Draft, MovedItem, SavedItem } from '../items/kind.ts';
import { secretPlacesOf, secretsOf } from './http-problems.ts';
import { SecretForms } from './redaction.ts';
import type { HttpContent, HttpTemplate } from './schema.ts';
import {
  dropOtherSecrets,
  readAllSecrets,
  readSecretNames,
  readSecrets,
  toolSecrets,
  writeSecret,
} from './store.ts';

/** The tool that the secrets belong to. */
export interface ToolRef {
  space_id: string;
  id: string;
}

const { label, ownerOf } = toolSecrets;

/** Decrypted secrets by name, and what a server may repeat them as. */
export interface OpenedSecrets {
  values: ReadonlyMap<string, string>;
  forms: SecretForms;
}

export const openedSecrets = (values: ReadonlyMap<string, string>): OpenedSecrets => ({
  values,
  forms: new SecretForms(values.values()),
});

const NO_SECRETS = openedSecrets(new Map());

/**
 * Manages the secrets of custom tools. They are write-only, and bound to the origin they may be
 * sent to and to their place in the request: a person who may change a tool but does not know its
 * secret can neither redirect the secret to their own server nor move it to where the tool's own
 * server shows it, such as into the text of a message.
 */
export function createToolSecrets(secrets: Pick<Secrets, 'encrypt' | 'decrypt'>) {
  const readDecrypted = createDecryptedCache<OpenedSecrets>();
  return {
    /**
     * Returns the secrets that are set for the tool's current origin. `ref` is the tool as the
     * caller's request read it; as long as that is the same object, they are read only once.
     */
    async read(db: Queryable, ref: ToolRef, http: HttpTemplate): Promise<OpenedSecrets> {
      const names = new Set(secretsOf(http));
      if (names.size === 0) return NO_SECRETS;
      return readDecrypted(ref.id, ref, async () => {
        const origin = originOf(http);
        const rows = await readSecrets(db, ref, origin);
        const values = new Map<string, string>();
        for (const { name, sealed } of rows)
          if (names.has(name)) {
            const owner = ownerOf({ ...ownerRef(ref), origin, name });
            values.set(name, secrets.decrypt(label, owner, sealed));
          }
        return { value: openedSecrets(values), size: sizeOf(values) };
      });
    },

    /** Returns the names of the secrets set for the tool's current origin, and the missing ones. */
    async names(db: Queryable, ref: ToolRef, http: HttpTemplate) {
      const usedNames = secretsOf(http);
      const rows = usedNames.length === 0 ? [] : await readSecretNames(db, ref, originOf(http));
      const stored = new Set(rows);
      return {
        set: usedNames.filter((name) => stored.has(name)),
        missing: usedNames.filter((name) => !stored.has(name)),
      };
    },

    /** Binds the secrets of a tool to the space that it moves to. */
    async move(transaction: Transaction, { id, from, to }: MovedItem): Promise<void> {
      for (const { name, origin, sealed } of await readAllSecrets(transaction, {
        id,
        space_id: from,
      })) {
        const ownerIn = (space_id: string) =>
          ownerOf({ ...ownerRef({ id, space_id }), origin, name });
        const value = secrets.decrypt(label, ownerIn(from), sealed);
        const moved = { name, origin, sealed: secrets.encrypt(label, ownerIn(to), value) };
        await writeSecret(transaction, { id, space_id: to }, moved);
      }
    },

    /**
     * Saves the secrets of a draft, in the transaction of the tool itself, and deletes those that
     * the template no longer uses, or uses in another place than the content that it replaces.
     */
    async save(
      transaction: Transaction,
      tool: SavedItem<HttpContent>,
      replaced: HttpContent | null,
    ): Promise<void> {
      const { http } = tool.content;
      const sent = Object.entries(tool.secrets ?? {});
      const removed = new Set(sent.filter(([, value]) => value === null).map(([name]) => name));
      const keptNames = secretsOf(http).filter(
        (name) =>
          !removed.has(name) && replaced !== null && hasSamePlaces(name, replaced.http, http),
      );
      await dropOtherSecrets(transaction, tool, keptNames);
      const origin = originOf(http);
      for (const [name, value] of sent) {
        if (value === null) continue;
        const sealed = secrets.encrypt(label, ownerOf({ ...ownerRef(tool), origin, name }), value);
        await writeSecret(transaction, tool, { name, origin, sealed });
      }
    },
  };
}

export type ToolSecrets = ReturnType<typeof createToolSecrets>;

/** Returns a problem for each secret that the request does not use, which is most likely a typo. */
export function secretProblems({ content, secrets = {} }: Draft<HttpContent>): Problem[] {
  const usedNames = new Set(secretsOf(content.http));
  return Object.entries(secrets)
    .filter(([name, value]) => value !== null && !usedNames.has(name))
    .map(([name]) => ({
      code: 'unknown_secret',
      message: `The request does not use {{secret.${name}}}.`,
      detail: { pointer: `/secrets/${name}` },
    }));
}

// Each secret has some twenty forms.
const sizeOf = (values: ReadonlyMap<string, string>) =>
  values.values().reduce((size, { length }) => size + 20 * length, 0);

const hasSamePlaces = (secret: string, before: HttpTemplate, after: HttpTemplate) =>
  secretPlacesOf(before, secret) === secretPlacesOf(after, secret);

const ownerRef = ({ space_id, id }: ToolRef) => ({ space_id, item_id: id });

const originOf = ({ url }: HttpTemplate) => new URL(url.replaceAll(/[{}]/g, '')).origin;
