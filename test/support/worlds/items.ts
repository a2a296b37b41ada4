import type { SignedUp } from '../people/people.ts';

/** A family of user-defined items, as named in its REST path. */
export type ItemFamilyClient = 'prompts' | 'resources' | 'custom-tools' | 'agents';

/** Creates an item in the account's own space and returns its id. */
export async function createItem(
  { person, bearer }: SignedUp,
  family: ItemFamilyClient,
  body: object,
): Promise<string> {
  const created = await person.ask<{ id: string }>({
    path: `/api/me/${family}`,
    body,
    headers: bearer,
  });
  if (created.status !== 201) throw new Error(`${family}: ${JSON.stringify(created.body)}`);
  return created.body.id;
}

export async function deleteItem(
  { person, bearer }: SignedUp,
  family: ItemFamilyClient,
  id: string,
): Promise<null> {
  const path = `/api/me/${family}/${id}`;
  const deleted = await person.ask({ method: 'DELETE', path, headers: bearer });
  if (deleted.status !== 204) throw new Error(`${family}: ${JSON.stringify(deleted.body)}`);
  return null;
}
