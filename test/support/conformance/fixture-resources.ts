import { image } from './content-tools.ts';

/**
 * The suite's resources, created as items of the tenant; the balancer maps `test://` to our prefix.
 */
export const fixtureResources = [
  {
    path: 'static-text',
    description: 'A text.',
    mime_type: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  {
    path: 'static-binary',
    description: 'An image.',
    mime_type: image.mimeType,
    blob: image.data,
  },
  {
    // The product has no resource templates; this is the one URI the suite expands from a template.
    path: 'template/123/data',
    description: 'The expansion of a template for the id 123.',
    mime_type: 'application/json',
    text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
  },
  {
    path: 'watched-resource',
    description: 'A text to subscribe to.',
    mime_type: 'text/plain',
    text: 'Watch me.',
  },
];
