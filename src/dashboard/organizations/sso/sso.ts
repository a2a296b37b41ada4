import type { z } from 'zod';
import type { SsoRecord } from '../../../sso/enforcement/schema.ts';

export type Sso = z.infer<typeof SsoRecord>;
