/** Placeholders of a registry (`{token}`) and of clients (`${input:token}`, `${env:TOKEN}`, `${TOKEN:-x}`). */
const PLACEHOLDER =
  /\$\{(?:input:|env:)?([^{}:]{1,200})(?::-([^{}]{0,4096}))?\}|\{([^{}]{1,200})\}/g;

/** Too long for the URL and for each header of an upstream. */
const MAX_CHARACTERS = 8_192;

export interface Filled {
  text: string;
  /** Names of the placeholders that have no value. */
  missing: string[];
}

/**
 * Replaces the placeholders that have a value. What becomes too long is cut, and still too long: a
 * short template could otherwise become megabytes.
 */
export function fillPlaceholders(
  template: string,
  values: Readonly<Record<string, string>>,
): Filled {
  const missing = new Set<string>();
  if (template.length > MAX_CHARACTERS) return { text: template, missing: [] };
  let left = MAX_CHARACTERS + 1;
  const fill = (value: string): string => {
    const part = value.slice(0, left);
    left -= part.length;
    return part;
  };
  const text = template.replaceAll(
    PLACEHOLDER,
    (whole, client?: string, fallback?: string, registry?: string) => {
      const name = client ?? registry ?? '';
      if (Object.hasOwn(values, name)) return fill(values[name]!);
      if (fallback !== undefined) return fill(fallback);
      missing.add(name);
      return whole;
    },
  );
  return { text, missing: [...missing] };
}
