import type { SubjectKind } from '../../explorer/schema.ts';
import { isId } from '../api/ids.ts';

/** Who or what may have access, as choices offer them. */
export const SUBJECT_KINDS = [
  ...(['member', 'key', 'organization_key', 'connection', 'client', 'role', 'team'] as const),
] satisfies readonly SubjectKind[];

/** Subjects that send requests; roles and teams only give access to those. */
export const CALLER_KINDS = SUBJECT_KINDS.slice(0, 5);

export const FAMILIES = ['tools', 'prompts', 'resources', 'agents'] as const;
export type Family = (typeof FAMILIES)[number];

/** A subject of a kind, once it is chosen. */
export interface SubjectChoice {
  kind?: SubjectKind;
  subject?: string;
}

/** A permission, of which those of teams may name one; or an item, by its id. */
export interface PowerChoice {
  about?: 'item';
  permission?: string;
  team?: string;
  family?: Family;
  item?: string;
}

export type ExplainSearch = SubjectChoice & PowerChoice;

/** Two subjects that are compared, or two reviews. */
export interface DiffSearch {
  of?: 'reviews';
  left_kind?: SubjectKind;
  left?: string;
  right_kind?: SubjectKind;
  right?: string;
}

const kindOf = (value: unknown): SubjectKind | undefined =>
  SUBJECT_KINDS.find((one) => one === value);

/** Leaves out what is not there, as the types of addresses demand. */
function present<Search extends object>(search: {
  [Name in keyof Search]: Search[Name] | undefined;
}): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  ) as Search;
}

export const subjectSearchOf = ({ kind, subject }: Record<string, unknown>): SubjectChoice =>
  present<SubjectChoice>({ kind: kindOf(kind), subject: isId(subject) ? subject : undefined });

const PERMISSION = /^can_[a-z_]{1,96}$/;

export function powerSearchOf(search: Record<string, unknown>): PowerChoice {
  const { about, permission, team, family, item } = search;
  return present<PowerChoice>({
    about: about === 'item' ? about : undefined,
    permission:
      typeof permission === 'string' && PERMISSION.test(permission) ? permission : undefined,
    team: isId(team) ? team : undefined,
    family: FAMILIES.find((one) => one === family),
    item: typeof item === 'string' && item !== '' ? item : undefined,
  });
}

export const explainSearchOf = (search: Record<string, unknown>): ExplainSearch => ({
  ...subjectSearchOf(search),
  ...powerSearchOf(search),
});

export const diffSearchOf = (search: Record<string, unknown>): DiffSearch =>
  present<DiffSearch>({
    of: search['of'] === 'reviews' ? 'reviews' : undefined,
    left_kind: kindOf(search['left_kind']),
    left: isId(search['left']) ? search['left'] : undefined,
    right_kind: kindOf(search['right_kind']),
    right: isId(search['right']) ? search['right'] : undefined,
  });
