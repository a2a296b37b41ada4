import { ItemPage } from '../item-page.tsx';
import { ItemsPage } from '../items-page.tsx';
import { NewItemPage } from '../new-item-page.tsx';
import { resourceFamily } from './resource-family.ts';
import type { ListedResource } from './resource.ts';
import { Fact } from '../../parts/row.tsx';
import { useSize } from './use-size.ts';

export const ResourcesPage = () => (
  <ItemsPage family={resourceFamily} nameOf={({ path }: ListedResource) => path} Facts={Facts} />
);
export const NewResourcePage = () => <NewItemPage family={resourceFamily} />;
export const ResourcePage = () => <ItemPage family={resourceFamily} />;

function Facts({ entry: { mime_type, size } }: { entry: ListedResource }) {
  const sizeOf = useSize();
  return (
    <>
      <Fact>{mime_type}</Fact>
      <Fact isNumber>{size !== null && sizeOf(size)}</Fact>
    </>
  );
}
