import { Badge, Group, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ExplanationStep } from '../../visibility/schema.ts';
import classes from './keys.module.css';
import type { TextName } from '../texts/texts.ts';

/** In an organization, what a team's policy admits is another step than the credential's own. */
function titleOf(layer: ExplanationStep['layer'], rule: string): TextName {
  if (layer === 'policy') return 'explain.own_policy';
  return rule === 'exposed' ? 'explain.team_policy' : `explain.layer_${layer}`;
}

/** A step of a decision, with its outcome and its evidence. */
export function StepRow({ step: { layer, rule, outcome, evidence } }: { step: ExplanationStep }) {
  const { t } = useTranslation();
  const passes = outcome === 'allow';
  return (
    <li className="list-row">
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">
          {t(titleOf(layer, rule))}{' '}
          <Text span size="sm" ff="monospace" fw={600}>
            {rule}
          </Text>
        </Text>
        <Badge
          variant="light"
          tt="none"
          color={passes ? 'teal' : 'red'}
          leftSection={
            passes ? (
              <IconCircleCheck size={14} aria-hidden />
            ) : (
              <IconCircleX size={14} aria-hidden />
            )
          }
        >
          {t(passes ? 'explain.passes' : 'explain.stops')}
        </Badge>
      </Group>
      {layer === 'limit' && (
        <Text size="xs" c="dimmed" mb={4}>
          {t('explain.limit_hint')}
        </Text>
      )}
      <dl className={classes.evidence} aria-label={t('explain.evidence')}>
        {Object.entries(evidence).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Evidence value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

interface Tuple {
  user: string;
  relation: string;
  object: string;
}

/** Tuples, one on each line, or a single value. */
function Evidence({ value }: { value: unknown }) {
  const texts = (Array.isArray(value) ? value : [value]).map((one: unknown) =>
    isTuple(one) ? `${one.user}  ${one.relation}  ${one.object}` : textOf(one),
  );
  return texts.map((text, index) => (
    <Text key={`${text} ${index}`} size="xs" ff="monospace" dir="ltr">
      {text}
    </Text>
  ));
}

const isTuple = (value: unknown): value is Tuple =>
  typeof value === 'object' && value !== null && 'user' in value && 'relation' in value;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
