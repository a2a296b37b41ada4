import { Alert, Skeleton, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { useOrganization } from '../use-organization.ts';
import { DeleteRole } from './delete-role.tsx';
import { mayIn, RoleForm } from './role-form.tsx';
import { ROLE_KINDS, roleQuery, rolesPath } from './role-kinds.ts';
import type { Role, RoleKind } from './role-kinds.ts';

export const RolePage = () => <EditRole kind="organization" />;
export const TeamRolePage = () => <EditRole kind="team" />;

/** One role: its permissions and capabilities, and deleting it. */
function EditRole({ kind }: { kind: RoleKind }) {
  const { t } = useTranslation();
  const { roleId = '' } = useParams({ strict: false });
  const { id, may } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const role = useQuery(roleQuery(kind, id, roleId));
  if (role.isError)
    return (
      <Page title={t('roles.role')}>
        <Problem error={role.error} onRetry={() => void role.refetch()} />
      </Page>
    );
  if (role.data === undefined) return <Skeleton height={320} aria-label={t('frame.loading')} />;
  const { name, system } = role.data;
  const mayUpdate = may(mayIn(kind, 'update'));
  const path = `${rolesPath(kind, id)}/${roleId}`;
  return (
    <Page
      title={name}
      actions={
        !system &&
        may(mayIn(kind, 'delete')) && (
          <DeleteRole
            kind={kind}
            role={role.data}
            onDeleted={() =>
              void navigate({ to: ROLE_KINDS[kind].place, params: { organizationId: id } })
            }
          />
        )
      }
    >
      <Stack>
        {system && <Alert color="gray">{t('roles.system_hint')}</Alert>}
        {!system && !mayUpdate && <NeedsPermission permission={mayIn(kind, 'update')} />}
        <RoleForm
          // After saving, what was saved is what the next edit is compared with.
          key={role.dataUpdatedAt}
          kind={kind}
          saved={role.data}
          action={t('form.save')}
          previewPath={ROLE_KINDS[kind].hasPreview ? path : undefined}
          isReadOnly={system || !mayUpdate}
          send={(body) => request<Role>(path, { method: 'PATCH', body })}
          onSaved={async () => {
            notifications.show({ message: t('roles.saved') });
            await queries.invalidateQueries();
          }}
        />
      </Stack>
    </Page>
  );
}
