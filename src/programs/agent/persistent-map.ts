import { openLineFile } from './line-file.ts'

/** A map in a file, which survives a crash. Deletes its oldest entry when there are more than `max`. */
export function openFileMap<Value>(file: string, max: number) {
  const map = new Map<string, Value>()
  /** One iterator for all deletions: a new iterator would step over all deleted entries each time. */
  const oldest = map.keys()
  const change = ([key, value]: [key: string, value?: Value]) => {
    map.delete(key) // an entry that is set again becomes the newest
    if (value !== undefined) map.set(key, value)
    if (map.size > max) map.delete(oldest.next().value!)
  }
  const lines = openLineFile<Parameters<typeof change>[0]>(file, change, () => map)
  return {
    get: (key: string) => map.get(key),
    /** Sets a key, or deletes it if there is no value. Resolves when the change is on the disk. */
    set(...entry: Parameters<typeof change>[0]): Promise<void> {
      const written = lines.append(entry)
      change(entry)
      return written
    },
    close: lines.close,
  }
}
