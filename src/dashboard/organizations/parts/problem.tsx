import { Alert } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { RequestError } from '../../api/request.ts';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { useOrganization } from '../use-organization.ts';
import { useOwner } from '../use-owner.ts';

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

/** Says which permission a place or an action needs. */
export function NeedsPermission({ permission }: { permission: string }) {
  const { t } = useTranslation();
  const { name } = useOrganization();
  return (
    <Alert role="alert" color="gray" icon={<IconLock aria-hidden />}>
      {t('errors.needs', { permission, name })}
    </Alert>
  );
}
