import { QueryClient } from '@tanstack/react-query';
import { NO_ANSWER, RequestError } from './request.ts';

const ATTEMPTS = 3;

/** Creates the cache of what the pages have read. Nothing of it is kept after the page is closed. */
export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => failures < ATTEMPTS && isTemporary(error),
        throwOnError: false,
      },
      // Entries and responses may contain secrets, so they are dropped with the form.
      // Offline, they fail at once, and the person repeats them.
      mutations: { retry: false, gcTime: 0, networkMode: 'always' },
    },
  });

/** A request that may succeed if it is repeated: without an answer, or while a server is down. */
const isTemporary = (error: unknown): boolean =>
  error instanceof RequestError && [NO_ANSWER, 502, 503, 504].includes(error.status);
