import type { Actor } from '../../caller/actor.ts';
import type { Transaction } from '../../platform/postgres/database.ts';
import { draftOf, isSame } from '../items/records.ts';
import { findItem } from '../items/store.ts';
import type { McpContent, ToolContent } from '../tools/schema.ts';
import type { SpaceFileDependencies } from './dependencies.ts';
import type { DraftedEntry } from './drafts.ts';
import type { Destination, Destinations } from './destinations.ts';
import type { SpaceFile, SpaceImported, SpacePrompt, SpaceResource } from './schema.ts';
import type { Step } from './steps.ts';

interface Plan {
  file: SpaceFile;
  destinations: Destinations;
  drafted: readonly DraftedEntry[];
}

/** Writes the plan in the import's transaction, so that an error rolls back everything. */
export function createSave(dependencies: SpaceFileDependencies) {
  const { selection, customTools } = dependencies;
  const { saveUpstream, saveItem, quarantineAgain, quarantineContentAgain } =
    createWriters(dependencies);

  return async function save(
    transaction: Transaction,
    space_id: string,
    { file, destinations, drafted }: Plan,
    { actor, step }: { actor: Actor; step: Step },
  ): Promise<SpaceImported> {
    const result = emptyResult();
    const count = ({ list, stored }: Destination, isSaved: boolean) => {
      const outcome = stored === null ? 'created' : isSaved ? 'replaced' : 'skipped';
      result[outcome][list] += 1;
      step();
    };
    for (const destination of destinations.skipped) count(destination, false);
    if (file.mcp_settings) await selection.add(transaction, space_id, file.mcp_settings);
    for (const destination of destinations.all) {
      if (destination.list !== 'upstreams') continue;
      const { id, name, index } = destination;
      const headers = await saveUpstream(
        transaction,
        space_id,
        destination,
        file.upstreams[index]!,
      );
      count(destination, true);
      if (headers.length > 0) result.missing.upstreams.push({ id, name, headers });
    }
    for (const draftedEntry of drafted) {
      const { destination, draft } = draftedEntry;
      count(destination, await saveItem(transaction, space_id, draftedEntry, actor));
      await quarantineContentAgain(transaction, file, destination);
      if (destination.list !== 'custom_tools') continue;
      const { id, name } = destination;
      const content = draft.content as ToolContent;
      const secrets = await customTools.missingSecrets(transaction, { space_id, id }, content);
      if (secrets.length > 0) result.missing.custom_tools.push({ id, name, secrets });
      const entry = file.custom_tools[destination.index]!;
      if (entry.kind === 'mcp' && entry.held)
        await quarantineAgain(transaction, id, content as McpContent);
    }
    return result;
  };
}

function createWriters({ items, upstreams, pins }: SpaceFileDependencies) {
  /** Saves an upstream; returns the names of the headers whose values are missing. */
  async function saveUpstream(
    transaction: Transaction,
    space_id: string,
    { id, stored }: Destination,
    entry: SpaceFile['upstreams'][number],
  ): Promise<string[]> {
    const { name, url, headers, header_names, oauth } = entry;
    const ref = { space_id, id };
    const { header_names: storedNames } =
      stored === null
        ? await upstreams.add(transaction, ref, { name, url, headers, oauth })
        : await upstreams.change(transaction, ref, { url, headers, oauth });
    return header_names.filter((header) => !storedNames.includes(header));
  }

  /** Saves an item; returns false if the stored one is identical. */
  async function saveItem(
    transaction: Transaction,
    space_id: string,
    { destination: { id, list, stored }, draft }: DraftedEntry,
    actor: Actor,
  ): Promise<boolean> {
    const { kind, write } = items[list];
    const replaced =
      stored === null ? null : await findItem(transaction, { space_id, family: kind.family, id });
    if (replaced !== null && isSame(draft, draftOf(replaced))) return false;
    await write(transaction, { space_id, id, replaced }, draft, actor);
    return true;
  }

  /**
   * Quarantines an imported tool that was quarantined at export. `found` is the file's own
   * description, so that approving it only ends the quarantine.
   */
  async function quarantineAgain(transaction: Transaction, item_id: string, content: McpContent) {
    const { kind: _kind, mcp, ...description } = content;
    const { tool: name, pin } = mcp;
    const output_schema =
      description.output_schema === null ? null : { ...description.output_schema };
    const found = { ...description, output_schema, name, pin };
    await pins.quarantine(transaction, { item_id, pin, found });
  }

  /** Does so for a prompt or resource. */
  async function quarantineContentAgain(
    transaction: Transaction,
    file: SpaceFile,
    { list, index, id: item_id }: Destination,
  ): Promise<void> {
    const found =
      list === 'prompts'
        ? heldPrompt(file.prompts[index]!)
        : list === 'resources'
          ? heldResource(file.resources[index]!)
          : null;
    if (found === null) return;
    await pins.content.quarantine(transaction, { item_id, pin: found.pin, found });
  }

  return { saveUpstream, saveItem, quarantineAgain, quarantineContentAgain };
}

function heldPrompt({ held, upstream, title, description, arguments: declared }: SpacePrompt) {
  if (held !== true || upstream === undefined) return null;
  const { prompt: name, pin } = upstream;
  return { name, title, description, arguments: declared, pin };
}

function heldResource({ held, upstream, title, description, mime_type }: SpaceResource) {
  if (held !== true || upstream === undefined) return null;
  const { uri, pin } = upstream;
  return { uri, title, description, mime_type, pin };
}

const zeroCounts = () => ({ upstreams: 0, resources: 0, prompts: 0, custom_tools: 0, agents: 0 });
const emptyResult = (): SpaceImported => ({
  created: zeroCounts(),
  replaced: zeroCounts(),
  skipped: zeroCounts(),
  missing: { upstreams: [], custom_tools: [] },
});
