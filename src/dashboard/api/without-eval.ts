import { config } from 'zod';

// Before any schema is created: the library would otherwise compile schemas to code, which the
// content security policy of the pages forbids.
config({ jitless: true });
