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
