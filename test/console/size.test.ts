import { globSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../../console/dist/', import.meta.url)
const MAX_BYTES = 64_000
/** Icon, manifest and service worker come after the page shows. */
const MAX_FILES = 9

interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

/** The files that a browser needs before anything shows: the entry and what it imports, with their styles. */
const firstFiles = (manifest: Readonly<Record<string, Chunk>>): Set<string> =>
  filesOf(manifest, 'index.html').add('index.html')

/** The files of a chunk and of what it imports, with their styles. */
function filesOf(manifest: Readonly<Record<string, Chunk>>, chunk: string): Set<string> {
  const files = new Set<string>()
  const add = (chunk: Chunk) => {
    if (files.has(chunk.file)) return
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
    for (const name of chunk.imports ?? []) add(manifest[name]!)
  }
  add(manifest[chunk]!)
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

test('a browser loads the help of its language alone, and not before it is opened', () => {
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
  const pages = [
    '../docs/console.md',
    ...globSync('docs/console/??.md').map((file) => `../${file}`),
  ]
  const { imports, dynamicImports } = manifest['src/pages/help/page.tsx']
  expect(dynamicImports.toSorted()).toEqual(pages.toSorted())
  const others = new Set([
    ...firstFiles(manifest),
    ...imports.map((name: string) => manifest[name].file),
  ])
  const chunks = pages.map((page) => manifest[page].file)
  expect(new Set(chunks).size).toBe(pages.length)
  expect(chunks.filter((file) => others.has(file))).toEqual([])
})

test(`a first visit of the inbox needs at most ${MAX_FILES} files, which the page names at once`, () => {
  const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
  const first = firstFiles(manifest)
  const inbox = filesOf(manifest, 'src/pages/conversations/page.tsx')
  expect(new Set([...first, ...inbox]).size).toBeLessThanOrEqual(MAX_FILES)
  const page = readFileSync(new URL('index.html', DIST), 'utf8')
  expect(
    [...first, ...inbox].filter((file) => file !== 'index.html' && !page.includes(file)),
  ).toEqual([])
})
