import { defineRoute, ok } from '../../caller/route.ts';
import type { Route } from '../../caller/route.ts';
import { pageOf, PageQuery } from '../../platform/pages.ts';
import { itemRoutes } from '../items/routes.ts';
import { draftOfPrompt, mergePrompt } from './prompts.ts';
import type { Prompts } from './prompts.ts';
import { PromptChange, PromptDraft, PromptListed, PromptRecord, ScopablePrompt } from './schema.ts';

export const promptRoutes = (prompts: Prompts): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/me/prompts/scopable',
    access: { personal: 'prompts_read' },
    summary: 'Own prompts a key can be scoped to',
    tag: 'Prompts',
    query: PageQuery,
    responses: { 200: pageOf(ScopablePrompt) },
    handle: async ({ caller, query }) => {
      const page = await prompts.list(caller.account_id, query);
      return ok({ ...page, data: page.data.map(({ id, name }) => ({ id, name })) });
    },
  }),
  ...itemRoutes({
    items: prompts,
    path: 'prompts',
    permissions: 'prompts',
    noun: 'prompt',
    tag: 'Prompts',
    draft: PromptDraft,
    change: PromptChange,
    record: PromptRecord,
    listed: PromptListed,
    draftOf: draftOfPrompt,
    merge: mergePrompt,
  }),
];
