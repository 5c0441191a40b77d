import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join, posix, resolve } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { cutPlace } from '../../console/src/language/words.ts'
import { readTranslations } from './catalogues.ts'

const DOCS = resolve(import.meta.dirname, '../../docs')
const ENGLISH = 'console.md'
const TRANSLATIONS = globSync('console/??.md', { cwd: DOCS }).sort()
const PAGES = [ENGLISH, ...TRANSLATIONS]
const marked = new Marked()

/** A heading, a paragraph or an item of a list. */
interface Block {
  /** `heading 2`, `item 3 of 4, numbered`. */
  readonly kind: string
  /** Pictures by their files. */
  readonly pictures: readonly string[]
  /** In bold: the names of pages, buttons and fields of the console. */
  readonly names: readonly string[]
  /** Where links lead: another page of docs, or a section of this one by its place. */
  readonly links: readonly string[]
  /** Without the sign that groups thousands, which languages write differently. */
  readonly figures: readonly string[]
}

const readTokens = (page: string) => marked.lexer(readFileSync(join(DOCS, page), 'utf8'))

/** The name of a heading in links, as on GitHub. */
const toSlug = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** What a page is made of, in its order. */
function readBlocks(page: string): Block[] {
  const tokens = readTokens(page)
  const sections = tokens.flatMap((token) =>
    token.type === 'heading' ? [toSlug((token as Tokens.Heading).text)] : [],
  )
  const aim = (href: string) => {
    if (href.startsWith('#')) return `section ${sections.indexOf(href.slice(1))}`
    return /^[a-z]+:/.test(href) ? href : posix.join(posix.dirname(page), href)
  }
  const toBlock = (kind: string, token: Token): Block => {
    const inside: Token[] = []
    void marked.walkTokens([token], (each) => {
      inside.push(each)
    })
    const select = <Kind extends Tokens.Strong | Tokens.Link | Tokens.Image>(type: Kind['type']) =>
      inside.filter((each): each is Kind => each.type === type)
    return {
      kind,
      pictures: select<Tokens.Image>('image').map(({ href }) => basename(href)),
      names: select<Tokens.Strong>('strong').map(({ text }) => text),
      // the helps of other languages have a test of their own
      links: select<Tokens.Link>('link')
        .map(({ href }) => aim(href))
        .filter((link) => !PAGES.includes(link))
        .sort(),
      figures: (
        token.raw.replaceAll(/(?<=\d)[.,\u00a0\u202f](?=\d{3})/g, '').match(/\d+/g) ?? []
      ).sort(),
    }
  }
  return tokens.flatMap((token) => {
    if (token.type === 'space') return []
    if (token.type !== 'list') {
      const depth = token.type === 'heading' ? ` ${token.depth}` : ''
      return [toBlock(`${token.type}${depth}`, token)]
    }
    const { items, ordered } = token as Tokens.List
    const kindOf = (at: number) => `item ${at + 1} of ${items.length}${ordered ? ', numbered' : ''}`
    return items.map((item, at) => toBlock(kindOf(at), item))
  })
}

const english = readBlocks(ENGLISH)

/** By language, the sections of the English page as they were when that language last followed them. */
const FOLLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'help-followed.json'), 'utf8'),
)

/** A short hash of each section of the English page, by its title. Line breaks do not count. */
function hashSections(): Record<string, string> {
  const [head, ...sections] = readFileSync(join(DOCS, ENGLISH), 'utf8').split(/^## /m)
  const hash = (text: string) =>
    createHash('sha256').update(text.replaceAll(/\s+/g, ' ').trim()).digest('hex').slice(0, 8)
  const hashes = sections.map((text) => [text.split('\n', 1)[0]!, hash(text)] as const)
  return Object.fromEntries([['', hash(head!)], ...hashes])
}

/** `Wait ({hours})` is called `Wait`. */
const nameOf = (word: string) => word.replace(/ \(\{\w+\}\)$/, '')

/** What the console of a language calls each of its pages, buttons and fields, by the English names. */
function readNames(language: string): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  for (const [key, word] of readTranslations(language)) {
    const name = nameOf(cutPlace(key))
    names.set(name, (names.get(name) ?? new Set()).add(nameOf(word)))
  }
  return names
}

test('the help is in five languages', () => {
  expect(TRANSLATIONS.map((page) => basename(page, '.md'))).toEqual(['de', 'es', 'fr', 'pt'])
})

test.each(PAGES)('the help page %s links the help in each other language', (page) => {
  const text = readFileSync(join(DOCS, page), 'utf8')
  const links = PAGES.map((other) => posix.relative(posix.dirname(page), other))
  expect(links.filter((link) => !text.includes(`](${link})`))).toEqual([basename(page)])
})

describe.each(TRANSLATIONS)('the help page %s', (page) => {
  const language = basename(page, '.md')
  const blocks = readBlocks(page)

  test('a help page follows each change of the English page', () => {
    expect(
      FOLLOWED[language],
      `translate the changed sections in docs/${page}, then write their new hashes under "${language}" in test/console/help-followed.json`,
    ).toEqual(hashSections())
  })

  test('a help page has the same headings, paragraphs, lists and pictures as the English page, in order', () => {
    const outlineOf = (all: readonly Block[]) =>
      all.map(({ kind, pictures }) => [kind, ...pictures].join(' '))
    expect(outlineOf(blocks)).toEqual(outlineOf(english))
  })

  test('each paragraph of a help page has the links and figures of the English one', () => {
    const factsOf = (all: readonly Block[]) =>
      all.map(({ links, figures }) => [...links, ...figures])
    expect(factsOf(blocks)).toEqual(factsOf(english))
  })

  test('each paragraph of a help page names the controls of the English one, as the console does', () => {
    const names = readNames(language)
    for (const [at, block] of blocks.entries()) {
      const missing = english[at]!.names.filter(
        (name) => !block.names.some((own) => names.get(name)?.has(own)),
      )
      const unknown = block.names.filter(
        (own) => !english[at]!.names.some((name) => names.get(name)?.has(own)),
      )
      expect({ missing, unknown }, english[at]!.kind).toEqual({ missing: [], unknown: [] })
    }
  })
})

test('the English help names controls as the console does', () => {
  const names = readNames('de')
  expect(english.flatMap((block) => block.names).filter((name) => !names.has(name))).toEqual([])
})
