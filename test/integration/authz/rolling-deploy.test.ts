import { expect, test } from 'vitest';
import { createAppliers } from '../../../src/authz/changes/apply.ts';
import { createEngineClient } from '../../../src/authz/engine/client.ts';
import { lockScope, raiseRevision } from '../../../src/authz/changes/store.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { actor } from '../../support/worlds/authority.ts';
import { useAuthority } from './use-authority.ts';

const { deployment, authority } = await useAuthority();
const appliers = createAppliers({ ...authority, log: createLog('silent') });

/** Publishes this code's model with one more relation, as a later version would. */
async function publishLaterModel(): Promise<string> {
  const { schema_version, type_definitions, conditions } = await authority.engine.readModel();
  const client = createEngineClient({
    ...deployment.openfga,
    modelId: '',
    // The deadline that deployments use when they publish models.
    deadlineMs: 10_000,
  });
  const later = await client.writeAuthorizationModel({
    schema_version,
    ...(conditions === undefined ? {} : { conditions }),
    type_definitions: type_definitions.map((definition) =>
      definition.type === 'account'
        ? {
            ...definition,
            relations: { ...definition.relations, later: { this: {} } },
            metadata: {
              ...definition.metadata,
              relations: {
                ...definition.metadata?.relations,
                later: { directly_related_user_types: [{ type: 'api_key' }] },
              },
            },
          }
        : definition,
    ),
  });
  return later.authorization_model_id;
}

test('a gateway applies a change made for a newer model than its own', async () => {
  const account = await authority.addAccount();
  const key = await authority.addKey(account);
  const tuple = { user: `api_key:${key}`, relation: 'later', object: `account:${account}` };
  const model_id = await publishLaterModel();
  await authority.database.transaction(async (transaction) => {
    const locked = await lockScope(transaction, { kind: 'account', id: account });
    const parts = [{ deletes: [], writes: [tuple] }];
    await raiseRevision(transaction, locked, parts, { actor, reason: 'deploy', model_id });
  });

  // OpenFGA is slow when it first uses a model, and can exceed the timeout of a check.
  const applied = await appliers.apply({ kind: 'account', id: account }, 10_000);
  const { connected } = await authority.authz.context(await authority.caller(account, key));
  await authority.removeKey(account, key);
  const after = await authority.authz.context(await authority.caller(account, key));

  expect([applied, connected, after.connected]).toEqual([true, true, false]);
  expect(await authority.engine.read(tuple.object)).toContainEqual(tuple);
  expect((await authority.authz.backlog()).stuck).toBe(0);
});
