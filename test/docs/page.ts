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
  /** The heading that it stands under. */
  readonly heading: string
  /** What HTML comments before it say: `needs: postgres`, `reader: Ctrl-C`. */
  readonly notes: readonly string[]
  /** Whether nothing stands between it and the block before. */
  readonly follows: boolean
}

/** README and the pages of docs, as paths from the project's root, README first. */
export const PAGES: readonly string[] = ['README.md', ...globSync('docs/*.md', { cwd: PROJECT }).sort()]

export const readPage = (page: string): string => readFileSync(join(PROJECT, page), 'utf8')

/**
 * The fenced blocks of a page, in order. Comments between a block and the one before it are the block's notes. A comment after the last
 * block is nobody's.
 */
export function blocksOf(page: string, markdown: string = readPage(page)): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; language: string; line: number; lines: string[] } | undefined
  let heading = ''
  let notes: string[] = []
  let follows = false
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open) {
      if (line.trimEnd() !== open.fence) {
        open.lines.push(line)
        continue
      }
      const { language, line: first } = open
      blocks.push({
        page,
        line: first,
        language,
        text: `${open.lines.join('\n')}\n`,
        heading,
        notes,
        follows,
      })
      notes = []
      follows = true
      open = undefined
      continue
    }
    const [, fence, language = ''] = /^(`{3,})(.*)$/.exec(line) ?? []
    if (fence) open = { fence, language: language.trim(), line: index + 2, lines: [] }
    else if (line.trim()) follows = false
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
    notes.push(...[...line.matchAll(/<!--\s*(.*?)\s*-->/g)].map(([, note]) => note ?? ''))
  }
  if (open) throw new Error(`${page}:${open.line}: this block has no end`)
  return blocks
}

export const isShell = ({ language }: Block): boolean => language === 'sh' || language === 'bash'
export const isScript = ({ language }: Block): boolean => /^[jt]s$/.test(language)
