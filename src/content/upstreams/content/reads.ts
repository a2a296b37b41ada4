import { ToolDeleted } from '../../../catalog/catalog.ts';
import type { ContentPins } from '../../pins/content-pins.ts';
import type { UpstreamCallOptions } from '../address.ts';
import type { createAddressing, ItemOfUpstream } from '../addressing.ts';
import type { ContentConnection } from './connection.ts';
import { sourceOf } from './schema.ts';
import type { ContentFamily } from './schema.ts';
import { upstreamFailure } from '../failure.ts';
import { OutdatedList } from '../pool.ts';
import type { createPool } from '../pool.ts';

/** An approved prompt or resource of an upstream. */
interface PinnedContent extends ItemOfUpstream {
  pin: string;
}

interface ContentReadsDependencies {
  pool: Pick<ReturnType<typeof createPool>, 'run'>;
  pins: Pick<ContentPins, 'compare'>;
  withUpstreamOf: ReturnType<typeof createAddressing>['withUpstreamOf'];
}

/**
 * Creates the reads of prompts and resources, after `beforeCall`. They reject with `ToolFailure` or
 * the signal's reason. If the description no longer matches the pin, the item is quarantined, and
 * they reject with `ToolDeleted`.
 */
export function createContentReads({ pool, pins, withUpstreamOf }: ContentReadsDependencies) {
  const read = <T>(
    pinned: PinnedContent,
    { family, source }: { family: ContentFamily; source: string },
    { beforeCall, person }: UpstreamCallOptions,
    send: (content: ContentConnection) => Promise<T>,
  ): Promise<T> =>
    withUpstreamOf(pinned, person, (upstream) =>
      pool.run(upstream, async ({ content }, isRetry) => {
        const listed = await content.list(family);
        const current = listed.find((one) => sourceOf(one) === source);
        if (current?.pin === pinned.pin) {
          // Connecting may have taken seconds.
          await beforeCall();
          return send(content);
        }
        // The connection may have been opened before the item was approved: compare on a new one.
        if (!isRetry) throw new OutdatedList();
        await pins.compare(upstream, family, listed);
        if (current === undefined) throw upstreamFailure(`no longer has this ${family}.`);
        throw new ToolDeleted('quarantined: its upstream describes it differently');
      }),
    );

  return {
    getPrompt: (
      pinned: PinnedContent & { prompt: string },
      values: Readonly<Record<string, string>>,
      options: UpstreamCallOptions,
    ) =>
      read(pinned, { family: 'prompt', source: pinned.prompt }, options, (content) =>
        content.getPrompt(pinned.prompt, values, options),
      ),
    readResource: (pinned: PinnedContent & { uri: string }, options: UpstreamCallOptions) =>
      read(pinned, { family: 'resource', source: pinned.uri }, options, (content) =>
        content.readResource(pinned.uri, options),
      ),
  };
}
