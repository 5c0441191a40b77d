interface Row {
  readonly id: string
}

/**
 * The rows of a new read without moving those that are shown: shown rows keep their places, and rows after
 * the last of them follow. `waiting` counts the new rows that belong before or between them.
 */
export function holdRows<T extends Row>(
  shown: readonly T[],
  now: readonly T[],
): { readonly rows: readonly T[]; readonly waiting: number } {
  const places = new Set(shown.map(({ id }) => id))
  const fresh = new Map(now.map((row) => [row.id, row]))
  const end = now.findLastIndex(({ id }) => places.has(id)) + 1
  return {
    rows: [...shown.map((row) => fresh.get(row.id) ?? row), ...(end === 0 ? [] : now.slice(end))],
    waiting: now.slice(0, end || now.length).filter(({ id }) => !places.has(id)).length,
  }
}
