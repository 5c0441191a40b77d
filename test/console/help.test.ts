import { globSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { Marked, type Token } from 'marked'
import { cutPlace } from '../../console/src/language/words.ts'
import { readTranslations } from './catalogues.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const marked = new Marked()

const tokensOf = (page: string) => marked.lexer(readFileSync(join(DOCS, page), 'utf8'))

/** What a page is made of, in its order: headings by level, lists by length, pictures by file. */
function outlineOf(page: string): string[] {
  const parts: string[] = []
  const note = (token: Token) => {
    if (token.type === 'heading') parts.push(`heading ${token.depth}`)
    if (token.type === 'paragraph') parts.push('paragraph')
    if (token.type === 'list')
      parts.push(`list of ${token.items.length}${token.ordered ? ', numbered' : ''}`)
    if (token.type === 'image') parts.push(`picture ${basename(token.href)}`)
  }
  void marked.walkTokens(tokensOf(page), note)
  return parts
}

/** The names that a page has in bold: those of pages, buttons and fields of the console. */
function namesIn(page: string): string[] {
  const names: string[] = []
  void marked.walkTokens(tokensOf(page), (token) => {
    if (token.type === 'strong') names.push(token.text)
  })
  return names
}

/** `Wait ({hours})` is called `Wait`. */
const nameOf = (word: string) => word.replace(/ \(\{\w+\}\)$/, '')

describe.each(globSync('console/??.md', { cwd: DOCS }))('the help page %s', (page) => {
  const language = basename(page, '.md')

  test('a help page has the same headings, paragraphs, lists and pictures as the English page, in order', () => {
    expect(outlineOf(page)).toEqual(outlineOf('console.md'))
  })

  test('a help page names controls as the console does', () => {
    const words = new Set([...readTranslations(language).values()].map(nameOf))
    expect(namesIn(page).filter((name) => !words.has(name))).toEqual([])
  })
})

test('the English help names controls as the console does', () => {
  const words = new Set([...readTranslations('de').keys()].map((key) => nameOf(cutPlace(key))))
  expect(namesIn('console.md').filter((name) => !words.has(name))).toEqual([])
})
