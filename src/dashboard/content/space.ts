import { createContext, use } from 'react';
import type { Place } from './family.ts';

export type Verb = 'create' | 'update' | 'delete' | 'promote';

/** A space whose content is shown: a person's own, an organization's or a team's. */
export interface Space {
  /** In an organization's own space, items can be for everyone. */
  isCatalog: boolean;
  /** Prefix of its routes in the REST API. */
  api: string;
  /** Prefix of the pages of the catalog that its items can be moved to; null if there is none. */
  catalog: string | null;
  /** Prefix of its pages. */
  pages: string;
  /** Returns the permission that is missing for an act on a family; null if it is held. */
  lacks(verb: Verb, place: Place): string | null;
}

/** The space of the pages below; pages of organizations and teams set their own. */
export const SpaceContext = createContext<Space>({
  isCatalog: false,
  api: '/api/me',
  catalog: null,
  pages: '/app',
  lacks: () => null,
});

export const useSpace = (): Space => use(SpaceContext);

/** Returns the address of a page of a space: that of a family, or of one of its items. */
export const addressOf = ({ pages }: Pick<Space, 'pages'>, place: Place, rest = ''): string =>
  `${pages}/${place}${rest === '' ? '' : `/${rest}`}`;
