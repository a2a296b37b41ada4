import { EventStream } from '../caller/events.ts';
import { defineRoute, ok } from '../caller/route.ts';
import type { Route } from '../caller/route.ts';
import { PageQuery } from '../platform/http/pages.ts';
import type { Jobs } from './jobs.ts';
import { Job, JobPage, JobParams } from './schema.ts';

const tag = 'Jobs';

/** Routes of jobs; each caller has its own, as long as it may make the requests that began them. */
export const jobRoutes = (jobs: Jobs): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/jobs',
    access: 'caller',
    operation_id: 'listJobs',
    summary: 'List your jobs',
    description: 'The newest is first. Jobs are kept for a day, at most 100.',
    tag,
    query: PageQuery,
    responses: { 200: JobPage },
    handle: async ({ query, ...sender }) => ok(await jobs.list(sender, query)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/jobs/{id}',
    access: 'caller',
    operation_id: 'getJob',
    summary: 'Get a job',
    tag,
    params: JobParams,
    responses: { 200: Job },
    handle: async ({ params, ...sender }) => ok(await jobs.get(sender, params.id)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/jobs/{id}',
    access: 'caller',
    operation_id: 'cancelJob',
    summary: 'Cancel a job',
    description: 'Nothing more is saved then. A job that has ended stays as it is.',
    tag,
    params: JobParams,
    responses: { 200: Job },
    handle: async ({ params, ...sender }) => ok(await jobs.cancel(sender, params.id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/jobs/{id}/events',
    access: 'caller',
    operation_id: 'watchJob',
    summary: 'Watch a job',
    description: 'Streams the job: `progress` when it has changed, then `end`.',
    tag,
    params: JobParams,
    responses: { 200: EventStream },
    long_reply: 'events',
    async handle({ params, ...sender }) {
      await jobs.get(sender, params.id);
      return { ...ok(undefined), events: (ended) => jobs.watch(sender, params.id, ended) };
    },
  }),
];
