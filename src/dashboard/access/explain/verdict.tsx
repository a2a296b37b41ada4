import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccessQuestion } from '../../../explorer/schema.ts';
import { Problem } from '../../organizations/parts/problem.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Loading } from '../../parts/loading.tsx';
import { Moment } from '../../parts/moment.tsx';
import { onDemand } from '../../parts/on-demand.tsx';
import { listOf } from '../../texts/texts.ts';
import { explanationQuery } from '../access.ts';
import { useTupleNames } from '../evidence/tuple-words.ts';
import { reasonText } from '../power-words.ts';
import classes from '../access.module.css';
import { StepRow } from './step-row.tsx';

const StepGraph = onDemand(async () => (await import('./step-graph.tsx')).StepGraph);

/** The answer in a sentence, and every step that leads to it. */
export function Verdict({
  question,
  subject,
  power,
}: {
  question: AccessQuestion;
  /** What the subject, and the permission or item, are called. */
  subject: string;
  power: string;
}) {
  const { t } = useTranslation();
  const { id } = useOrganization();
  const names = useTupleNames(t);
  const [isDrawn, setDrawn] = useState(false);
  const explanation = useQuery(explanationQuery(id, question));
  if (explanation.isError)
    return <Problem error={explanation.error} onRetry={() => void explanation.refetch()} />;
  if (explanation.data === undefined) return <Loading height={240} />;
  const { allowed, steps, as_of } = explanation.data;
  const reasons = steps.flatMap(({ outcome, reason }) =>
    outcome === 'failed' && reason !== null ? [reasonText(reason, t)] : [],
  );
  const verb = question.item === undefined ? 'holds' : 'uses';
  const sentence = t(`access.${allowed ? 'yes' : 'no'}_${verb}`, { subject, power });
  return (
    <Stack gap="md">
      <Alert
        role="status"
        color={allowed ? 'teal' : 'red'}
        icon={allowed ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
      >
        <Text fw={600}>{sentence}</Text>
        {reasons.length > 0 && (
          <Text size="sm">{t('explain.deny_because', { reasons: listOf(new Set(reasons)) })}</Text>
        )}
      </Alert>
      <section aria-labelledby="steps">
        <Group justify="space-between" gap="xs">
          <Title order={2} id="steps">
            {t('explain.steps')}
          </Title>
          <Button
            size="xs"
            variant="default"
            aria-expanded={isDrawn}
            onClick={() => setDrawn(!isDrawn)}
          >
            {t(isDrawn ? 'access.graph_hide' : 'access.graph_show')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed" mb="sm">
          {t('access.as_of')} <Moment at={as_of} />
        </Text>
        {isDrawn && (
          // On a phone it is wider than the screen, and scrolls, also by keys.
          <div
            role="region"
            aria-label={t('access.graph_region')}
            tabIndex={0}
            className={`card ${classes.graph}`}
          >
            <Suspense fallback={<Loading height={160} />}>
              <StepGraph steps={steps} subject={subject} answer={sentence} names={names} />
            </Suspense>
          </div>
        )}
        <ol className="card list steps" aria-labelledby="steps">
          {steps.map((step, index) => (
            <StepRow key={`${step.rule} ${index}`} step={step} names={names} />
          ))}
        </ol>
      </section>
    </Stack>
  );
}
