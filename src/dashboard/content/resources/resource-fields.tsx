import {
  Alert,
  Button,
  FileButton,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconDownload, IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ServerSource } from '../server-source.tsx';
import { bytesOf, readFile } from './file-content.ts';
import type { CodeLanguage } from '../../parts/code-editor.tsx';
import type { Resource, ResourceValues } from './resource.ts';
import { CodeField } from '../../parts/code-field.tsx';
import { useSize } from './use-size.ts';

interface FormProps {
  form: UseFormReturnType<ResourceValues>;
  item: Resource | null;
}

/**
 * The fields of a resource, whose text is edited as it is; only the path of a resource of an MCP
 * server can be changed here.
 */
export function ResourceFields({ form, item }: FormProps) {
  const { t } = useTranslation();
  const path = (
    <TextInput
      label={t('content_field.path')}
      description={t('content.resources.path_hint')}
      required
      dir="ltr"
      autoComplete="off"
      {...form.getInputProps('path')}
    />
  );
  if (item?.upstream !== undefined) {
    const { upstream_id, uri: source } = item.upstream;
    const { title, description, mime_type } = item;
    return (
      <Stack gap="lg">
        {path}
        <ServerSource
          label="URI"
          described={{ title, description, mime_type }}
          {...{ upstream_id, source }}
        />
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        {path}
        <TextInput
          label={t('content_field.mime_type')}
          description={t('content.resources.mime_hint')}
          dir="ltr"
          {...form.getInputProps('mime_type')}
        />
        <TextInput label={t('content_field.title')} {...form.getInputProps('title')} />
        <Textarea
          label={t('content_field.description')}
          autosize
          minRows={1}
          maxRows={6}
          {...form.getInputProps('description')}
        />
      </SimpleGrid>
      {form.values.blob === null ? (
        <TextContent form={form} />
      ) : (
        <BinaryContent form={form} blob={form.values.blob} item={item} />
      )}
    </Stack>
  );
}

function TextContent({ form }: Pick<FormProps, 'form'>) {
  const { t } = useTranslation();
  const size = useSize();
  const bytes = new TextEncoder().encode(form.values.text).length;
  return (
    <Stack gap="xs">
      <CodeField
        label={t('content_field.text')}
        description={t('content.resources.text_hint')}
        language={languageOf(form.values)}
        lines={14}
        {...form.getInputProps('text')}
      />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {size(bytes)}
        </Text>
        <Upload form={form} label={t('content.resources.upload')} />
      </Group>
    </Stack>
  );
}

/** Returns the language of a text by its media type, else by the end of its path. */
function languageOf({ mime_type, path }: ResourceValues): CodeLanguage {
  if (/\bjson\b/.test(mime_type) || path.endsWith('.json')) return 'json';
  return /\bmarkdown\b/.test(mime_type) || path.endsWith('.md') ? 'markdown' : 'text';
}

function BinaryContent({ form, blob, item }: FormProps & { blob: string }) {
  const { t } = useTranslation();
  const size = useSize();
  const type = form.values.mime_type || 'application/octet-stream';
  return (
    <section className="card empty" aria-labelledby="binary">
      <Text fw={600} id="binary">
        {t('content.resources.binary')}
      </Text>
      <Text size="sm" c="dimmed" mb="md">
        {t('content.resources.binary_body', { type, size: size(bytesOf(blob)) })}
      </Text>
      <Group gap="sm">
        <Button
          component="a"
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          href={`data:application/octet-stream;base64,${blob}`}
          download={(item?.path ?? form.values.path).split('/').at(-1)}
        >
          {t('content.resources.download')}
        </Button>
        <Upload form={form} label={t('content.resources.replace')} />
        <Button size="xs" variant="subtle" onClick={() => form.setValues({ blob: null, text: '' })}>
          {t('content.resources.use_text')}
        </Button>
      </Group>
    </section>
  );
}

function Upload({ form, label }: Pick<FormProps, 'form'> & { label: string }) {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  async function use(file: File | null) {
    if (file === null) return;
    setFailed(false);
    try {
      const content = await readFile(file);
      const { mime_type, path } = form.getValues();
      form.setValues({ ...content, mime_type: file.type || mime_type, path: path || file.name });
    } catch {
      setFailed(true);
    }
  }
  return (
    <>
      <FileButton onChange={(file) => void use(file)} inputProps={{ 'aria-label': label }}>
        {(props) => (
          <Button
            {...props}
            size="xs"
            variant="default"
            leftSection={<IconFileUpload size={14} aria-hidden />}
          >
            {label}
          </Button>
        )}
      </FileButton>
      {hasFailed && <Alert color="red">{t('content.resources.file_failed')}</Alert>}
    </>
  );
}
