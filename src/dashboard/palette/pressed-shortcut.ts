/** The target of a shortcut: a dialog, the page’s filter, or a page by its letter. */
export type Shortcut = 'palette' | 'list' | 'filter' | { go: string };

/** The part of a keyboard event that decides. */
export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  repeat: boolean;
  isComposing: boolean;
}

/** How long a letter may follow `g`. */
const FOLLOWS_MS = 1_500;

/**
 * Returns a function that reads the keys of a person one after the other. Keys are compared by what
 * they type, because `/` and `?` are elsewhere on other keyboards.
 */
export function createShortcutReader(isMac: boolean) {
  let wentAt: number | null = null;
  return (
    { key, ctrlKey, metaKey, altKey, repeat, isComposing }: Pressed,
    { isTyping, hasSingleKeys, now }: { isTyping: boolean; hasSingleKeys: boolean; now: number },
  ): Shortcut | null => {
    const follows = wentAt !== null && now - wentAt <= FOLLOWS_MS;
    if (isModifier(key)) return null;
    wentAt = null;
    if (isComposing || repeat || altKey) return null;
    // In a field of macOS, Ctrl+K removes the rest of the line.
    const [isMod, isOther] = isMac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
    if (isMod || isOther) return isMod && !isOther && key.toLowerCase() === 'k' ? 'palette' : null;
    if (isTyping || !hasSingleKeys) return null;
    if (follows) return { go: key.toLowerCase() };
    if (key === 'g') wentAt = now;
    if (key === '/') return 'filter';
    return key === '?' ? 'list' : null;
  };
}

const isModifier = (key: string) => ['Shift', 'Control', 'Meta', 'Alt', 'AltGraph'].includes(key);
