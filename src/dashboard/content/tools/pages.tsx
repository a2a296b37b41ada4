import { Badge, Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ItemPage } from '../item-page.tsx';
import { ItemsPage } from '../items-page.tsx';
import { NewItemPage } from '../new-item-page.tsx';
import { addressOf, useSpace } from '../space.ts';
import { toolFamily } from './tool-family.ts';
import type { ListedTool } from './tool.ts';
import { Fact } from '../../parts/row.tsx';

export const ToolsPage = () => (
  <ItemsPage
    family={toolFamily}
    nameOf={({ name }: ListedTool) => name}
    Facts={Facts}
    actions={<OtherSources />}
  />
);
export const NewToolPage = () => <NewItemPage family={toolFamily} />;
export const ToolPage = () => <ItemPage family={toolFamily} />;

/** Ways to get tools that others have described. */
function OtherSources() {
  const { t } = useTranslation();
  const space = useSpace();
  return (
    <>
      <Button
        variant="default"
        renderRoot={(props) => <Link to={addressOf(space, 'tools', 'upstreams')} {...props} />}
      >
        {t('content.tools.servers')}
      </Button>
      <Button
        variant="default"
        renderRoot={(props) => <Link to={addressOf(space, 'tools', 'import')} {...props} />}
      >
        {t('content.tools.import')}
      </Button>
    </>
  );
}

function Facts({ entry }: { entry: ListedTool }) {
  const { t } = useTranslation();
  return (
    <>
      <Fact>
        {entry.kind === 'mcp' && entry.held !== null ? (
          <Badge
            color="yellow"
            variant="outline"
            size="sm"
            tt="none"
            className="held"
            leftSection={<IconLock size={12} aria-hidden />}
          >
            {t('content.tools.waits')}
          </Badge>
        ) : (
          entry.annotations.readOnlyHint && t('content.tools.readOnlyHint')
        )}
      </Fact>
      <Fact>{t(`content.tools.kind_${entry.kind}`)}</Fact>
    </>
  );
}
