const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns whether a part of an address is an id. Pages put ids into paths of the API, where any other
 * text could send a request elsewhere.
 */
export const isId = (text: unknown): text is string => typeof text === 'string' && ID.test(text);
