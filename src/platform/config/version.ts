/** Of the product, as clients, collectors and people see it. */
export const VERSION = '0.1.0';
