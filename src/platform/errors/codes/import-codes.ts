import type { Meaning } from './meaning.ts';

/** Why an import skips an operation, a server or a tool, or what its warnings are about. */
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
  held: {
    text: 'The tool must be as it was approved: review its change, and approve it.',
  },
  missing_variable: {
    text: 'Each placeholder in a server’s URL needs a value: send it in `variables`.',
  },
  no_server: { text: 'The document must name an https server: add one to `servers`.' },
  too_many: {
    text: 'An import may create only a limited number of tools: import fewer operations.',
  },
  not_permitted: {
    text: 'The sender may not create or change custom tools here: ask for the permission.',
  },
  unchanged: { text: 'The tool is already added, and is described as before.' },
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
  unsupported_server: {
    text: 'A server must be remote, over streamable HTTP: others are skipped.',
  },
  unsupported_security: {
    text: 'Credentials must fit into headers, cookies or the query; other operations are skipped.',
  },
} as const satisfies Record<string, Meaning>;
