import { request } from './request.ts';

/** The longest page that the service returns. */
const LIMIT = '200';

interface ListPage<Entry> {
  data: Entry[];
  next_cursor: string | null;
}

/** Reads every page of a list that the service bounds, such as the catalog. */
export async function readAll<Entry>(path: string, signal: AbortSignal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | null = null; ;) {
    // Lists that never have more than one page refuse both parameters.
    const query = cursor === null ? '' : `?${new URLSearchParams({ limit: LIMIT, cursor })}`;
    const page: ListPage<Entry> = await request(`${path}${query}`, { signal });
    entries.push(...page.data);
    if (page.next_cursor === null) return entries;
    cursor = page.next_cursor;
  }
}
