import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { isRegisteredUri } from '../clients/clients.ts';
import type { Interaction } from '../server/server.ts';
import { createDecide } from './decide.ts';
import type { ConsentDependencies } from './dependencies.ts';
import { createOffers } from './offer.ts';
import type { Offer } from './offer.ts';
import type { ConsentDecision, ConsentRequest } from './schema.ts';
import { describeRequest } from './describe.ts';

export type { ConsentDependencies };
export type { Offer } from './offer.ts';

/** A person's decision on what a client may do. */
export interface Consent {
  /**
   * Returns the request that this browser started; throws 404 for any other, and for one whose
   * redirect URI is no longer registered.
   */
  find(uid: string, request: RequestFacts): Promise<Interaction>;
  offerFor(caller: SessionPrincipal, interaction: Interaction): Promise<Offer>;
  describe(caller: SessionPrincipal, uid: string, request: RequestFacts): Promise<ConsentRequest>;
  /** Returns the name of the client of a request; throws 404 if the client has ended. */
  clientName(interaction: Interaction): Promise<string>;
  /** Denies a request, which needs no session, as `decide` does. */
  deny(uid: string, request: RequestFacts): Promise<{ to: string }>;
  /**
   * Stores a decision, and returns where the browser continues. Sending it again changes nothing;
   * throws 409 for another one.
   */
  decide(
    caller: SessionPrincipal,
    uid: string,
    decision: ConsentDecision,
    request: RequestFacts,
  ): Promise<{ to: string }>;
}

export function createConsent(dependencies: ConsentDependencies): Consent {
  const offerFor = createOffers(dependencies);
  const decisions = createDecide(dependencies);

  async function find(uid: string, { cookies }: RequestFacts): Promise<Interaction> {
    const found = await dependencies.interactions.find(uid, cookies);
    if (found === null) throw absent('no such authorization request in this browser');
    const client = await dependencies.clients.find(found.client_id);
    if (client === null || !isRegisteredUri(client.redirect_uris, found.redirect_uri))
      throw absent('the client was deleted, or its redirect URI removed');
    return found;
  }

  return {
    find,
    offerFor,
    async clientName({ client_id }) {
      const client = await dependencies.clients.find(client_id);
      if (client === null) throw absent('the client was deleted');
      return client.name;
    },
    async deny(uid, request) {
      const interaction = await find(uid, request);
      await decisions.deny(interaction, request);
      return { to: interaction.return_to };
    },
    async describe(caller, uid, request) {
      return describeRequest(caller, await offerFor(caller, await find(uid, request)));
    },
    async decide(caller, uid, decision, request) {
      const offer = await offerFor(caller, await find(uid, request));
      if (decision.allow) await decisions.allow(caller, offer, decision, request);
      else await decisions.deny(offer.interaction, request);
      return { to: offer.interaction.return_to };
    },
  };
}
