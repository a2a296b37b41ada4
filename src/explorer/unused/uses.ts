import { grantName, scopeOfCapability } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { Log } from '../../platform/observability/log.ts';
import { saveUses, sweepUses } from './store.ts';
import type { Use } from './store.ts';

const FLUSH_MS = 1_000;
const SWEEP_MS = 3_600_000;
/** Pairs that are known to be saved today, or wait to be; beyond that, uses are saved again. */
const MAX_KNOWN = 100_000;
const MAX_BATCH = 1_000;

/** Of a principal: enough to know the credential, and the organization that it acts in. */
export interface UsingCaller {
  subject: string;
  scopes: readonly { kind: string; id: string }[];
}

/** An item that a call ran. */
export interface UsedItem {
  name: string;
  origin: string;
  family?: 'tool' | 'prompt' | 'resource' | 'agent';
  requires?: { capability?: Capability; permission?: string };
}

export type PermissionUses = ReturnType<typeof createPermissionUses>;

/**
 * Records which permissions and capabilities credentials use in organizations, at most once a day for each:
 * in memory first, so that no request waits for it.
 */
export function createPermissionUses({ pool, log }: { pool: Queryable; log: Log }) {
  let known = new Set<string>();
  let day = today();
  let waiting: Use[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sweepTimer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  function record({ credential_id, organization_id, permission }: Omit<Use, 'last_used_on'>): void {
    const now = today();
    if (now !== day || known.size >= MAX_KNOWN) known = new Set();
    day = now;
    const key = `${credential_id} ${organization_id} ${permission}`;
    if (known.has(key)) return;
    known.add(key);
    waiting.push({ credential_id, organization_id, permission, last_used_on: now });
  }

  async function saveWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      try {
        await saveUses(pool, batch);
      } catch (error) {
        log.warn(
          { err: error },
          'uses of permissions could not be saved; next attempt in a second',
        );
        if (waiting.length < MAX_KNOWN) waiting.unshift(...batch);
        return;
      }
    }
  }

  /** Saves what has been recorded; never rejects. */
  function flush(): Promise<void> {
    flushing = flushing.then(saveWaiting);
    return flushing;
  }

  return {
    /** Records the relations of an object that a caller was allowed. */
    recordAllowed(caller: UsingCaller, object: string, relations: readonly string[]): void {
      const used = credentialIn(caller);
      const on = contextOf(object);
      if (used === null || on === null) return;
      for (const relation of relations) {
        const permission = grantName(on, relation.replace(/^can_/, ''));
        if (permission !== null) record({ ...used, permission });
      }
    },
    /** Records what a call over MCP needed. */
    recordCall(caller: UsingCaller, item: UsedItem): void {
      const used = credentialIn(caller);
      if (used === null) return;
      for (const permission of neededBy(item)) record({ ...used, permission });
    },
    flush,
    start() {
      timer ??= setInterval(() => void flush(), FLUSH_MS).unref();
      sweepTimer ??= setInterval(
        () =>
          void sweepUses(pool).catch((error: unknown) =>
            log.warn({ err: error }, 'sweep of the uses of permissions failed'),
          ),
        SWEEP_MS,
      ).unref();
    },
    async stop() {
      clearInterval(timer);
      clearInterval(sweepTimer);
      await flush();
    },
  };
}

const today = () => new Date().toISOString().slice(0, 10);

/** Returns the credential and its organization; null for a session, and outside organizations. */
function credentialIn({ subject, scopes }: UsingCaller) {
  const [type, credential_id = ''] = subject.split(':', 2);
  const organization_id = scopes.find(({ kind }) => kind === 'organization')?.id;
  return type === 'user' || organization_id === undefined
    ? null
    : { credential_id, organization_id };
}

function contextOf(object: string): 'organization' | 'team' | null {
  if (object.startsWith('team_seat:')) return 'team';
  return /^(?:membership|service):/.test(object) ? 'organization' : null;
}

/** System tools that read the agents a credential may act as. */
const READS_AGENTS = new Set(['bootstrap', 'agent_context']);
const capabilityOf = {
  tool: 'tools',
  prompt: 'prompts',
  resource: 'resources',
  agent: 'agents',
} as const;

/** Returns the permission and the capabilities that an item's use needs. */
function neededBy({ name, origin, family, requires }: UsedItem): string[] {
  const agents = origin === 'system' && READS_AGENTS.has(name);
  const needed: readonly (Capability | undefined)[] = [
    family && capabilityOf[family],
    requires?.capability,
    ...(agents ? (['agents'] as const) : []),
  ];
  // Over MCP, only items of teams need a permission.
  const permission = requires?.permission && grantName('team', relationOf(requires.permission));
  return [
    ...needed.flatMap((capability) => (capability ? scopeOfCapability(capability) : [])),
    ...(permission ? [permission] : []),
  ];
}

const relationOf = (relation: string) => relation.replace(/^can_/, '');
