import { createRoute } from '@tanstack/react-router';
import type { AnyRoute } from '@tanstack/react-router';
import { pagesWith } from '../frame/pages-with.ts';
import { app } from '../frame/routes.tsx';
import { readDecisionFilters } from './decisions/decisions.ts';
import { ownSearchOf } from './own/own.ts';
import { readEntryFilters } from './reviews/reviews.ts';
import { diffSearchOf, explainSearchOf, powerSearchOf, subjectSearchOf } from './access-search.ts';
import { unusedSearchOf } from './unused/unused.ts';

const page = pagesWith('access', 'audit', 'organizations', 'keys', 'permissions');

/** The page that says what a person's own credentials may do. */
export const ownAccessRoutes = [
  createRoute({
    getParentRoute: () => app,
    path: '/access',
    validateSearch: ownSearchOf,
    component: page(() => import('./own/own-page.tsx'), 'OwnPage'),
  }),
] as const;

/** The pages that say who may do what in an organization, below the parent of its pages. */
export function accessRoutesBelow<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  const access = createRoute({
    getParentRoute,
    path: '/access',
    component: page(() => import('./access-frame.tsx'), 'AccessFrame'),
  });
  const what = createRoute({
    getParentRoute: () => access,
    path: '/',
    validateSearch: subjectSearchOf,
    component: page(() => import('./what/what-page.tsx'), 'WhatPage'),
  });
  const who = createRoute({
    getParentRoute: () => access,
    path: '/who',
    validateSearch: powerSearchOf,
    component: page(() => import('./who/who-page.tsx'), 'WhoPage'),
  });
  const explain = createRoute({
    getParentRoute: () => access,
    path: '/explain',
    validateSearch: explainSearchOf,
    component: page(() => import('./explain/explain-page.tsx'), 'ExplainPage'),
  });
  const diff = createRoute({
    getParentRoute: () => access,
    path: '/compare',
    validateSearch: diffSearchOf,
    component: page(() => import('./diff/diff-page.tsx'), 'DiffPage'),
  });
  const reviews = createRoute({
    getParentRoute: () => access,
    path: '/reviews',
    component: page(() => import('./reviews/reviews-page.tsx'), 'ReviewsPage'),
  });
  const review = createRoute({
    getParentRoute: () => access,
    path: '/reviews/$reviewId',
    validateSearch: readEntryFilters,
    component: page(() => import('./reviews/review-page.tsx'), 'ReviewPage'),
  });
  const unused = createRoute({
    getParentRoute: () => access,
    path: '/unused',
    validateSearch: unusedSearchOf,
    component: page(() => import('./unused/unused-page.tsx'), 'UnusedPage'),
  });
  const decisions = createRoute({
    getParentRoute: () => access,
    path: '/decisions',
    validateSearch: readDecisionFilters,
    component: page(() => import('./decisions/decisions-page.tsx'), 'DecisionsPage'),
  });
  return [
    access.addChildren([what, who, explain, diff, reviews, review, unused, decisions]),
  ] as const;
}
