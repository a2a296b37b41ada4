import { Badge, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UpstreamRecord, UpstreamTool } from '../../../content/upstreams/schema.ts';
import { Section } from '../section.tsx';
import { addressOf, useSpace } from '../space.ts';
import type { Space } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { addTool, discoverTools } from './tools.ts';

/** Asks a server for its tools, which also tests the connection, and adds those that are chosen. */
export function Discovery({ server }: { server: UpstreamRecord }) {
  const { t } = useTranslation();
  const space = useSpace();
  const discovery = useMutation({ mutationFn: () => discoverTools(space, server.id) });
  return (
    <Section title={t('content.tools.server_tools')} intro={t('content.tools.server_tools_hint')}>
      <Button
        className="add-row"
        variant={discovery.isSuccess ? 'default' : 'filled'}
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        loading={discovery.isPending}
        onClick={() => discovery.mutate()}
      >
        {t('content.tools.test')}
      </Button>
      {discovery.isError && <ErrorAlert error={discovery.error} />}
      {discovery.isSuccess && (
        <Offered
          // Another answer is another choice.
          key={discovery.submittedAt}
          server={server}
          tools={discovery.data.data}
        />
      )}
    </Section>
  );
}

interface Choice {
  is_chosen: boolean;
  name: string;
}

/** What adding a tool led to: the new tool, or why there is none. */
type Outcome = { id: string } | { error: unknown };

function Offered({ server, tools }: { server: UpstreamRecord; tools: readonly UpstreamTool[] }) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>(() =>
    Object.fromEntries(tools.map(({ name }) => [name, { is_chosen: false, name: itemName(name) }])),
  );
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, Outcome>>>({});
  const isAdded = (tool: string) => 'id' in (outcomes[tool] ?? {});
  const chosen = tools.filter(({ name }) => choices[name]?.is_chosen === true && !isAdded(name));
  const add = useMutation({
    async mutationFn() {
      for (const tool of chosen) {
        const outcome = await addOne(space, server.id, tool, choices[tool.name]?.name ?? '');
        setOutcomes((earlier) => ({ ...earlier, [tool.name]: outcome }));
      }
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['content'] }),
  });
  const change = (tool: string, part: Partial<Choice>) =>
    setChoices({ ...choices, [tool]: { is_chosen: false, name: '', ...choices[tool], ...part } });
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {t('content.tools.offers', { count: tools.length })}
      </Text>
      {tools.length > 0 && (
        <ul className="card list names">
          {tools.map((tool) => (
            <li key={tool.name} className="list-row">
              <OfferedTool
                tool={tool}
                choice={choices[tool.name] ?? { is_chosen: false, name: '' }}
                outcome={outcomes[tool.name] ?? null}
                onChange={(part) => change(tool.name, part)}
              />
            </li>
          ))}
        </ul>
      )}
      {tools.length > 0 && (
        <Button
          className="add-row"
          disabled={chosen.length === 0}
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          {chosen.length === 0
            ? t('content.tools.choose_tools')
            : t('content.tools.add_tools', { count: chosen.length })}
        </Button>
      )}
    </Stack>
  );
}

function OfferedTool({
  tool,
  choice,
  outcome,
  onChange,
}: {
  tool: UpstreamTool;
  choice: Choice;
  outcome: Outcome | null;
  onChange(part: Partial<Choice>): void;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  if (outcome !== null && 'id' in outcome)
    return (
      <Group gap="sm">
        <Badge size="sm" variant="light" tt="none">
          {t('content.tools.added')}
        </Badge>
        <Link to={addressOf(space, 'tools', outcome.id)} className="text-link">
          <bdi>{choice.name}</bdi>
        </Link>
      </Group>
    );
  return (
    <Stack gap="xs">
      <Checkbox
        label={<bdi>{tool.name}</bdi>}
        description={tool.description}
        checked={choice.is_chosen}
        onChange={({ currentTarget: { checked } }) => onChange({ is_chosen: checked })}
      />
      {choice.is_chosen && (
        <TextInput
          size="xs"
          maw={360}
          ms={32}
          label={t('content.tools.name_of', { tool: tool.name })}
          dir="ltr"
          value={choice.name}
          onChange={({ currentTarget: { value } }) => onChange({ name: value })}
        />
      )}
      {outcome !== null && 'error' in outcome && <ErrorAlert error={outcome.error} />}
    </Stack>
  );
}

/** Adds a tool exactly as it was shown: `pin` names that description. */
async function addOne(space: Space, upstream_id: string, tool: UpstreamTool, name: string) {
  try {
    return await addTool(space, {
      kind: 'mcp',
      name,
      mcp: { upstream_id, tool: tool.name, pin: tool.pin },
    });
  } catch (error) {
    return { error };
  }
}

/** Proposes a name that the service accepts. */
const itemName = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/_{2,}/g, '_')
    .slice(0, 64);
