/** Placeholders of a registry (`{token}`) and of clients (`${input:token}`, `${env:TOKEN}`, `${TOKEN:-x}`). */
const PLACEHOLDER =
  /\$\{(?:input:|env:)?([^{}:]{1,200})(?::-([^{}]{0,4096}))?\}|\{([^{}]{1,200})\}/g;

const MAX_CHARACTERS = 8_192;

export interface Filled {
  text: string;
  /** Names of the placeholders that have no value. */
  missing: string[];
}

/** Replaces the placeholders that have a value. */
export function fillPlaceholders(
  template: string,
  values: Readonly<Record<string, string>>,
): Filled {
  const missing = new Set<string>();
  // Too long for an upstream in any case.
  if (template.length > MAX_CHARACTERS) return { text: template, missing: [] };
  const text = template.replaceAll(
    PLACEHOLDER,
    (whole, client?: string, fallback?: string, registry?: string) => {
      const name = client ?? registry ?? '';
      if (Object.hasOwn(values, name)) return values[name]!;
      if (fallback !== undefined) return fallback;
      missing.add(name);
      return whole;
    },
  );
  return { text, missing: [...missing] };
}
