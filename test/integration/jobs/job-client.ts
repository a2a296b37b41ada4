import { expect } from 'vitest';
import type { Job as JobRecord } from '../../../src/jobs/schema.ts';
import { openEvents } from '../../support/clients/event-stream.ts';
import { createPerson } from '../../support/people/people.ts';
import type { Answer, SignedUp } from '../../support/people/people.ts';
import type { Gateway, World } from '../../support/worlds/world.ts';
import { fileWith, importPath, prompt } from '../space-file/space-world.ts';

export type Job = JobRecord & { errors: { code: string; message: string }[] | null };
type Errors = { errors: { code: string; message: string }[] };
type Credential = Record<string, string>;

const ASYNC = { prefer: 'respond-async' };
export const namesOf = (count: number, name = 'p') =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);
export const promptsFile = (count: number, name?: string) =>
  fileWith({ prompts: namesOf(count, name).map((one) => prompt(one)) });

/** Uses a gateway with one credential. */
export function createJobClient({ url }: Pick<Gateway, 'url'>, credential: Credential) {
  const person = createPerson(url);
  const ask = <Body>(
    path: string,
    more: { method?: string; body?: object; headers?: Credential } = {},
  ) => person.ask<Body>({ path, ...more, headers: { ...credential, ...more.headers } });
  const jobAt = async (id: string) => (await ask<Job>(`/api/jobs/${id}`)).body;
  return {
    ask,
    jobAt,
    /** Starts a job; returns the response. */
    begin: (body: object, path = importPath): Promise<Answer<Job & Errors>> =>
      ask(path, { body, headers: ASYNC }),
    cancel: (id: string): Promise<Answer<Job & Errors>> =>
      ask(`/api/jobs/${id}`, { method: 'DELETE' }),
    list: async (query = '') =>
      (await ask<{ data: Job[]; next_cursor: string | null }>(`/api/jobs${query}`)).body,
    /** Returns the job once it has ended. */
    async ended(id: string): Promise<Job> {
      await expect
        .poll(async () => (await jobAt(id)).state, { timeout: 30_000, interval: 50 })
        .not.toBe('running');
      return jobAt(id);
    },
    /** Returns the job once a step of it is done. */
    async underWay(id: string, steps = 1): Promise<Job> {
      await expect
        .poll(async () => (await jobAt(id)).done, { timeout: 30_000, interval: 20 })
        .toBeGreaterThanOrEqual(steps);
      return jobAt(id);
    },
    /** Resolves once a job has saved some changes. */
    async saving(id: string, changes: number): Promise<void> {
      await expect
        .poll(async () => (await jobAt(id)).saved, { timeout: 30_000, interval: 20 })
        .toBeGreaterThanOrEqual(changes);
    },
    /** Opens the stream of a job's events. */
    watch: (id: string) => openEvents<Job & Errors>(`${url}/api/jobs/${id}/events`, credential),
  };
}
export type JobClient = ReturnType<typeof createJobClient>;

/** Makes each saved item take some milliseconds. */
export async function slowItems(world: World, ms: number): Promise<void> {
  await world.query(`
    CREATE OR REPLACE FUNCTION slow_item() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(${ms / 1_000}); RETURN NEW; END'`);
  await world.query(`CREATE OR REPLACE TRIGGER slow_item BEFORE INSERT ON item
    FOR EACH ROW EXECUTE FUNCTION slow_item()`);
}

/** Returns the names of a person's prompts. */
export async function promptsOf(client: JobClient): Promise<string[]> {
  const { body } = await client.ask<{ data: { name: string }[] }>('/api/me/prompts?limit=200');
  return body.data.map(({ name }) => name);
}

export const clientOf = (gateway: Gateway, who: SignedUp) => createJobClient(gateway, who.bearer);
