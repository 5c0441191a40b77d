import { existsSync, globSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PAGES, PROGRAM_PAGES, PROJECT, readPage } from './page.ts'

const MORE = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'ROADMAP.md',
  'SECURITY.md',
  'SUPPORT.md',
  ...globSync(['docs/{internals,console,about}/*.md', '{examples,clients}/**/README.md'], {
    cwd: PROJECT,
    exclude: ['**/node_modules/**'],
  }),
]
const withoutCode = (markdown: string) =>
  markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''))

/** The names by which GitHub knows a page's headings. */
const anchorsOf = (page: string) =>
  [
    ...readPage(page)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

function brokenLinks(page: string): string[] {
  const links = [...withoutCode(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target]) => target!,
  )
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split('#') as [string, string?]
      const target = path ? posix.join(posix.dirname(page), path) : page
      if (!existsSync(join(PROJECT, target))) return true
      return anchor !== undefined && !anchorsOf(target).includes(anchor)
    })
}

test.each([...PAGES, ...PROGRAM_PAGES, ...MORE])(
  'the links of %s lead to existing targets',
  (page) => expect(brokenLinks(page)).toEqual([]),
)

test('the index of docs links every page', () => {
  const index = readPage('docs/README.md')
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
  expect(pages.filter((page) => !index.includes(`(${page.slice('docs/'.length)})`))).toEqual([])
})
