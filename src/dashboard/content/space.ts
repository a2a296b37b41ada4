import { createContext, use } from 'react';
import type { Place } from './family.ts';

/** A space whose content is shown: a person's own, an organization's or a team's. */
export interface Space {
  /** Prefix of its routes in the REST API. */
  api: string;
  /** Prefix of its pages. */
  pages: string;
}

/** The space of the pages below; pages of organizations and teams set their own. */
const SpaceContext = createContext<Space>({ api: '/api/me', pages: '/app' });

export const useSpace = (): Space => use(SpaceContext);

/** Returns the address of a page of a space: that of a family, or of one of its items. */
export const addressOf = ({ pages }: Space, place: Place, rest = ''): string =>
  `${pages}/${place}${rest === '' ? '' : `/${rest}`}`;
