import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Marked, type Token } from 'marked'
import type { Plugin } from 'vite'

/** Where a PNG file has its width and height, as 32-bit numbers (PNG, 11.2.2 IHDR). */
const PNG_WIDTH_AT = 16
const PNG_HEIGHT_AT = 20
const PICTURE = /@@picture(\d+)@@/g

/**
 * Makes of each imported Markdown page its sections, as HTML (src/modules.d.ts). Pictures become assets of
 * the build. Links within the page lead to its sections in the help; links to other pages become plain text,
 * since the console does not have them. `PAGE/de.md` is the translation of `PAGE.md`: its sections have the
 * ids of the same ones there, so that a link to a section is right in every language.
 */
export function makeMarkdownPlugin(): Plugin {
  return {
    name: 'markdown',
    load(id) {
      if (!id.endsWith('.md')) return
      const original = findOriginal(id)
      for (const file of [id, original]) this.addWatchFile(file)
      return renderModule(
        readFileSync(id, 'utf8'),
        dirname(id),
        listSectionIds(readFileSync(original, 'utf8')),
      )
    },
  }
}

const findOriginal = (file: string) => file.replace(/\/[a-z]{2}\.md$/, '.md')

/** Of the sections of a page, in their order. */
const listSectionIds = (text: string): string[] =>
  splitSections(new Marked().lexer(text)).map(({ title }) => toSlug(title))

function renderModule(text: string, folder: string, ids: readonly string[]): string {
  const names = listSectionIds(text)
  if (names.length !== ids.length)
    throw new Error(
      `The page has ${names.length} sections, its original ${ids.length}: ${names.join(', ')}`,
    )
  const idOf = (name: string) => ids[names.indexOf(name)] ?? name
  const pictures: string[] = []
  const marked = new Marked({
    renderer: {
      image({ href, text }) {
        const at = pictures.push(join(folder, href)) - 1
        return `<img src="@@picture${at}@@" alt="${escapeHtml(text)}" ${writePngSize(join(folder, href))} loading="lazy">`
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens)
        if (!href.startsWith('#')) return words
        return `<a href="#/help/${escapeHtml(idOf(href.slice(1)))}">${words}</a>`
      },
    },
  })
  const sections = splitSections(marked.lexer(text)).map(({ title, tokens }, at) => ({
    id: ids[at],
    title,
    html: marked.parser(tokens),
  }))
  const imports = pictures.map((file, at) => `import picture${at} from ${JSON.stringify(file)}\n`)
  const data = JSON.stringify(sections).replaceAll(PICTURE, (_, at) => `" + picture${at} + "`)
  return `${imports.join('')}export const sections = ${data}\n`
}

/**
 * What stands below each heading of the second level; the page's own title and what is before them is left
 * out.
 */
function splitSections(tokens: readonly Token[]): { title: string; tokens: Token[] }[] {
  const sections: { title: string; tokens: Token[] }[] = []
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === 2)
      sections.push({ title: token.text, tokens: [] })
    else sections.at(-1)?.tokens.push(token)
  }
  return sections
}

/** The name of a heading in links, as on GitHub. */
const toSlug = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

function writePngSize(file: string): string {
  const bytes = readFileSync(file)
  return `width="${bytes.readUInt32BE(PNG_WIDTH_AT)}" height="${bytes.readUInt32BE(PNG_HEIGHT_AT)}"`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  '<': '&lt;',
  '>': '&gt;',
}
const escapeHtml = (text: string) => text.replaceAll(/[&"<>]/g, (sign) => ENTITIES[sign]!)
