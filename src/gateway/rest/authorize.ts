import type { Principal } from '../../caller/principal.ts';
import type { RequestFacts, Route } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { createRequireAccess } from './access.ts';
import type { Check } from './access.ts';
import { createDecisionRecords } from './decision-records.ts';
import type { DecidedRequest, DecisionRecordsDependencies } from './decision-records.ts';

export interface AuthorizeDependencies extends DecisionRecordsDependencies {
  check: Check;
}

/** What a decision needs of a request. */
export interface AuthorizedInput {
  /** Undefined if the path contains an invalid id. */
  params: unknown;
  request: Pick<RequestFacts, 'id'>;
}

/** Decides whether a caller may make a request, and records what was decided. */
export function createAuthorize(dependencies: AuthorizeDependencies) {
  const requireAccess = createRequireAccess(dependencies);
  const records = createDecisionRecords(dependencies);

  /** Throws unless the route's access allows the caller; records nothing. */
  async function authorize(
    route: Route,
    caller: Principal | null,
    { params }: Pick<AuthorizedInput, 'params'>,
    onAsked = () => {},
  ): Promise<void> {
    if (caller === null) return;
    await requireAccess({
      ...{ principal: caller, access: route.access, params: params ?? {}, onAsked },
      async requireObject() {
        requireParams(route, params);
        await route.object?.({ caller, params });
      },
    });
  }

  return {
    authorize,
    records,
    /** Throws likewise, and records that; returns whether OpenFGA was not called. */
    async authorizeRecorded(
      { route, input }: { route: Route; input: AuthorizedInput },
      caller: Principal | null,
    ): Promise<boolean> {
      let cached = true;
      const onAsked = () => {
        cached = false;
      };
      try {
        await authorize(route, caller, input, onAsked);
        return cached;
      } catch (error) {
        records.denied(decidedRequest(route, input, { caller, cached }), error);
        throw error;
      }
    },
  };
}

/** Throws 404 if the path contains an invalid id. */
export function requireParams(route: Route, params: unknown): void {
  if (route.params !== undefined && params === undefined)
    throw absent('the path contains an invalid id');
}

/** Returns a request as it is recorded. */
export const decidedRequest = (
  { access }: Route,
  { params, request }: AuthorizedInput,
  { caller, cached }: Pick<DecidedRequest, 'caller' | 'cached'>,
): DecidedRequest => ({ caller, access, params, request_id: request.id, cached });
