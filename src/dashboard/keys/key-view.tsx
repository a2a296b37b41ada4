import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { permissions } from '../../authz/permissions.ts';
import { agentSummary } from './agent-field.tsx';
import { valuesOf } from './key-values.ts';
import type { Key } from './key-values.ts';
import { keyPreviewQuery } from './keys.ts';
import { NextToPreview } from './next-to-preview.tsx';
import { NeedsPermission } from '../organizations/parts/problem.tsx';
import { PermissionView } from '../parts/permission-view.tsx';

/** An organization's key for who may not change it; other facts about it are above. */
export function KeyView({
  record,
  path,
  lacking,
}: {
  record: Key;
  path: string;
  /** The permission to change it. */
  lacking: string;
}) {
  const { t } = useTranslation();
  const preview = useQuery(keyPreviewQuery(path));
  const { grants, default_agent_id, tool_listing } = valuesOf(record);
  const given = Object.values(grants).flat();
  const facts = [
    [t('key_form.listing'), t(`key_form.listing_${tool_listing}`)],
    [t('key_form.agent'), agentSummary(default_agent_id, preview.data?.visible.agents ?? [], t)],
    ...(given.length === 0 ? [[t('key_form.permissions'), t('key_form.preset_none')]] : []),
  ] as const;
  return (
    <NextToPreview title={t('key_form.current_preview')} preview={preview}>
      <Stack gap="lg">
        <NeedsPermission permission={lacking} />
        <dl className="card facts">
          {facts.map(([label, text]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{text}</bdi>
              </dd>
            </div>
          ))}
        </dl>
        {given.length > 0 &&
          (['organization', 'team'] as const).map((table) => (
            <PermissionView
              key={table}
              table={permissions[table]}
              label={t(`matrix.in_${table}`)}
              value={given}
            />
          ))}
      </Stack>
    </NextToPreview>
  );
}
