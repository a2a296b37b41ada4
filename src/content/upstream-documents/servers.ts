import type { ErrorCode } from '../../platform/errors/error-codes.ts';

/** A header of a server; null without a value, which the document leaves to the reader. */
export interface DocumentHeader {
  name: string;
  value: string | null;
  isRequired: boolean;
  /** Values of placeholders that the document itself gives. */
  defaults: Readonly<Record<string, string>>;
}

/** A remote server that a document describes, with placeholders. */
export interface DocumentServer {
  name: string;
  url: string;
  headers: DocumentHeader[];
  defaults: Readonly<Record<string, string>>;
}

export type SkipCode = Extract<ErrorCode, 'unsupported_server' | 'invalid_document'>;

/** A server that cannot be an upstream. */
export interface UnsuitableServer {
  name: string;
  code: SkipCode;
  message: string;
}

export type FoundServer = DocumentServer | UnsuitableServer;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Returns the servers of a document of either kind; null if it is neither. */
export function serversIn(document: Fields): FoundServer[] | null {
  // A registry's API wraps the document.
  const registered = isFields(document['server']) ? document['server'] : document;
  if (textOf(registered['name']) !== null && ('remotes' in registered || 'packages' in registered))
    return registryServers(registered);
  const configured = document['mcpServers'] ?? document['servers'];
  return isFields(configured)
    ? Object.entries(configured).map(([name, one]) => configuredServer(name, fieldsOf(one)))
    : null;
}

/** Returns the remotes and packages of a `server.json`. */
function registryServers(server: Fields): FoundServer[] {
  const fullName = textOf(server['name']) ?? '';
  const name = fullName.slice(fullName.lastIndexOf('/') + 1);
  const remotes = listOf(server['remotes']).map((remote) => remoteOf(name, remote));
  const packages = listOf(server['packages']).map((one) =>
    unsupported(
      textOf(one['identifier']) ?? name,
      'A package is a program that runs on one’s own machine: only remote servers can be added.',
    ),
  );
  return [...remotes, ...packages];
}

function remoteOf(name: string, remote: Fields): FoundServer {
  const url = textOf(remote['url']);
  const type = textOf(remote['type']) ?? textOf(remote['transport_type']);
  if (type !== 'streamable-http')
    return unsupported(name, `Its transport must be streamable-http, not ${String(type)}.`);
  if (url === null) return invalid(name, 'It has no URL.');
  return {
    name,
    url,
    defaults: defaultsOf(remote['variables']),
    headers: listOf(remote['headers']).flatMap((header) => headerOf(header)),
  };
}

function headerOf(header: Fields): DocumentHeader[] {
  const name = textOf(header['name']);
  const value = textOf(header['value']) ?? textOf(header['default']);
  return name === null
    ? []
    : [
        {
          ...{ name, value, isRequired: header['isRequired'] === true },
          defaults: defaultsOf(header['variables']),
        },
      ];
}

/** Returns the values of variables that have one. */
const defaultsOf = (variables: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf(variables)).flatMap(([name, sent]): [string, string][] => {
      const variable = fieldsOf(sent);
      const value = textOf(variable['value']) ?? textOf(variable['default']);
      return value === null ? [] : [[name, value]];
    }),
  );

const REMOTE_TYPES = new Set(['http', 'streamable-http', 'streamableHttp', 'streamable_http']);

/** Returns a server of an `mcp.json`, whose fields differ a little from client to client. */
function configuredServer(name: string, server: Fields): FoundServer {
  const url = textOf(server['url']) ?? textOf(server['serverUrl']) ?? textOf(server['httpUrl']);
  const type = textOf(server['type']) ?? textOf(server['transport']);
  if (textOf(server['command']) !== null || type === 'stdio')
    return unsupported(
      name,
      'It is a program that runs on one’s own machine (stdio): only remote servers can be added.',
    );
  if (type !== null && !REMOTE_TYPES.has(type))
    return unsupported(name, `Its transport must be streamable HTTP, not ${type}.`);
  if (url === null) return invalid(name, 'It has no URL.');
  const headers = Object.entries(fieldsOf(server['headers'])).map(([header, value]) => ({
    ...{ name: header, value: textOf(value), isRequired: true, defaults: {} },
  }));
  return { name, url, headers, defaults: {} };
}

const unsupported = (name: string, message: string): UnsuitableServer => ({
  ...{ name, code: 'unsupported_server', message: message.slice(0, 500) },
});
const invalid = (name: string, message: string): UnsuitableServer => ({
  ...{ name, code: 'invalid_document', message },
});
