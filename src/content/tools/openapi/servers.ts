import { withoutEnds } from '../../../platform/text/without-ends.ts';
import { listOf, recordOf, textOf, UnsupportedOperation } from './document.ts';
import type { Operation } from './document.ts';

/**
 * Returns the URL of the server that the operation declares, else its path or the document: the
 * first one with https, or else the first. Variables get their defaults; a relative URL is relative
 * to the document's, if that is known.
 */
export function serverOf({ document, path, operation }: Operation): string {
  const lists = [operation['servers'], path['servers'], document.root['servers']];
  const servers = lists.map(listOf).find((list) => list.length > 0) ?? [{ url: '/' }];
  const urls = servers.map((server) => urlOf(recordOf(server), document.url));
  const url = urls.find((one) => one?.protocol === 'https:') ?? urls.find((one) => one !== null);
  if (url === undefined || url === null)
    throw new UnsupportedOperation(
      'no_server',
      'The document must name a server with an absolute URL, without query or fragment. Import it by its URL if its servers are relative.',
    );
  return withoutEnds(url.origin + url.pathname, '/');
}

function urlOf(server: Readonly<Record<string, unknown>>, base: string | undefined): URL | null {
  const variables = recordOf(server['variables']);
  const text = textOf(server['url']).replaceAll(/\{([^{}]*)\}/g, (match, name: string) => {
    const value = Object.hasOwn(variables, name) ? recordOf(variables[name])['default'] : match;
    return typeof value === 'string' ? value : match;
  });
  if (/[{}?#]/.test(text) || text === '') return null;
  const url = URL.parse(text, base);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isHttp && url.username === '' && url.password === '' ? url : null;
}

/** Fills the placeholders into a path, and encodes what a URL cannot contain. */
export function routeOf(route: string, placeholders: ReadonlyMap<string, string>): string {
  return route
    .split(/(\{[^{}]*\})/)
    .map((part) => {
      const [, name] = /^\{([^{}]*)\}$/.exec(part) ?? [];
      if (name === undefined)
        return part.replaceAll(/[^\x21-\x7e]+|["<>^`|\\]/g, (text) =>
          encodeURIComponent(text.toWellFormed()),
        );
      const placeholder = placeholders.get(name);
      if (placeholder !== undefined) return placeholder;
      throw new UnsupportedOperation(
        'invalid_document',
        'The path contains an undeclared parameter.',
      );
    })
    .join('');
}
