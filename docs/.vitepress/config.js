// The site of these pages: `npm run docs` builds it into docs/.vitepress/dist.
import { readFileSync } from 'node:fs'

/** The map in docs/README.md as a sidebar: a group for each heading, with the pages that it links. */
function sidebar() {
  const map = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  return map
    .split(/^## /m)
    .slice(1)
    .map((part) => ({ text: part.split('\n', 1)[0], items: pagesIn(part) }))
    .filter(({ items }) => items.length > 0)
}

function pagesIn(part) {
  const links = [...part.matchAll(/\[([^\]]+)\]\((?!\.\.)([^)#]+)\.md[^)]*\)/g)]
  // the first name of a page is its name
  const names = new Map(links.toReversed().map(([, text, page]) => [page, text]))
  const pages = new Set(links.map(([, , page]) => page))
  return [...pages].map((page) => ({ text: capital(names.get(page)), link: `/${page}` }))
}

const capital = (text) => text[0].toUpperCase() + text.slice(1)

const { homepage } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

/** Makes links to files beside docs/ lead to the repository, once a release has named it in package.json. */
function linkRepository({ tokens, env }) {
  if (!homepage) return
  for (const token of tokens)
    for (const child of token.children ?? []) {
      if (child.type !== 'link_open') continue
      const { pathname, hash, protocol } = new URL(
        child.attrGet('href'),
        `file:///docs/${env.relativePath}`,
      )
      if (protocol === 'file:' && !pathname.startsWith('/docs/'))
        child.attrSet('href', `${homepage}/blob/main${pathname}${hash}`)
    }
}

/** Marks inline code, so that Vue does not read the `{{…}}` of templates in it. */
function markCode({ tokens }) {
  for (const token of tokens)
    for (const child of token.children ?? [])
      if (child.type === 'code_inline') child.attrSet('v-pre', '')
}

function config({ core: { ruler } }) {
  ruler.push('mark-code', markCode)
  // before VitePress reads the links
  ruler.push('link-repository', linkRepository)
}

/** The id of a heading, as on GitHub: links of the pages work at both places. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

export default {
  title: 'pocketsms',
  description: 'An SMS gateway that you run yourself',
  rewrites: { 'README.md': 'index.md' },
  // files of the repository
  ignoreDeadLinks: [/^(?:\.\/)?\.\.\//],
  // the site shows HTML as text; it has no highlighting for Caddyfiles
  markdown: { languageAlias: { caddyfile: 'nginx' }, html: false, config, anchor: { slugify } },
  themeConfig: { search: { provider: 'local' }, outline: [2, 3], sidebar: sidebar() },
}
