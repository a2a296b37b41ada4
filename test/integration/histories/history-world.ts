import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { createLinks, underFaults } from '../../support/histories/nemesis.ts';
import { createRandom, newSeed } from '../../support/histories/random.ts';
import type { Random } from '../../support/histories/random.ts';
import { explainHistory } from '../../support/histories/switches.ts';
import type { SwitchAct, SwitchOperation, Switches } from '../../support/histories/switches.ts';
import { createJoins, driftOf } from '../../support/people/organizations.ts';
import { createPerson } from '../../support/people/people.ts';
import type { SendRequest, SignedUp } from '../../support/people/people.ts';
import { createWorld } from '../../support/worlds/world.ts';
import type { Gateway } from '../../support/worlds/world.ts';
import { manyGateways, smallCatalog } from '../properties/agents-reach.ts';
import { ask } from '../mcp/key-holder.ts';
import type { AnswerBody } from '../mcp/key-holder.ts';

/** What a client does in one turn, at some gateway. */
export type Client = (gateway: Gateway, random: Random) => Promise<void>;

export interface Plan {
  initial: Switches;
  /** The switches of each object; see `explainHistory`. */
  partitions?(): readonly (readonly string[])[];
  /** Clients that change something, each in so many turns. */
  changes: readonly Client[];
  turns: number;
  /** An act that must be allowed at least once. Up to 100 more turns are taken until it is. */
  mustAllow?: string;
  /** Clients that only use what the others change, until those are done. */
  uses: readonly Client[];
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 40;
const MORE_TURNS = 100;

/** Starts two gateways, each with a proxy in front of each of its servers. */
export async function createHistoryWorld() {
  const world = await createWorld(manyGateways);
  const all = [await createLinks(world.env), await createLinks(world.env)] as const;
  const start = ({ env }: (typeof all)[number]) =>
    world.gateway({ env, overrides: { catalog: smallCatalog } });
  const gateways = [await start(all[0]), await start(all[1])] as const;
  const joins = await createJoins(gateways[0]);
  const history: SwitchOperation[] = [];

  /** Runs an operation and records it with its outcome. */
  async function record(act: SwitchAct, send: () => Promise<Outcome>): Promise<void> {
    const from = performance.now();
    const outcome = await send();
    const to = performance.now();
    const isRefused = typeof outcome === 'string';
    const what = isRefused ? `${act.what}: ${outcome}` : act.what;
    history.push({ act: { ...act, what }, from, to, result: isRefused ? false : outcome });
  }

  return {
    ...{ world, gateways, joins, record },
    /** The proxy between the first gateway and PostgreSQL. */
    postgres: all[0].links.postgres,
    /** Records several operations that one request answers together, each by its own result. */
    async recordAll(acts: readonly SwitchAct[], send: () => Promise<readonly (boolean | null)[]>) {
      const from = performance.now();
      const results = await send();
      const to = performance.now();
      for (const [index, act] of acts.entries())
        history.push({ act, from, to, result: results[index]! });
    },
    /**
     * Runs the clients concurrently under faults, and checks the history they leave. Afterwards the
     * tuples must match the rows.
     */
    async check({ initial, partitions, changes, turns, mustAllow, uses }: Plan): Promise<void> {
      const seed = newSeed();
      const where = `TEST_SEED=${seed}`;
      const random = createRandom(seed);
      const faults = random.fork();
      const changing = changes.map((client) => ({ client, own: random.fork() }));
      const using = uses.map((client) => ({ client, own: random.fork() }));
      history.length = 0;
      const isAllowed = (what: string) =>
        history.some(({ act, result }) => result === true && act.what === what);
      const isComplete = () => mustAllow === undefined || isAllowed(mustAllow);
      const links = all.map((one) => one.links);
      const injected = await underFaults(links, faults, () => {
        let left = changing.length;
        return Promise.all([
          ...changing.map(async ({ client, own }) => {
            for (let turn = 0; turn < turns + (isComplete() ? 0 : MORE_TURNS); turn += 1)
              await client(own.one(gateways), own);
            left -= 1;
          }),
          ...using.map(async ({ client, own }) => {
            // Once more after the last change.
            for (let isLast = false; !isLast;) {
              isLast = left === 0;
              await client(own.one(gateways), own);
              await pause(own.below(PAUSE_MS));
            }
          }),
        ]);
      });
      expect(explainHistory(initial, history, partitions?.()), where).toBe(null);
      const results = new Set(history.map(({ result }) => result));
      expect([...results], `${where} allowed, refused and lost`).toContain(true);
      expect(results.has(false), `${where} refused`).toBe(true);
      expect(injected.length, where).toBeGreaterThan(0);
      await expect
        .poll(() => driftOf(gateways[0]), { timeout: PATIENCE_MS, message: where })
        .toEqual([]);
      expect(isComplete(), `${where} ${mustAllow} allowed`).toBe(true);
    },
    async close() {
      await joins.close();
      await world.close();
      for (const { close } of all) await close();
    },
  };
}

/** Sends a request once: a retry could hide that the first one succeeded. */
export const sendOnce = async <Body>(
  { person, bearer }: SignedUp,
  { url }: Gateway,
  request: SendRequest,
) => createPerson(url, person.address).ask<Body>({ ...request, headers: bearer });

/** Whether an operation was allowed, or why it was refused; null if neither is known. */
type Outcome = boolean | string | null;

/** Returns null for an answer after which the change may be saved or not. */
function outcomeOf({ status, body }: { status: number; body: unknown }): Outcome {
  if (status < 300) return true;
  if (status >= 500) return null;
  if ([403, 404, 409, 422].includes(status)) return `${status} ${JSON.stringify(body)}`;
  throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Sends a request once and returns whether it was allowed. */
export const attempt = async (who: SignedUp, gateway: Gateway, request: SendRequest) =>
  outcomeOf(await sendOnce(who, gateway, request));

const REFUSED = new Set([-32601, -32602, 'capability_denied', 'tool_not_permitted']);

/** Asks with a key; the result is null if the key is refused, undefined in an outage. */
export async function askWith(
  { secret }: { secret: string },
  { url }: Gateway,
  method: string,
  params: { name?: string; [field: string]: unknown } = {},
): Promise<AnswerBody['result'] | null | undefined> {
  const { status, body } = await ask(`${url}/mcp`, { 'x-api-key': secret }, method, params);
  // A person who is no longer a member learns so by a 404 (A6).
  if (status === 401 || status === 404) return null;
  if (status === 503 || body.error?.code === -32603) return undefined;
  const code = body.error?.code ?? body.result?.structuredContent?.error?.code;
  if (code !== undefined && REFUSED.has(code)) return null;
  if (status === 200 && body.error === undefined && body.result.isError !== true)
    return body.result;
  throw new Error(`${method}: ${status} ${JSON.stringify(body)}`);
}
