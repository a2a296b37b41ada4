/** Returns the class that sets an entry apart from the one before, if that is of another group. */
export const groupClass = (places: readonly { group: string }[], index: number): string =>
  index > 0 && places[index]?.group !== places[index - 1]?.group ? 'nav-group' : '';
