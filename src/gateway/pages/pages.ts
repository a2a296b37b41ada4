import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Cookie, RequestFacts } from '../../caller/route.ts';
import type { FactsOf } from '../http/facts.ts';
import { pagePolicy } from './page-policy.ts';
import { readForm } from '../http/request-body.ts';
import { requireSameSite } from '../http/same-site.ts';
import type { Origins } from '../http/same-site.ts';

/** A small page or script of the gateway; the dashboard is served from files. */
export interface Page {
  /** Absolute, with `{name}` for parameters. */
  path: string;
  content_type: string;
  /** Hosts of the CAPTCHA provider whose widget the page shows (decisions/0007). */
  widget_hosts?: readonly string[];
  handle(request: PageRequest): Promise<PageResponse> | PageResponse;
  /** Receives the page's forms, which it posts to its own path. */
  submit?(request: PageRequest & { form: URLSearchParams }): Promise<PageResponse>;
}

export interface PageRequest {
  params: Readonly<Record<string, string>>;
  request: RequestFacts;
}

interface PageResponse {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly Cookie[];
}

export interface PagesDependencies {
  pages: readonly Page[];
  /** Origins whose pages may post forms. */
  origins: Origins;
  secureCookies: boolean;
  factsOf: FactsOf;
}

const MAX_FORM_BYTES = 65_536;

export function registerPages(app: FastifyInstance, dependencies: PagesDependencies): void {
  const { pages, origins, factsOf, secureCookies } = dependencies;
  for (const page of pages) {
    const url = page.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const inputOf = (request: FastifyRequest): PageRequest => ({
      params: request.params as Record<string, string>,
      request: factsOf(request),
    });
    const send = (reply: FastifyReply, { status, body, headers, cookies }: PageResponse) => {
      setCookies(reply, cookies ?? [], secureCookies);
      return reply
        .status(status)
        .headers({
          'content-security-policy': pagePolicy(page.widget_hosts ?? []),
          'content-type': page.content_type,
          ...headers,
        })
        .send(body);
    };
    app.get(url, async (request, reply) => send(reply, await page.handle(inputOf(request))));
    if (page.submit === undefined) continue;
    app.post(url, async (request, reply) => {
      const { method, rawHeaders } = request.raw;
      requireSameSite({ method: method!, rawHeaders }, origins);
      const form = await readForm(request.raw, MAX_FORM_BYTES);
      return send(reply, await page.submit!({ ...inputOf(request), form }));
    });
  }
}

/** Sets cookies that scripts cannot read. */
export function setCookies(reply: FastifyReply, cookies: readonly Cookie[], secure: boolean): void {
  for (const { name, value, path, same_site, max_age } of cookies)
    reply.setCookie(name, value, {
      ...{ path, secure, httpOnly: true, sameSite: same_site, maxAge: max_age },
    });
}
