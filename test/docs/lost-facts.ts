import { execFileSync } from 'node:child_process'
import { PROJECT, readPage } from './page.ts'

// What a rewritten page lost: `npx node test/docs/lost-facts.ts main docs/app.md` prints the code blocks,
// headings, links, names in backquotes and numbers that docs/app.md has on main and no longer has here.

const FENCED = /^(`{3,}).*\n[\s\S]*?^\1[ \t]*$/gm

/** The distinct matches of `pattern` in `text`: its group, else all of it. */
const all = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map((match) => match.at(-1)!)),
]

/** Tables write `|` as `\\|`. */
const textOf = (page: string) => page.replaceAll('\\|', '|')

function factsOf(markdown: string): Record<string, readonly string[]> {
  const prose = markdown.replaceAll(FENCED, '')
  const plain = prose.replaceAll(/`[^`\n]*`|\]\([^)]*\)/g, ' ')
  return {
    block: markdown.match(FENCED) ?? [],
    heading: all(prose, /^#+ (.*)$/gm),
    link: all(prose, /\]\(([^)\s]+)\)/g),
    name: all(prose, /`([^`\n]+)`/g),
    number: all(plain, /\d[\d.,:]*\d|\d/g),
  }
}

/** A name may have moved into a block; a number in another number is not the same number. */
function lostFacts(before: string, now: string): string[] {
  const left = factsOf(now)
  return Object.entries(factsOf(before)).flatMap(([kind, facts]) =>
    facts
      .filter((fact) => !left[kind]!.includes(fact) && !(kind === 'name' && now.includes(fact)))
      .map((fact) => `${kind}: ${fact}`),
  )
}

const [version = 'main', ...pages] = process.argv.slice(2)
for (const page of pages) {
  const before = execFileSync('git', ['show', `${version}:${page}`], {
    cwd: PROJECT,
    encoding: 'utf8',
  })
  for (const fact of lostFacts(textOf(before), textOf(readPage(page)))) {
    console.log(`${page} lost the ${fact}`)
    process.exitCode = 1
  }
}
