import type { Queryable } from '../../platform/postgres/database.ts';
import type { ItemRecord } from '../items/records.ts';
import type { Pins } from '../pins/pins.ts';
import { secretsOf } from './http-problems.ts';
import { httpAnnotationsOf } from './http-annotations.ts';
import type { ToolContent } from './schema.ts';
import type { ToolSecrets } from './secrets.ts';

export interface RecordsDependencies {
  secrets: Pick<ToolSecrets, 'names'>;
  pins: Pick<Pins, 'find' | 'quarantinedItems'>;
  pool: Queryable;
}

export const annotationsOf = (content: ToolContent) =>
  content.kind === 'http' ? httpAnnotationsOf(content) : content.annotations;

/** Formats custom tools for API responses. */
export function createToolRecords({ secrets, pins, pool }: RecordsDependencies) {
  return {
    /** Adds the names of the secrets that are set and missing, or the quarantine. */
    async complete(space_id: string, record: ItemRecord): Promise<ItemRecord> {
      const { id } = record;
      const content = contentOf(record);
      if (content.kind === 'mcp') {
        const { found = null, held_at } = (await pins.find(space_id, id)) ?? {};
        return { ...withAnnotations(record), held: found === null ? null : { found, held_at } };
      }
      const { set, missing } = await secrets.names(pool, { space_id, id }, content.http);
      return { ...withAnnotations(record), secrets: set, missing_secrets: missing };
    },

    exportRecord(record: ItemRecord): ItemRecord {
      const content = contentOf(record);
      const secretNames = content.kind === 'http' ? { secrets: secretsOf(content.http) } : {};
      return { ...withAnnotations(record), ...secretNames };
    },

    /** Formats a tool for agents, which never see quarantined tools. */
    listed: (record: ItemRecord) => withQuarantine(record, null),

    /** Formats tools for people, who have to approve the quarantined ones. */
    async forPeople(space_id: string, records: readonly ItemRecord[]): Promise<ItemRecord[]> {
      const quarantines = records.some(isOfUpstream)
        ? await pins.quarantinedItems(pool, space_id)
        : NO_QUARANTINES;
      return records.map((record) => withQuarantine(record, quarantines.get(record.id) ?? null));
    },
  };
}

const NO_QUARANTINES: ReadonlyMap<string, string> = new Map();

const isOfUpstream = (record: ItemRecord) => contentOf(record).kind === 'mcp';

const withQuarantine = (record: ItemRecord, held_at: string | null): ItemRecord => ({
  ...withoutDeadline(record),
  ...(isOfUpstream(record) ? { held: held_at === null ? null : { held_at } } : {}),
});

const contentOf = (record: ItemRecord) => record as unknown as ToolContent;

/** Adds default annotations, as lists do. */
const withAnnotations = (record: ItemRecord): ItemRecord => ({
  ...withoutDeadline(record),
  annotations: annotationsOf(contentOf(record)),
});

function withoutDeadline({ id, version, timeout_ms: _deadline, ...rest }: ItemRecord): ItemRecord {
  return { id, version, ...rest };
}
