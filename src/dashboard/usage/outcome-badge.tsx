import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CallOutcome } from '../../limits/schema.ts';
import type { CallRecord } from '../../usage/schema.ts';

const COLORS: Readonly<Record<CallOutcome, string>> = {
  ok: 'teal',
  tool_error: 'yellow',
  failed: 'red',
  timed_out: 'red',
  cancelled: 'gray',
  refused: 'red',
};

/** How a call ended, and which check refused it; a call that runs has no outcome yet. */
export function OutcomeBadge({ outcome, layer }: Pick<CallRecord, 'outcome' | 'layer'>) {
  const { t } = useTranslation();
  if (outcome === null)
    return (
      <Badge variant="default" tt="none">
        {t('usage.running')}
      </Badge>
    );
  return (
    <Badge variant="light" tt="none" color={COLORS[outcome]}>
      {t(`outcome.${outcome}`)}
      {outcome === 'refused' && layer !== null && `: ${t(`call_layer.${layer}`)}`}
    </Badge>
  );
}
