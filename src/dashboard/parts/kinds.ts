import { capabilities } from '../../authz/permissions.ts';
import type { Capability } from '../../authz/permissions.ts';
import { listOf } from '../texts/texts.ts';
import type { Translate } from '../texts/texts.ts';

/** Returns in words what a credential may use over MCP. */
export const kindsOf = (held: readonly Capability[], t: Translate): string =>
  held.length === capabilities.length
    ? t('capability.every')
    : listOf(held.map((one) => t(`capability.${one}`))) || t('key.nothing');
