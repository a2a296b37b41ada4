import { randomUUID } from 'node:crypto';
import { askAs } from '../../support/people/organizations.ts';
import type { Errors } from '../../support/people/organizations.ts';
import type { Answer, SendRequest, SignedUp } from '../../support/people/people.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { ask } from '../mcp/key-holder.ts';

export interface Key {
  id: string;
  secret: string;
  teams?: { name: string; available: boolean }[];
}

/** Returns functions that create, edit and use keys in organizations through one gateway. */
export function scopedKeys(gateway: () => Gateway) {
  return {
    /** Creates a key and returns the whole response. */
    create: (who: SignedUp, fields: Record<string, unknown>, path = '/api/keys') =>
      askAs<Key & Record<string, unknown>>(who, {
        path,
        body: { name: `key ${randomUUID()}`, mcp_capabilities: [], ...fields },
      }),
    edit: (who: SignedUp, id: string, body: object, path = '/api/keys') =>
      askAs<Key & Record<string, unknown>>(who, { method: 'PATCH', path: `${path}/${id}`, body }),
    /** Returns the status, and the code and pointer of each error in a response. */
    faults: ({ status, body }: Answer<Errors>) => [
      status,
      ...(body.errors ?? []).map(({ code, detail }) =>
        [code, (detail as { pointer?: string } | null)?.pointer].join(' ').trim(),
      ),
    ],
    /** Returns the outcome of calling a tool with a key: a status, or the code of the tool error. */
    async call(secret: string, name = 'calculator') {
      const headers = { 'x-api-key': secret };
      const { status, body } = await ask(`${gateway().url}/mcp`, headers, 'tools/call', {
        name,
        arguments: name === 'setup' ? { client: 'other' } : { expression: '1' },
      });
      return body.result?.structuredContent?.error?.code ?? status;
    },
    /** Sends a REST request with a key. */
    async rest(who: SignedUp, { secret }: Key, request: SendRequest) {
      const { bearer: _bearer, ...rest } = who;
      return askAs<Record<string, unknown>>(
        { ...rest, bearer: { 'x-api-key': secret } as never },
        request,
      );
    },
  };
}
