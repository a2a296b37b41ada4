import { Button, Checkbox, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type {
  ContentFilter,
  ToolFilter,
  UpstreamImported,
} from '../../../content/followed/schema.ts';
import type { UpstreamRecord } from '../../../content/upstreams/schema.ts';
import { Section } from '../section.tsx';
import { useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { importWholeServer } from './whole-servers.ts';

const EFFECTS = ['any', 'read', 'safe'] as const;

interface Values extends Record<string, unknown> {
  prefix: string;
  names: string;
  effect: (typeof EFFECTS)[number];
  has_content: boolean;
}

/** What a preview was asked for: an import sends the same. */
interface Wish {
  prefix: string;
  tools: ToolFilter;
  prompts?: ContentFilter;
  resources?: ContentFilter;
}

const wishOf = ({ prefix, names, effect, has_content }: Values): Wish => {
  const patterns = names.split('\n').flatMap((line) => line.trim() || []);
  return {
    prefix,
    tools: {
      ...(patterns.length === 0 ? {} : { names: patterns }),
      ...(effect === 'read' ? { read_only: true } : {}),
      ...(effect === 'safe' ? { destructive: false } : {}),
    },
    ...(has_content ? { prompts: {}, resources: {} } : {}),
  };
};

/** Adds every tool of a server that a filter selects, after a preview of what that would be. */
export function AddAll({ server }: { server: UpstreamRecord }) {
  const { t } = useTranslation();
  const space = useSpace();
  const [shown, setShown] = useState<{ wish: Wish; preview: UpstreamImported } | null>(null);
  const { form, submit, isPending, error } = useServerForm<Values, UpstreamImported>({
    initialValues: {
      ...{ prefix: prefixOf(server.name), names: '', effect: 'any', has_content: false },
    },
    fieldOf: ([first, second]) =>
      first === 'tools' ? (second === 'names' ? 'names' : 'effect') : (first ?? null),
    async send(values) {
      setShown(null);
      const wish = wishOf(values);
      const preview = await importWholeServer(space, server.id, { ...wish, dry_run: true });
      setShown({ wish, preview });
      return preview;
    },
    onSuccess() {},
  });
  return (
    <Section title={t('content.tools.all_title')} intro={t('content.tools.all_hint')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {error !== null && <ErrorAlert error={error} />}
          <TextInput
            label={t('content.tools.prefix')}
            description={t('content.tools.prefix_hint')}
            dir="ltr"
            autoComplete="off"
            {...form.getInputProps('prefix')}
          />
          <Textarea
            label={t('content.tools.name_patterns')}
            description={t('content.tools.name_patterns_hint')}
            placeholder={'get_*\nlist_*'}
            autosize
            minRows={2}
            maxRows={8}
            dir="ltr"
            classNames={{ input: 'mono' }}
            {...form.getInputProps('names')}
          />
          <Radio.Group label={t('content.tools.effect')} {...form.getInputProps('effect')}>
            <Stack gap="xs" mt="xs">
              {EFFECTS.map((effect) => (
                <Radio key={effect} value={effect} label={t(`content.tools.effect_${effect}`)} />
              ))}
            </Stack>
          </Radio.Group>
          <Checkbox
            label={t('content.tools.also_content')}
            {...form.getInputProps('has_content', { type: 'checkbox' })}
          />
          <Button type="submit" variant="default" loading={isPending} className="add-row">
            {t('content.tools.preview')}
          </Button>
        </Stack>
      </form>
      {shown !== null && (
        <Previewed
          // Another preview is another choice.
          key={JSON.stringify(shown.preview)}
          {...{ server, ...shown }}
          onAdded={() => setShown(null)}
        />
      )}
    </Section>
  );
}

function Previewed({
  server,
  wish,
  preview,
  onAdded,
}: {
  server: UpstreamRecord;
  wish: Wish;
  preview: UpstreamImported;
  onAdded(): void;
}) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const { created, skipped } = entriesOf(preview);
  const add = useMutation({
    mutationFn: () => {
      // Only what was shown is added.
      const pins = Object.fromEntries(preview.created.map(({ tool, pin }) => [tool, pin]));
      const [prompt_pins, resource_pins] = [pinsOf(preview.prompts), pinsOf(preview.resources)];
      const seen = { pins, prompt_pins, resource_pins };
      return importWholeServer(space, server.id, { ...wish, ...seen });
    },
    async onSuccess(added) {
      const number = entriesOf(added).created.length;
      const count = added.created.length;
      notifications.show({
        message:
          number === count
            ? t('content.tools.imported', { count })
            : t('content.tools.changes_approved', { number }),
      });
      onAdded();
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
  });
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {t('content.tools.would_add', { added: created.length, skipped: skipped.length })}
      </Text>
      {created.length + skipped.length > 0 && (
        <ul className="card list steps">
          {created.map(({ source, name, description }) => (
            <li key={source} className="list-row">
              <Text fw={600}>
                <bdi>{name}</bdi>
              </Text>
              <Text size="sm" className="message-text" dir="auto" lineClamp={3}>
                {description}
              </Text>
            </li>
          ))}
          {skipped.map(({ source, message }) => (
            <li key={source} className="list-row">
              <Text c="dimmed">
                <bdi>{source}</bdi>
              </Text>
              <Text size="sm">{message}</Text>
            </li>
          ))}
        </ul>
      )}
      {add.isError && <ErrorAlert error={add.error} />}
      <Button className="add-row" loading={add.isPending} onClick={() => add.mutate()}>
        {created.length === 0
          ? t('content.tools.follow')
          : wish.prompts === undefined
            ? t('content.tools.add_tools', { count: created.length })
            : t('content.tools.add_content')}
      </Button>
    </Stack>
  );
}

const pinsOf = ({ created }: UpstreamImported['prompts']) =>
  Object.fromEntries(created.map(({ source, pin }) => [source, pin]));

/** Returns what was added and skipped of all kinds. */
const entriesOf = ({ created, skipped, prompts, resources }: UpstreamImported) => ({
  created: [
    ...created.map(({ tool: source, name, description }) => ({ source, name, description })),
    ...prompts.created,
    ...resources.created,
  ],
  skipped: [
    ...skipped.map(({ tool: source, message }) => ({ source, message })),
    ...prompts.skipped,
    ...resources.skipped,
  ],
});

/** The name of a server may be longer than a prefix. */
const prefixOf = (name: string) => name.replaceAll(/_{2,}/g, '_').slice(0, 40);
