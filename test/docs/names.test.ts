import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PROJECT, readPage } from './page.ts'

// The pages about the code, and its comments, name files, functions, tables and variables that exist.

const PAGES = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'console/README.md',
  'test/support/README.md',
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

const COMMENT = /(?<=^|\s)(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm
const SQL_COMMENT = /--.*$/gm
const commentOf = (file: string): RegExp | undefined =>
  file.endsWith('.sql') ? SQL_COMMENT : /\.(tsx?|mjs|peggy)$/.test(file) ? COMMENT : undefined
const readCode = (file: string): string => {
  const comment = commentOf(file)
  return comment ? read(file).replaceAll(comment, ' ') : read(file)
}
/** All words of the code, those in its comments apart. */
const WORDS = new Set(SOURCES.flatMap((file) => readCode(file).match(/[A-Za-z_]\w+/g) ?? []))

const ROOMS = globSync('src/*/', { cwd: PROJECT }).map((room) => posix.basename(room))
const FOLDERS = ['src', 'sql', 'test', 'bench', 'package', 'grammar', 'deploy', 'docs', '.ci']

/** The files that a page may mean by a path, which begins at the project, at src or at the console. */
const filesAt = (path: string): string[] =>
  ['', 'src/', 'console/', 'console/src/'].flatMap((below) =>
    globSync(`${below}${path.replace(/\/$/, '')}{,.ts,.tsx,*.ts}`, { cwd: PROJECT }),
  )

const withoutBlocks = (page: string) => readPage(page).replaceAll(/^```[\s\S]*?^```/gm, '')
const spansOf = (page: string) =>
  [...withoutBlocks(page).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)

/** Names of other projects and placeholders. */
const OTHERS = new Set([
  ...['getaddrinfo', 'pg_rewrite', 'ev_action', 'oauth4webapi', 'submit_sm', 'drive_smpp'],
  ...['NNNN_name.sql', 'create_distributed_function', 'commander', 'NAME'],
  ...['gh', 'wal_buffers'],
])
/** The same in comments. */
const OTHERS_IN_COMMENTS = new Set([
  ...['contacts_via_groups', 'unit_amount_decimal', 'backward', 'writeSync', 'iPhones', 'vCards'],
  ...['findNextUnicodePosition', 'applyWorkHoursLimit', 'writeUdtaBox', 'writeMoovLevelMetaBox'],
  ...['formatToWebpSticker', 'checkIfRange'],
])

test.each(PAGES)('%s names files and folders that exist', (page) => {
  const paths = spansOf(page).filter((span) => /^[\w.-]+\/[\w./*-]*$/.test(span))
  const ours = paths.filter((path) => [...ROOMS, ...FOLDERS].includes(path.split('/')[0]!))
  const missing = ours.filter(
    (path) => !OTHERS.has(posix.basename(path)) && filesAt(path).length === 0,
  )
  expect(missing).toEqual([])
})

/** A name in camel case, with underscores, or one word in small letters; also after a dot or before `(`. */
const NAME =
  /^(?:\w+\.)?([a-z]+[A-Z]\w*|[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+|[a-z]{2,})(?:\([^)]*\))?$/

test.each(PAGES)('%s names functions, tables and variables that exist', (page) => {
  const names = spansOf(page).flatMap((span) => NAME.exec(span)?.[1] ?? [])
  expect(names.filter((name) => !WORDS.has(name) && !OTHERS.has(name))).toEqual([])
})

test('comments name functions, tables and variables that exist', () => {
  const isKnown = (name: string) => WORDS.has(name) || OTHERS_IN_COMMENTS.has(name)
  const unknown = SOURCES.filter((file) => commentOf(file)).flatMap((file) =>
    (read(file).match(commentOf(file)!) ?? [])
      // these name PocketBase's own functions, too
      .filter((comment) => !comment.includes('PocketBase'))
      .flatMap((comment) => {
        const spans = [...comment.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)
        const quoted = spans.flatMap((span) => NAME.exec(span)?.[1] ?? [])
        const plain = comment
          .replaceAll(/`[^`]*`|https?:\/\/\S+|[\w-]+\/[\w./-]+/g, '')
          .match(/(?<![\w./@#-])[a-z]+[A-Z]\w*\b(?!\.\w)/g)
        const names = [...quoted, ...(plain ?? [])]
        return names.filter((name) => !isKnown(name)).map((name) => `${file}: ${name}`)
      }),
  )
  expect(unknown).toEqual([])
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
