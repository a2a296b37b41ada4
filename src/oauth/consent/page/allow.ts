import { createRetry } from '../../../authz/authz.ts';
import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { Consent } from '../consent.ts';
import { decisionIn, messageOf } from './form.ts';
import type { PageResponse, Showing, Visit } from './visit.ts';

const RETRY_MS = 8_000;

const UNCHOSEN = { form: null, message: null };

/** Creates the response to a form that allows a client; its faults are shown on the page. */
export function createAllow(consent: Consent, showing: Showing) {
  const retry = createRetry();

  return async function allow(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
    const { uid, request, words } = visit;
    const caller = await showing.callerOf(request);
    if (caller === null) return showing.signIn(visit, { status: 401 });
    const offer = await consent.offerFor(caller, visit.interaction);
    // Someone else has signed in, in another tab, since the page was shown.
    if (form.get('account') !== caller.person)
      return { status: 200, body: await showing.offer(visit, caller, offer, UNCHOSEN) };
    const decision = decisionIn(form, offer);
    const decideAs = async (who: SessionPrincipal | null) =>
      who === null ? null : consent.decide(who, uid, decision, request);
    try {
      const decided = await retry({
        attempt: () => decideAs(caller),
        retry: async () => decideAs(await showing.callerOf(request)),
        ...{ contended: null, until: performance.now() + RETRY_MS },
      });
      return decided === null
        ? await showing.signIn(visit, { status: 401 })
        : await showing.back(visit, decided.to);
    } catch (error) {
      const key = messageOf(error, null);
      if (key === null) throw error;
      const message = words.translate(key);
      return { status: 422, body: await showing.offer(visit, caller, offer, { form, message }) };
    }
  };
}
