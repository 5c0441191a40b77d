import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../../console/dist/', import.meta.url)
const MAX_BYTES = 64_000

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** The files that a browser needs before anything shows: the entry and what it imports, with their styles. */
function firstFiles(manifest: Readonly<Record<string, Chunk>>): Set<string> {
  const files = new Set<string>(['index.html'])
  const add = (chunk: Chunk) => {
    if (files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const name of chunk.imports ?? []) add(manifest[name]!)
  }
  add(manifest['index.html']!)
  return files
}

test('the service worker imports no code of the pages, which needs a document', () => {
  expect(readFileSync(new URL('sw.js', DIST), 'utf8')).not.toMatch(/\bimport\b/)
})

test(`the console's first load is at most ${MAX_BYTES} bytes compressed`, () => {
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
  const files = [...firstFiles(manifest)]
  const bytes = files.map((file) => gzipSync(readFileSync(new URL(file, DIST))).length)
  expect(files.length).toBeGreaterThan(2)
  expect(bytes.reduce((sum, each) => sum + each)).toBeLessThan(MAX_BYTES)
})
