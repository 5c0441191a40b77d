/**
 * The records of a new read. Unchanged records keep their objects. If every record is unchanged, the array is
 * kept, too, so that components are not drawn again.
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
