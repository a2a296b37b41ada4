import type { SessionPrincipal } from '../../caller/principal.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { absent } from '../../platform/errors/refusal.ts';
import { isRegisteredUri } from '../clients/clients.ts';
import type { Interaction } from '../server/server.ts';
import { createDecide } from './decide.ts';
import type { ConsentDependencies } from './dependencies.ts';
import { createOffers } from './offer.ts';
import type { ConsentDecision } from './schema.ts';
import { describeRequest } from './describe.ts';

export type { ConsentDependencies };

/** Creates the operations of a person's decision on what a client may do. */
export function createConsent(dependencies: ConsentDependencies) {
  const offerFor = createOffers(dependencies);
  const decisions = createDecide(dependencies);

  /**
   * Returns the request that this browser started; throws 404 for any other, and for one whose
   * redirect URI is no longer registered.
   */
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
    /** Returns the name of the client of a request; throws 404 if the client has ended. */
    async clientName({ client_id }: Interaction) {
      const client = await dependencies.clients.find(client_id);
      if (client === null) throw absent('the client was deleted');
      return client.name;
    },
    /** Denies a request, which needs no session, as `decide` does. */
    async deny(uid: string, request: RequestFacts) {
      const interaction = await find(uid, request);
      await decisions.deny(interaction, request);
      return { to: interaction.return_to };
    },
    async describe(caller: SessionPrincipal, uid: string, request: RequestFacts) {
      return describeRequest(caller, await offerFor(caller, await find(uid, request)));
    },
    /**
     * Stores a decision, and returns where the browser continues. Sending it again changes nothing;
     * throws 409 for another one.
     */
    async decide(
      caller: SessionPrincipal,
      uid: string,
      decision: ConsentDecision,
      request: RequestFacts,
    ) {
      const offer = await offerFor(caller, await find(uid, request));
      if (decision.allow) await decisions.allow(caller, offer, decision, request);
      else await decisions.deny(offer.interaction, request);
      return { to: offer.interaction.return_to };
    },
  };
}
export type Consent = ReturnType<typeof createConsent>;
