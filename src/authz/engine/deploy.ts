import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { OpenFgaClient } from '@openfga/sdk';
import { systemActor } from '../../caller/actor.ts';
import { scopeName } from '../../caller/scope.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import { createAppliers } from '../changes/apply.ts';
import { createEngine, createEngineClient } from './client.ts';
import type { Engine } from './client.ts';
import { DeploymentError, findDeployment, saveDeployment } from './deployment.ts';
import type { Deployment } from './deployment.ts';
import type { Projections } from '../changes/projections.ts';
import { compareScopes } from '../drift/scope-drift.ts';
import type { DriftDependencies } from '../drift/scope-drift.ts';
import { readFence } from '../changes/fence.ts';
import { hashModelFiles, loadModel, tupleModelOf } from './model.ts';
import {
  readLastFence,
  createScope,
  lockScope,
  raiseRevision,
  listScopesAfter,
} from '../changes/store.ts';
import { EPOCH_OBJECT, PLATFORM, platformTuples } from '../system-roles.ts';
import { beginLog, readTime } from '../foreign-writes/store.ts';
import { writeUnfenced } from '../foreign-writes/unfenced.ts';
import { difference, isEmpty, splitDelta } from '../tuple.ts';
import type { Tuple } from '../tuple.ts';

export interface OpenFgaAddress {
  apiUrl: string;
  apiToken: string | undefined;
  storeId: string;
}

export interface DeploymentOptions {
  log: Log;
  projections: Projections;
  rebuild?: boolean;
}

const APPLY_MS = 20_000;
const deadlineMs = 10_000;

/** Creates a store; used only by a local start and by tests. */
export async function createStore(address: Omit<OpenFgaAddress, 'storeId'>): Promise<string> {
  const client = createEngineClient({ ...address, storeId: '', modelId: '', deadlineMs });
  return (await client.createStore({ name: 'toolgate' })).id;
}

/**
 * Publishes the model of this code unless the store has it already, and writes the tuples that
 * every store has: everyone, the system roles, the epoch. If the model or a projection differs from
 * the last deployment, updates the tuples of every scope through the outbox. Safe to repeat; the
 * caller holds a lock. With `rebuild`, any store is accepted; the drift repair must then write its
 * tuples.
 */
export async function deployModel(
  database: Database,
  address: OpenFgaAddress,
  { log, projections, rebuild = false }: DeploymentOptions,
): Promise<void> {
  const before = await findDeployment(database.pool);
  const isOtherStore = before !== null && before.store_id !== address.storeId;
  if (isOtherStore && !rebuild && (await hasTenants(database)))
    throw new DeploymentError(
      `OPENFGA_STORE_ID is ${address.storeId}, but this database belongs to ` +
        `${before.store_id}. Set that one, or rewrite all tuples: toolgate drift --rebuild`,
    );
  throwIfOlderCode(before?.projections ?? {}, projections.versions);
  const sameStore = before?.store_id === address.storeId ? before : null;
  const hash = await hashModelFiles();
  const client = createEngineClient({ ...address, modelId: '', deadlineMs });
  const published = sameStore?.model_hash === hash ? await findModels(client, sameStore) : null;
  const models = published ?? (await publishModels(client));
  const engine = createEngine({ ...address, ...models, deadlineMs });
  await beginLog(database.pool, {
    store_id: address.storeId,
    begins_at: await readTime(database.pool),
    again: rebuild,
  });
  if (!rebuild) await writePlatform(database, engine, log);
  const isCurrent =
    published !== null && isDeepStrictEqual(sameStore?.projections, projections.versions);
  if (sameStore && !rebuild && !isCurrent) await backfill({ database, engine, projections, log });
  const epoch = (rebuild ? null : sameStore?.epoch) ?? randomUUID();
  await writeEpoch(database, engine, epoch);
  await saveDeployment(database.pool, {
    store_id: address.storeId,
    model_id: models.modelId,
    tuple_model_id: models.tupleModelId,
    model_hash: hash,
    epoch,
    projections: projections.versions,
  });
}

type Versions = Readonly<Record<string, number>>;

