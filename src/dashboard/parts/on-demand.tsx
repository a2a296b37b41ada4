import { CatchBoundary } from '@tanstack/react-router';
import { createElement, lazy } from 'react';
import type { ComponentType, ReactNode } from 'react';
import { FilesNotRead, whenOnline } from '../api/when-online.ts';
import { ErrorAlert } from './error-alert.tsx';

/**
 * Returns a component whose files are read when it is drawn for the first time; draw it in a
 * `Suspense`. If the service no longer has them, an alert takes its place, so that a form around it
 * keeps what was typed.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactNode {
  const Loaded = lazy(async () => ({ default: await whenOnline(load) }));
  return function OnDemand(props) {
    return (
      <CatchBoundary getResetKey={() => null} errorComponent={NotLoaded}>
        {createElement<Props>(Loaded, props)}
      </CatchBoundary>
    );
  };
}

function NotLoaded({ error }: { error: unknown }) {
  if (!(error instanceof FilesNotRead)) throw error;
  return <ErrorAlert error={error} />;
}
