import { lazyRouteComponent } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { whenOnline } from '../api/when-online.ts';
import type { Area } from '../texts/english.ts';
import { loadTexts } from '../texts/texts.ts';

/**
 * Returns a function that loads a page when it is first opened, together with the texts of these
 * areas:
 *
 *     const page = pagesWith('keys');
 *     component: page(() => import('./keys-page.tsx'), 'KeysPage')
 */
export const pagesWith =
  (...areas: Area[]) =>
  <Name extends string>(load: () => Promise<Record<Name, () => ReactNode>>, name: Name) =>
    lazyRouteComponent<Record<Name, () => ReactNode>, Name>(async () => {
      const [pages] = await whenOnline(() => Promise.all([load(), loadTexts(areas)]));
      return pages;
    }, name);
