import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../parts/copy-button.tsx';
import type { TryItem } from './items.ts';
import classes from './try.module.css';
import type { Outcome, TryConnection } from './try-connection.ts';
import { WhyLink } from './why-link.tsx';

const COLORS = { answered: 'teal', failed: 'yellow', refused: 'red' } as const;

/** The result of a call: its texts, then the exact response. */
export function OutcomeView({
  outcome: { kind, code, answer, issues, ms },
  item: { family, name },
  connection,
}: {
  outcome: Outcome;
  item: TryItem;
  connection: TryConnection;
}) {
  const { t, i18n } = useTranslation();
  const whole = JSON.stringify(answer, null, 2);
  const texts = kind === 'answered' ? textsOf(answer) : [];
  const message = kind === 'answered' ? null : messageOf(answer);
  const time = new Intl.NumberFormat(i18n.resolvedLanguage ?? 'en', {
    ...{ style: 'unit', unit: 'millisecond' },
  }).format(ms);
  return (
    <section aria-labelledby="outcome">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm">
          <Group gap="xs" role="status">
            <Title order={3} id="outcome">
              {t('try.answer')}
            </Title>
            <Badge variant="light" tt="none" color={COLORS[kind]}>
              {t(`try.${kind}`)}
            </Badge>
            {code !== null && (
              <Text span size="sm" ff="monospace">
                {code}
              </Text>
            )}
            <Text span size="sm" c="dimmed">
              {time}
            </Text>
          </Group>
          <CopyButton text={whole} />
        </Group>
        {message !== null && <Text className="message-text">{message}</Text>}
        {kind === 'refused' && issues.length === 0 && (
          <Text size="sm">
            <WhyLink connection={connection} family={family} item={name} />
          </Text>
        )}
        {texts.map((text, index) => (
          <pre
            key={`${index} ${text.length}`}
            className={`card code ${classes.answer} ${classes.text}`}
            tabIndex={0}
            aria-label={t('try.text')}
          >
            {text}
          </pre>
        ))}
        <pre className={`card code ${classes.answer}`} tabIndex={0} aria-label={t('try.returned')}>
          <code>{whole}</code>
        </pre>
      </Stack>
    </section>
  );
}

interface Failure {
  message?: unknown;
}

/** Returns what an error says: of the protocol, of a tool of ours, or else in the texts of a tool. */
function messageOf(answer: unknown): string | null {
  const { error, structuredContent } = answer as {
    error?: Failure;
    structuredContent?: { error?: Failure };
  };
  const said = (error ?? structuredContent?.error)?.message;
  return typeof said === 'string' ? said : textsOf(answer).join('\n') || null;
}

interface Part {
  type?: string;
  text?: string;
}

/** Returns the texts of a result: escaped in JSON, their lines are hard to read. */
function textsOf(answer: unknown): string[] {
  const {
    content = [],
    contents = [],
    messages = [],
  } = answer as { content?: Part[]; contents?: Part[]; messages?: { content: Part }[] };
  return [...content, ...contents, ...messages.map((message) => message.content)].flatMap(
    ({ text }) => (text === undefined || text === '' ? [] : [text]),
  );
}
