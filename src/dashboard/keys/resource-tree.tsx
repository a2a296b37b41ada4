import { Text } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Glob } from '../../policies/glob-automaton.ts';
import classes from './keys.module.css';

const MAX_SHOWN = 300;

interface Folder {
  folders: Map<string, Folder>;
  files: { name: string; pattern: string | null }[];
}

/** All resources by folder, each with the first pattern that matches it. */
export function ResourceTree({
  paths,
  patterns,
}: {
  paths: readonly string[];
  patterns: readonly string[];
}) {
  const { t } = useTranslation();
  const found = matchesOf(paths, patterns);
  const count = found.filter(({ pattern }) => pattern !== null).length;
  return (
    <div>
      <Text size="sm" fw={600} role="status">
        {t('policy.matches', { count, total: paths.length })}
      </Text>
      <div className={classes.tree} tabIndex={0} role="group" aria-label={t('policy.tree')}>
        <FolderList folder={folderOf(found.slice(0, MAX_SHOWN))} />
      </div>
      {found.length > MAX_SHOWN && (
        <Text size="xs" c="dimmed">
          {t('policy.tree_more', { count: found.length - MAX_SHOWN })}
        </Text>
      )}
    </div>
  );
}

/** Matches as the service does. */
function matchesOf(paths: readonly string[], patterns: readonly string[]) {
  const globs = patterns.map((pattern) => ({ pattern, glob: new Glob(pattern) }));
  const meter = { steps: 0 };
  return paths
    .toSorted((a, b) => a.localeCompare(b))
    .map((path) => ({
      path,
      pattern: globs.find(({ glob }) => glob.matches(path, meter))?.pattern ?? null,
    }));
}

function folderOf(found: readonly { path: string; pattern: string | null }[]): Folder {
  const root: Folder = { folders: new Map(), files: [] };
  for (const { path, pattern } of found) {
    const segments = path.split('/');
    const name = segments.pop() ?? path;
    let folder = root;
    for (const segment of segments) {
      const inner = folder.folders.get(segment) ?? { folders: new Map(), files: [] };
      folder.folders.set(segment, inner);
      folder = inner;
    }
    folder.files.push({ name, pattern });
  }
  return root;
}

function FolderList({ folder: { folders, files } }: { folder: Folder }) {
  const { t } = useTranslation();
  return (
    <ul>
      {[...folders].map(([name, inner]) => (
        <li key={`${name}/`}>
          <bdi>{name}/</bdi>
          <FolderList folder={inner} />
        </li>
      ))}
      {files.map(({ name, pattern }) => (
        <li key={name} className={classes.leaf}>
          {pattern === null ? (
            <IconMinus size={14} aria-hidden />
          ) : (
            <IconCheck size={14} aria-hidden />
          )}
          <bdi data-matched={pattern !== null}>{name}</bdi>
          {pattern === null ? (
            <span>{t('policy.unmatched')}</span>
          ) : (
            <code dir="ltr">{pattern}</code>
          )}
        </li>
      ))}
    </ul>
  );
}
