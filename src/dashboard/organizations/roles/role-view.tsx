import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { permissions } from '../../../authz/permissions.ts';
import { PermissionView } from '../../parts/permission-view.tsx';
import { listOf } from '../../texts/texts.ts';
import { RoleHints } from './role-form.tsx';
import type { Role, RoleKind } from './role-kinds.ts';

/** A role for who cannot change it. */
export function RoleView({ kind, role }: { kind: RoleKind; role: Role }) {
  const { t } = useTranslation();
  const { description, capabilities } = role;
  return (
    <Stack gap="lg">
      <dl className="card facts">
        {description !== '' && (
          <div>
            <dt>{t('roles.description')}</dt>
            <dd>
              <bdi>{description}</bdi>
            </dd>
          </div>
        )}
        <div>
          <dt>{t('new_key.capabilities')}</dt>
          <dd>{listOf(capabilities.map((one) => t(`capability.${one}`))) || t('key.nothing')}</dd>
        </div>
      </dl>
      <PermissionView
        table={permissions[kind]}
        label={t('roles.permissions')}
        value={role.permissions}
      />
      <RoleHints kind={kind} />
    </Stack>
  );
}
