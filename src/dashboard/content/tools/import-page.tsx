import { Button, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Job } from '../../../jobs/schema.ts';
import { jsonOf } from '../json-text.ts';
import { addressOf, useSpace } from '../space.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Page } from '../../parts/page.tsx';
import { RunningJob } from '../../parts/running-job.tsx';
import { useServerForm } from '../../parts/use-server-form.ts';
import { importTools } from './import-job.ts';
import { ImportReport } from './import-report.tsx';
import type { Imported } from './tools.ts';

/** Makes a tool of each operation of an OpenAPI document. */
export function ImportPage() {
  const { t } = useTranslation();
  const space = useSpace();
  const [job, setJob] = useState<Job | null>(null);
  return (
    <Page
      title={t('content.tools.import_title')}
      parents={[{ to: addressOf(space, 'tools'), label: t('content.tools.title') }]}
      about={t('content.tools.import_intro')}
    >
      <Stack gap="lg">
        <ImportForm onJob={setJob} />
        {job?.state === 'running' && (
          <RunningJob
            job={job}
            progressText={(done, total) => t('content.tools.import_progress', { done, total })}
          />
        )}
        {job?.state === 'succeeded' && <ImportReport imported={job.result as Imported} />}
        {job?.state === 'cancelled' && (
          <Text role="status">{t('content.tools.import_cancelled', { saved: job.saved })}</Text>
        )}
      </Stack>
    </Page>
  );
}

function ImportForm({ onJob }: { onJob(job: Job | null): void }) {
  const { t } = useTranslation();
  const space = useSpace();
  const queries = useQueryClient();
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { source: 'url', url: '', document: '', operations: '' },
    async send({ source, url, document, operations }) {
      const names = operations.split('\n').map((line) => line.trim());
      const chosen = names.filter((name) => name !== '');
      onJob(null);
      const body = {
        ...(source === 'url'
          ? { url }
          : {
              document: jsonOf(document, '/document', t('content.not_json')) as Record<
                string,
                unknown
              >,
            }),
        ...(chosen.length === 0 ? {} : { operations: chosen }),
      };
      return importTools(space, body, onJob);
    },
    async onSuccess(job) {
      onJob(job);
      await queries.invalidateQueries({ queryKey: ['content'] });
    },
    onError: () => onJob(null),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {error !== null && <ErrorAlert error={error} />}
        <SegmentedControl
          aria-label={t('content.tools.source')}
          className="add-row"
          data={[
            { value: 'url', label: t('content.tools.source_url') },
            { value: 'document', label: t('content.tools.source_document') },
          ]}
          {...form.getInputProps('source')}
        />
        {form.values.source === 'url' ? (
          <TextInput
            label={t('content.tools.document_url')}
            description={t('content.tools.document_url_hint')}
            placeholder="https://api.example.com/openapi.json"
            dir="ltr"
            {...form.getInputProps('url')}
          />
        ) : (
          <Textarea
            label={t('content.tools.document')}
            description={t('content.tools.document_hint')}
            autosize
            minRows={10}
            maxRows={24}
            dir="ltr"
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...form.getInputProps('document')}
          />
        )}
        <Textarea
          label={t('content.tools.operations')}
          description={t('content.tools.operations_hint')}
          placeholder={'listPets\nGET /pets/{id}'}
          autosize
          minRows={2}
          maxRows={10}
          dir="ltr"
          classNames={{ input: 'mono' }}
          {...form.getInputProps('operations')}
        />
        <Button type="submit" loading={isPending} className="add-row">
          {t('content.tools.import_action')}
        </Button>
      </Stack>
    </form>
  );
}
