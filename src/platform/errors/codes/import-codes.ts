import type { Meaning } from './meaning.ts';

/** Why an import of an OpenAPI document skips an operation, or what its warnings are about. */
export const importCodes = {
  concurrent_update: {
    text: 'Permissions changed during the import: import the remaining operations again.',
  },
  invalid_document: {
    text: 'The operation must be described as OpenAPI requires: correct the document.',
  },
  invalid_reference: {
    text: 'Each `$ref` must point to a part of the same document, without cycles: correct it.',
  },
  invalid_tool: { text: 'The operation must fit the limits of a custom tool: simplify it.' },
  no_server: { text: 'The document must name an https server: add one to `servers`.' },
  too_many: {
    text: 'An import may create only a limited number of tools: import fewer operations.',
  },
  unknown_operation: { text: 'The document must contain the operation: correct its name.' },
  not_portable: {
    text: 'Every model API must accept the tool: change what the message names.',
  },
  simplified_schema: {
    text: 'The arguments’ schema must fit a custom tool: its deepest parts accept any value.',
  },
  unsupported_body: {
    text: 'The operation’s body must be JSON, a form, multipart, text or a file.',
  },
  unsupported_method: {
    text: 'The operation must use GET, POST, PUT, PATCH or DELETE; others are skipped.',
  },
  unsupported_parameter: {
    text: 'Parameters must be serialized in a supported style; other operations are skipped.',
  },
  unsupported_response: {
    text: 'Responses must be text or JSON: calls fail with `not_text` if the server sends another.',
  },
  unsupported_security: {
    text: 'Credentials must fit into headers, cookies or the query; other operations are skipped.',
  },
} as const satisfies Record<string, Meaning>;
