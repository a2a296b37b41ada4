import { Alert } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../../api/request.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { listOf } from '../../texts/texts.ts';
import { useOrganization } from '../use-organization.ts';
import { useOwner } from '../use-owner.ts';
import { permissionWords } from './permission-words.ts';

/** An error of a request; in an organization, of a 403, which permission is needed. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { organization } = useOwner();
  const permission = missingPermission(error);
  if (permission !== null && organization !== null)
    return <NeedsPermission permission={permission} />;
  return <ErrorAlert error={error} {...(onRetry === undefined ? {} : { onRetry })} />;
}

const missingPermission = (error: unknown): string | null =>
  error instanceof RequestError && error.status === 403
    ? (error.errors.find(({ code }) => code === 'permission_denied')?.detail?.permission ?? null)
    : null;

/** Says which permission a place or an action needs, or which ones; by default in the organization. */
export function NeedsPermission({
  permission,
  team,
}: {
  permission: string | readonly string[];
  /** The title of the team in which it is needed. */
  team?: string;
}) {
  const { t } = useTranslation();
  const { name } = useOrganization();
  const words = listOf(permissionWords([permission].flat(), t));
  return (
    <Alert role="alert" color="gray" icon={<IconLock aria-hidden />}>
      {t('errors.needs', { permission: words, name: team ?? name })}
    </Alert>
  );
}
