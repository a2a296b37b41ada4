import type { SsoDependencies } from '../dependencies.ts';
import type { Protocols } from '../protocols.ts';

export type SignInDependencies = Pick<
  SsoDependencies,
  'database' | 'authz' | 'audit' | 'config' | 'limitForm' | 'accounts' | 'organizations' | 'log'
> & { protocols: Protocols };
