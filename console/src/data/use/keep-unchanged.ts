/**
 * The items of a new read. Those that have not changed are the same objects as before, and the array, too, if
 * none has: what shows them is then not drawn again.
 */
export function keepUnchanged<T extends { readonly id: string }>(
  old: readonly T[],
  now: readonly T[],
): readonly T[] {
  const known = new Map(old.map((item) => [item.id, item]))
  const kept = now.map((item) => {
    const before = known.get(item.id)
    return before && JSON.stringify(before) === JSON.stringify(item) ? before : item
  })
  const isSame = kept.length === old.length && kept.every((item, at) => item === old[at])
  return isSame ? old : kept
}
