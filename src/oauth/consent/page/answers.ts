import type { SessionPrincipal } from '../../../caller/principal.ts';
import type { RequestFacts } from '../../../caller/route.ts';
import type { Consent } from '../consent.ts';
import { createAllow } from './allow.ts';
import { chosenIn } from './form.ts';
import { createPageSessions } from './page-sessions.ts';
import type { PageSessionsDependencies } from './page-sessions.ts';
import { signInView } from './sign-in-views.ts';
import type { SignInMethods } from './sign-in-views.ts';
import { consentView, onwardView } from './views.ts';
import type { PageResponse, Showing, Visit } from './visit.ts';

export interface PageAnswersDependencies extends PageSessionsDependencies {
  consent: Consent;
  /** Returns who is signed in in the browser; null if no one is. */
  findSignedIn(request: RequestFacts): Promise<SessionPrincipal | null>;
  signInMethods(): SignInMethods;
}

/** Creates the responses to a request that waits for a decision. */
export function createAnswers(dependencies: PageAnswersDependencies) {
  const { consent } = dependencies;
  const showing = createShowing(dependencies);
  const sessions = createPageSessions(dependencies, showing);
  const allow = createAllow(consent, showing);

  async function show(visit: Visit): Promise<PageResponse> {
    const { decided_as, return_to } = visit.interaction;
    if (decided_as !== null) return showing.back(visit, return_to);
    const caller = await showing.callerOf(visit.request);
    if (caller === null) return showing.signIn(visit);
    const offer = await consent.offerFor(caller, visit.interaction);
    const body = await showing.offer(visit, caller, offer, { form: null, message: null });
    return { status: 200, body };
  }

  async function submit(visit: Visit, form: URLSearchParams): Promise<PageResponse> {
    const action = form.get('action') ?? '';
    if (action === 'allow') return allow(visit, form);
    if (action === 'deny')
      return showing.back(visit, (await consent.deny(visit.uid, visit.request)).to);
    if (visit.interaction.decided_as !== null) return show(visit);
    switch (action) {
      case 'sign_in':
        return sessions.password(visit, form);
      case 'sso':
        return sessions.sso(visit, form);
      case 'second_factor':
        return sessions.code(visit, form);
      case 'sign_out':
        return sessions.signOut(visit);
      default:
        return show(visit);
    }
  }

  return { show, submit };
}

const SIGNED_OUT = { status: 200 };

const createShowing = (dependencies: PageAnswersDependencies): Showing => ({
  callerOf: dependencies.findSignedIn,
  async signIn({ words, uid, interaction }, { email = '', message = null, status } = SIGNED_OUT) {
    const client = await dependencies.consent.clientName(interaction);
    const methods = dependencies.signInMethods();
    return { status, body: signInView(words, { ...methods, client, uid, email, message }) };
  },
  async offer({ words }, { person, email }, offer, { form, message }) {
    const all = offer.follows_teams ? null : offer.teams.map(({ id }) => id);
    const agents = offer.refused === null ? await offer.agentsWith(offer.scopes, all) : [];
    const chosen = form === null ? null : chosenIn(form);
    return consentView(words, offer, { account: { id: person, email }, agents, chosen, message });
  },
  async back({ words, interaction }, to) {
    const client = await dependencies.consent.clientName(interaction);
    const title = words.translate('back_title', { client });
    return { status: 200, body: onwardView(words, title, to) };
  },
});
