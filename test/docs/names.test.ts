import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT, readPage } from './page.ts'

// The pages about the code name files, folders, functions, tables and variables that exist.

const PAGES = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...globSync('docs/internals/*.md', {
    cwd: PROJECT,
    exclude: ['docs/internals/pocketbase-contract.md'],
  }),
]

const SOURCES = globSync(
  [
    '{src,sql,test,bench,package,grammar,deploy,console/src}/**/*.{ts,tsx,sql,json,peggy,py,java,mjs}',
    'console/*.{ts,js,html}',
    'package.json',
    '.ci/run',
  ],
  { cwd: PROJECT, exclude: ['**/*.run.json', 'test/conformance/**', 'test/docs/names.test.ts'] },
)
const textOf = new Map<string, string>()
const read = (file: string): string => {
  const known = textOf.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(PROJECT, file), 'utf8')
  textOf.set(file, text)
  return text
}
const WORDS = new Set(SOURCES.flatMap((file) => read(file).match(/[A-Za-z_]\w+/g) ?? []))

const ROOMS = globSync('src/*/', { cwd: PROJECT }).map((room) => posix.basename(room))
const FOLDERS = ['src', 'sql', 'test', 'bench', 'package', 'grammar', 'deploy', 'docs', '.ci']

/** The files that a page may mean by a path: paths are below the project, `src` or `console/src`. */
const filesAt = (path: string): string[] =>
  ['', 'src/', 'console/src/'].flatMap((below) =>
    globSync(`${below}${path.replace(/\/$/, '')}{,.ts,.tsx,*.ts}`, { cwd: PROJECT }),
  )

const withoutBlocks = (page: string) => readPage(page).replaceAll(/^```[\s\S]*?^```/gm, '')
const spansOf = (page: string) =>
  [...withoutBlocks(page).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)

/** Names of other projects and placeholders. */
const OTHERS = new Set([
  ...['getaddrinfo', 'pg_rewrite', 'ev_action', 'oauth4webapi', 'submit_sm', 'drive_smpp'],
  ...['NNNN_name.sql', 'create_distributed_function'],
])

test.each(PAGES)('%s names files and folders that exist', (page) => {
  const paths = spansOf(page).filter((span) => /^[\w.-]+\/[\w./*-]*$/.test(span))
  const ours = paths.filter((path) => [...ROOMS, ...FOLDERS].includes(path.split('/')[0]!))
  const missing = ours.filter(
    (path) => !OTHERS.has(posix.basename(path)) && filesAt(path).length === 0,
  )
  expect(missing).toEqual([])
})

/** Names with two or more words: `likeThis`, `like_this`, `LIKE_THIS`, also after a dot or before `(`. */
const NAME = /^(?:\w+\.)?([a-z]+[A-Z]\w*|[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+)(?:\([^)]*\))?$/

test.each(PAGES)('%s names functions, tables and variables that exist', (page) => {
  const names = spansOf(page).flatMap((span) => NAME.exec(span)?.[1] ?? [])
  expect(names.filter((name) => !WORDS.has(name) && !OTHERS.has(name))).toEqual([])
})

/** `` `name` (`file`) `` and `` `name` in `file` ``. */
const PLACE = /`(?:\w+\.)?(\w{3,})(?:\([^`]*\))?`(?: \(|\s+in\s+)`([\w-]+(?:\/[\w.-]+)+)`/g

test.each(PAGES)('%s names the files that contain the functions', (page) => {
  const wrong = [...withoutBlocks(page).matchAll(PLACE)].filter(([, name, path]) => {
    const files = filesAt(path!).filter(
      (file) => existsSync(join(PROJECT, file)) && statSync(join(PROJECT, file)).isFile(),
    )
    return (
      files.length > 0 && !files.some((file) => file.includes(name!) || read(file).includes(name!))
    )
  })
  expect(wrong.map(([text]) => text)).toEqual([])
})
