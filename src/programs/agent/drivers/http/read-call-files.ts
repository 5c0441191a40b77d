import type { Incoming } from './preset.ts'
import { matchesCondition, readTextAt, readValueAt } from './read-path.ts'

/** A file of a text, which the carrier still has. Its description is the carrier's. */
export interface CarrierFile extends Readonly<Record<'url' | 'name' | 'contentType', string>> {
  readonly size: number | undefined
}

const MAX_FILES = 100
const MAX_NAME = 255

/** The files of a text. `left.searches`: how often the call may still be searched for a file. */
export function readCarrierFiles(
  item: unknown,
  paths: Incoming['files'],
  left: { searches: number },
): CarrierFile[] {
  if (!paths) return []
  const list = paths.each === undefined ? [item] : readValueAt(item, paths.each)
  if (!Array.isArray(list)) return []
  const places = [paths.url].flat().flatMap((path) => {
    const length = path.includes('*') ? MAX_FILES : 1
    return Array.from({ length }, (_, i) => ({ path, number: String(i) }))
  })
  const files: CarrierFile[] = []
  for (const file of list.slice(0, MAX_FILES))
    for (const { path: place, number } of places) {
      if (files.length === MAX_FILES || left.searches-- <= 0) return files
      const at = (path = '') =>
        readTextAt(
          file,
          path.replace('*', () => number),
        )
      const url = at(place)
      if (url === '' && !(paths.lost && matchesCondition(file, paths.lost))) continue
      const [name = '', contentType = ''] = [paths.name, paths.type].map((path) =>
        at(path).slice(0, MAX_NAME),
      )
      const size = Number(at(paths.size)) || undefined
      files.push({ url, name: name || paths.called, contentType, size })
    }
  return files
}
