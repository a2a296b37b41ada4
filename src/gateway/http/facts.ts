import type { FastifyRequest } from 'fastify';
import { always } from '../../caller/once.ts';
import type { RequestFacts } from '../../caller/route.ts';
import { headerValues } from '../../platform/http/body.ts';
import type { ClientAddress } from './client-address.ts';
import { isFromElsewhere } from './same-site.ts';
import type { Origins } from './same-site.ts';

export type FactsOf = (request: FastifyRequest) => RequestFacts;

/** Returns a function that extracts the facts about a request that handlers receive. */
export const createFactsReader =
  (clientAddress: ClientAddress, origins: Origins): FactsOf =>
  (request) => {
    const { rawHeaders, socket } = request.raw;
    const header = (name: string) => headerValues(rawHeaders, name)[0] ?? null;
    return {
      id: request.id,
      address: clientAddress(socket.remoteAddress, rawHeaders),
      user_agent: header('user-agent')?.slice(0, 512) ?? null,
      cookies: request.cookies,
      if_match: header('if-match'),
      accept_language: header('accept-language'),
      from_elsewhere: isFromElsewhere(rawHeaders, origins),
      once: always,
    };
  };
