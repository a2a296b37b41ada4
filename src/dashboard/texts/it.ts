/** The texts of this language, an area at a time. */
export const areas = import.meta.glob<object>('./it/*.json', { import: 'default' });
