import type { ListQuery, ScimResponse, Selection } from './request.ts';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

type Resource = Readonly<Record<string, unknown>>;

/** Returns a page of a list. */
export const listResponse = (
  resources: readonly Resource[],
  total: number,
  { start }: Pick<ListQuery, 'start'>,
): ScimResponse => ({
  status: 200,
  body: {
    schemas: [LIST],
    totalResults: total,
    startIndex: start,
    itemsPerPage: resources.length,
    Resources: resources,
  },
});

const ALWAYS: ReadonlySet<string> = new Set(['id', 'schemas']);

/** Returns the attributes of a resource that a request asked for; `id` is always among them. */
export function select(resource: Resource, { only, without }: Selection): Resource {
  const kept = Object.entries(resource).filter(([name]) => {
    const key = name.toLowerCase();
    if (ALWAYS.has(key)) return true;
    if (only === null) return !without.includes(key);
    return only.some((one) => one === key || one.startsWith(`${key}.`));
  });
  return Object.fromEntries(kept);
}

/** Whether a response has an attribute, so that it must be read. */
export const isSelected = (name: string, { only, without }: Selection): boolean =>
  only === null
    ? !without.includes(name)
    : only.some((one) => one === name || one.startsWith(`${name}.`));

/** Leaves out what has no value, as SCIM demands. */
export const compact = (resource: Resource): Resource =>
  Object.fromEntries(
    Object.entries(resource).filter(([, value]) => value !== null && value !== undefined),
  );
