import { ToolFailure } from '../../../src/catalog/tool-failure.ts';
import { fixtureTool, pause, text } from './fixture-tool.ts';

// One red pixel, and one sample of silence.
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';

export const image = { type: 'image', data: PNG, mimeType: 'image/png' };
export const textResource = (uri: string, mimeType: string, content: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: content },
});

/** Tools that cover every kind of content and schema. */
export const contentTools = [
  fixtureTool('test_simple_text', {
    description: 'Answers with one text.',
    answer: () => text('This is a simple text response for testing.'),
  }),
  fixtureTool('test_image_content', {
    description: 'Answers with an image.',
    answer: () => ({ content: [image] }),
  }),
  fixtureTool('test_audio_content', {
    description: 'Answers with a sound.',
    answer: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  }),
  fixtureTool('test_embedded_resource', {
    description: 'Answers with an embedded resource.',
    answer: () => ({
      content: [
        textResource(
          'test://embedded-resource',
          'text/plain',
          'This is an embedded resource content.',
        ),
      ],
    }),
  }),
  fixtureTool('test_multiple_content_types', {
    description: 'Answers with several kinds of content.',
    answer: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        textResource(
          'test://mixed-content-resource',
          'application/json',
          JSON.stringify({ test: 'data', value: 123 }),
        ),
      ],
    }),
  }),
  fixtureTool('test_error_handling', {
    description: 'Always fails.',
    answer() {
      throw new ToolFailure(
        'invalid_argument',
        'This tool intentionally returns an error for testing',
      );
    },
  }),
  fixtureTool('test_reconnection', {
    description: 'Takes long enough for the client to reconnect.',
    async answer() {
      await pause(2_500);
      return text('Reconnection test completed');
    },
  }),
  fixtureTool('test_x_mcp_header', {
    description: 'Has arguments that are repeated in headers.',
    input_schema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        priority: { type: 'integer', 'x-mcp-header': 'Priority' },
        verbose: { type: 'boolean', 'x-mcp-header': 'Verbose' },
      },
      required: ['region'],
    },
    answer: ({ region }) => text(`region ${String(region)}`),
  }),
  fixtureTool('json_schema_2020_12_tool', {
    description: 'Tool with JSON Schema 2020-12 features',
    input_schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    answer: (input) => text(JSON.stringify(input)),
  }),
];