/** Throws if this code is older than the deployed one: it would delete tuples it does not know. */
function throwIfOlderCode(deployed: Versions, current: Versions): void {
  for (const [type, version] of Object.entries(deployed))
    if (version > (current[type] ?? 0))
      throw new DeploymentError(
        `OpenFGA has version ${version} of the tuples of ${type}, but this code ` +
          `${current[type] === undefined ? 'does not know them' : `writes version ${current[type]}`}. ` +
          'Run the migration of the newest release.',
      );
}

/** Makes the tuples of every scope match its rows; throws if a scope could not be updated. */
async function backfill(dependencies: DriftDependencies): Promise<void> {
  const failedScopes: string[] = [];
  const scopes = compareScopes(dependencies, {
    repair: true,
    reason: 'deploy',
    actor: systemActor,
    changed: (scope) => void failedScopes.push(scopeName(scope)),
  });
  for await (const { scope, repaired, unregistered } of scopes)
    if (!repaired && unregistered === undefined) failedScopes.push(scope);
  if (failedScopes.length > 0)
    throw new DeploymentError(
      `The tuples of ${failedScopes.length} scopes, such as ${failedScopes[0]}, could not be written to OpenFGA. Try again.`,
    );
}

interface Models {
  modelId: string;
  tupleModelId: string;
}

/** Publishes both models, the whole one last: tools without a model id use the latest. */
async function publishModels(client: OpenFgaClient): Promise<Models> {
  const model = await loadModel();
  const publish = async (one: typeof model) =>
    (await client.writeAuthorizationModel(one)).authorization_model_id;
  const tupleModelId = await publish(tupleModelOf(model));
  return { modelId: await publish(model), tupleModelId };
}

/** Returns the models of a deployment if the store has them. */
async function findModels(
  client: OpenFgaClient,
  { model_id: modelId, tuple_model_id: tupleModelId }: Deployment,
): Promise<Models | null> {
  if (tupleModelId === null) return null;
  const exist = await Promise.all([modelId, tupleModelId].map((id) => modelExists(client, id)));
  return exist.every(Boolean) ? { modelId, tupleModelId } : null;
}

async function modelExists(client: OpenFgaClient, id: string): Promise<boolean> {
  try {
    const found = await client.readAuthorizationModel({ authorizationModelId: id });
    return found.authorization_model !== undefined;
  } catch {
    return false;
  }
}

async function hasTenants(database: Database): Promise<boolean> {
  const scopes = await listScopesAfter(database.pool, null, 2);
  return scopes.some((scope) => scope.kind !== 'platform');
}

/** Writes the platform's tuples through its own outbox and fence, like those of other scopes. */
async function writePlatform(database: Database, engine: Engine, log: Log): Promise<void> {
  const appliers = createAppliers({ database, engine, log });
  await appliers.apply(PLATFORM, APPLY_MS);
  const expected = platformTuples();
  const storedTuples: Tuple[] = [];
  for (const object of new Set(expected.map((tuple) => tuple.object)))
    storedTuples.push(...(await engine.read(object)));
  const delta = difference(storedTuples, expected);
  const fence = await readFence(engine, PLATFORM);
  await database.transaction(async (transaction) => {
    await createScope(transaction, PLATFORM);
    const locked = await lockScope(transaction, PLATFORM);
    if (fence !== (await readLastFence(transaction, PLATFORM)))
      throw new DeploymentError(
        'OpenFGA and this database do not match: one of them was restored or emptied. ' +
          'Run: toolgate drift --rebuild',
      );
    if (!isEmpty(delta))
      await raiseRevision(transaction, locked, splitDelta(delta), {
        actor: systemActor,
        reason: 'deploy',
        model_id: engine.tupleModelId,
      });
  });
  if (!(await appliers.apply(PLATFORM, APPLY_MS)))
    throw new DeploymentError('OpenFGA rejected the system roles. Check its log and try again.');
}

async function writeEpoch(database: Database, engine: Engine, epoch: string): Promise<void> {
  const expected = [{ user: `revision:${epoch}`, relation: 'epoch', object: EPOCH_OBJECT }];
  const delta = difference(await engine.read(EPOCH_OBJECT), expected);
  if (isEmpty(delta)) return;
  if ((await writeUnfenced(database.pool, engine, delta)) !== 'written')
    throw new DeploymentError('OpenFGA rejected the epoch. Check its log and try again.');
}
