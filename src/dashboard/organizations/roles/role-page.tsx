import { Alert, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { request } from '../../api/request.ts';
import { Page } from '../../parts/page.tsx';
import { NeedsPermission, Problem } from '../parts/problem.tsx';
import { DeleteRole } from './delete-role.tsx';
import { RoleForm } from './role-form.tsx';
import { RoleView } from './role-view.tsx';
import { InTeamPlace } from './in-team-place.tsx';
import { roleName } from './role-name.ts';
import { neededFor, parentsOf, roleQuery, useRolePlace } from './role-kinds.ts';
import type { Role, RolePlace } from './role-kinds.ts';
import { LoadingPage } from '../../parts/loading.tsx';

export const RolePage = () => <EditRole place={useRolePlace('organization')} />;
export const TeamRolePage = () => <EditRole place={useRolePlace('team')} />;
export const OwnRolePage = () => <InTeamPlace>{(place) => <EditRole place={place} />}</InTeamPlace>;

/** One role: its permissions and capabilities, and deleting it. */
function EditRole({ place }: { place: RolePlace }) {
  const { t } = useTranslation();
  const { roleId = '' } = useParams({ strict: false });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const role = useQuery(roleQuery(place, roleId));
  if (role.data === undefined) {
    if (!role.isError) return <LoadingPage />;
    return (
      <Page title={t('roles.role')}>
        <Problem error={role.error} onRetry={() => void role.refetch()} />
      </Page>
    );
  }
  const { system } = role.data;
  const mayUpdate = place.may(neededFor(place, 'update'));
  const isReadOnly = system || !mayUpdate;
  const path = `${place.api}/${roleId}`;
  return (
    <Page
      title={roleName(role.data, t)}
      parents={parentsOf(place, t)}
      actions={
        !system &&
        place.may(neededFor(place, 'delete')) && (
          <DeleteRole
            place={place}
            role={role.data}
            onDeleted={() => void navigate({ href: place.list })}
          />
        )
      }
    >
      <Stack gap="lg">
        {system && (
          <Alert role="note" color="gray">
            {t('roles.system_hint')}
          </Alert>
        )}
        {!system && !mayUpdate && <NeedsPermission permission={neededFor(place, 'update')} />}
        {isReadOnly ? (
          <RoleView kind={place.kind} role={role.data} />
        ) : (
          <RoleForm
            // After saving, what was saved is what the next edit is compared with.
            key={JSON.stringify({ ...role.data, members: null })}
            kind={place.kind}
            saved={role.data}
            action={t('form.save')}
            previewPath={place.hasPreview ? path : undefined}
            send={(body) => request<Role>(path, { method: 'PATCH', body })}
            onSaved={async () => {
              notifications.show({ message: t('roles.saved') });
              await queries.invalidateQueries();
            }}
          />
        )}
      </Stack>
    </Page>
  );
}
