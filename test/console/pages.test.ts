import { existsSync, readFileSync } from 'node:fs'

const SOURCE = new URL('../../console/src/', import.meta.url)
const ENTRIES = [
  ...readFileSync(new URL('pages.ts', SOURCE), 'utf8').matchAll(
    /\bmakePage\('([\w-]+)', '([^']+)'/g,
  ),
]

test('each entry of pages.ts names a folder whose page.tsx exports Page', () => {
  expect(ENTRIES.length).toBeGreaterThan(0)
  const broken = ENTRIES.filter(([, folder]) => {
    const file = new URL(`pages/${folder}/page.tsx`, SOURCE)
    return !existsSync(file) || !/^export (const|function) Page\b/m.test(readFileSync(file, 'utf8'))
  })
  expect(broken.map(([, , path]) => path)).toEqual([])
})

test('each address opens its own page, and no earlier page takes it for an id', () => {
  const paths = ENTRIES.map(([, , path]) => path!)
  const taken = [...new Set(paths)].flatMap((path) => {
    const asked = path.replaceAll(':', '')
    const first = paths.find((pattern) =>
      new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(asked),
    )
    return first === path ? [] : [`${path} opens ${first}`]
  })
  expect(taken).toEqual([])
})

test('each page to set up has a row with a sentence on the page that shows them all', () => {
  const pages = readFileSync(new URL('pages.ts', SOURCE), 'utf8')
  const rows = readFileSync(new URL('pages/set-up/page.tsx', SOURCE), 'utf8')
  const toSetUp = pages
    .split('makePage(')
    .filter((entry) => /group: 'setup'|\.\.\.FOR_ADMINS/.test(entry))
    .flatMap((entry) => /^\s*'[\w-]+',\s*'([^':]+)'/.exec(entry)?.[1] ?? [])
  expect(toSetUp.length).toBeGreaterThan(5)
  expect(toSetUp.filter((path) => !rows.includes(`'${path}': t(`))).toEqual([])
})
