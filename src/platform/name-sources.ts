import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PROGRAM_FOLDER } from './program-folder.ts'

/** A file of `dist` with line and column, as a stack has them behind the folder. */
const PLACE = /^([\w-]+(?:[./][\w-]+)*\.js):(\d+):(\d+)/
const maps = new Map<string, SourceMap | undefined>()

/**
 * The stack with names and lines of `src` instead of those of `dist`, in the package that npm publishes. Node
 * would do so itself, but reads all source maps at each start: 0.1 s of CPU time and 8 MB.
 */
export function nameSources(stack: string, folder = PROGRAM_FOLDER): string {
  const dist = join(folder, 'dist/')
  const prefix = pathToFileURL(dist).href
  const [start, ...places] = stack.split(prefix)
  const named = places.map((place) => {
    const [whole, name, line, column] = PLACE.exec(place) ?? []
    if (!whole) return prefix + place
    const found = readSourceMap(join(dist, name!))?.findOrigin(Number(line), Number(column))
    if (!found || !('fileName' in found)) return prefix + place
    const { fileName, lineNumber, columnNumber } = found
    const source = fileName.replace(/^(\.\.\/)+/, '')
    return `${source}:${lineNumber}:${columnNumber}${place.slice(whole.length)}`
  })
  return [start, ...named].join('')
}

function readSourceMap(file: string): SourceMap | undefined {
  const map = `${file}.map`
  if (!maps.has(file) && existsSync(map))
    maps.set(file, new SourceMap(JSON.parse(readFileSync(map, 'utf8'))))
  return maps.get(file)
}
