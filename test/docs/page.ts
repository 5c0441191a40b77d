import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/** A fenced block of a page: the word after its fence, its text, and the line on which the text begins. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
  /** What HTML comments before it say: `reader: Ctrl-C`, `example: 123456 is $CODE`. */
  readonly notes: readonly string[]
  /** Whether nothing stands between it and the block before. */
  readonly follows: boolean
}

/** README and the pages of docs, as paths from the project's root, README first. */
export const PAGES: readonly string[] = [
  'README.md',
  ...globSync(['docs/*.md', 'docs/recipes/*.md'], { cwd: PROJECT }).sort(),
]

/** The pages of docs/recipes/programs. */
export const PROGRAM_PAGES: readonly string[] = globSync('docs/recipes/programs/*.md', {
  cwd: PROJECT,
}).sort()

export const readPage = (page: string): string => readFileSync(join(PROJECT, page), 'utf8')

const FENCED = /^(`{3,})(.*)\n([\s\S]*?)^\1[ \t]*$/gm
const COMMENT = /<!--\s*(.*?)\s*-->/g

/**
 * The fenced blocks of a page, in order. Comments between a block and the one before it are the block's
 * notes.
 */
export function blocksOf(page: string): Block[] {
  const markdown = readPage(page)
  let end = 0
  return [...markdown.matchAll(FENCED)].map(
    ({ 0: whole, 2: language = '', 3: text = '', index }) => {
      const between = markdown.slice(end, index)
      end = index + whole.length
      return {
        page,
        line: markdown.slice(0, index).split('\n').length + 1,
        language: language.trim(),
        text,
        notes: [...between.matchAll(COMMENT)].map(([, note]) => note!),
        follows: between.replaceAll(COMMENT, '').trim() === '',
      }
    },
  )
}

export const isShell = ({ language }: Block): boolean => language === 'sh' || language === 'bash'
export const isScript = ({ language }: Block): boolean => /^[jt]s$/.test(language)

const EXAMPLE = /^example: (\w+) is (\$\w+)$/

/** The text of a shell block, with the reader's own values in place of the page's examples. */
export const commandsOf = ({ text, notes }: Block): string =>
  notes.reduce((whole, note) => {
    const [, shown, value] = EXAMPLE.exec(note) ?? []
    return shown ? whole.replaceAll(shown, value!) : whole
  }, text)
