import type { z } from 'zod';
import type { Route } from '../../caller/route.ts';
import { Job } from '../../jobs/schema.ts';
import { errorsOf } from '../rest/declared-errors.ts';
import { EVENTS } from '../rest/long-replies.ts';
import { CsvFile, JsonLines, MEDIA_TYPES } from '../rest/table-format.ts';
import type { Components } from './components.ts';
import type { ErrorResponses } from './error-responses.ts';
import { BODY_EXAMPLES } from './example-values.ts';
import type { Parameters } from './parameters.ts';
import { accessSentence, securityOf } from './security.ts';

export interface OperationParts {
  components: Components;
  parameters: Parameters;
  errors: ErrorResponses;
}

/** Describes one route. */
export function describeOperation(route: Route, parts: OperationParts) {
  const { operation_id, tag, summary, access } = route;
  const parameters = parts.parameters.of(route);
  return {
    operationId: operation_id,
    tags: [tag],
    summary,
    ...describe(route),
    ...securityOf(access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: describeBody(route, route.body, parts) } : {}),
    responses: { ...describeReplies(route, parts), ...parts.errors.of(route) },
  };
}

/** Describes what the operation does beyond its title, then what its security does not say. */
function describe({ description, access }: Route): { description?: string } {
  const parts = [description, accessSentence(access)].filter((part) => part != null);
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

function describeBody(
  { operation_id, form_bytes }: Route,
  body: z.ZodType,
  { components }: OperationParts,
) {
  const schema = components.refer(body, 'input', `${capitalize(operation_id)}Request`);
  const type = form_bytes === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const example = BODY_EXAMPLES[operation_id];
  return { required: true, content: { [type]: { schema, ...(example ? { example } : {}) } } };
}

function describeReplies(route: Route, { components }: OperationParts) {
  const isVersioned = errorsOf(route).has(412) || route.sends_etag === true;
  const name = `${capitalize(route.operation_id)}Response`;
  const describeReply = (status: string, schema: z.ZodType | null) => ({
    description: MEANINGS[status],
    ...headersOf(status, isVersioned && schema !== null),
    ...(schema === null
      ? {}
      : {
          content: {
            [route.long_reply === 'events' ? EVENTS : 'application/json']: {
              schema: components.refer(schema, 'output', name),
            },
            ...filesOf(route, components),
          },
        }),
  });
  const replies = Object.entries(route.responses).map(([status, schema]) => [
    status,
    describeReply(status, schema),
  ]);
  const ofJob = { ...describeReply('202', Job), description: 'A job, at `Location`' };
  return Object.fromEntries(route.job ? [...replies, ['202', ofJob]] : replies);
}

/** Describes the files that a list is also sent as. */
const filesOf = ({ table }: Route, components: Components) =>
  table === undefined
    ? {}
    : {
        [MEDIA_TYPES.csv]: { schema: components.refer(CsvFile, 'output', 'CsvFile') },
        [MEDIA_TYPES.jsonl]: { schema: components.refer(JsonLines, 'output', 'JsonLines') },
      };

function headersOf(status: string, isVersioned: boolean) {
  const names = [...(status.startsWith('3') ? ['Location'] : []), ...(isVersioned ? ['ETag'] : [])];
  if (names.length === 0) return {};
  return {
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  };
}

const MEANINGS: Readonly<Record<string, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted; an e-mail is on its way',
  204: 'No content',
  302: 'A redirect',
  303: 'A redirect, to be followed with GET',
};

const capitalize = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());
