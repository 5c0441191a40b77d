import { readFileSync } from 'node:fs'
import { PARTS, readCatalogue, readTranslations, TRANSLATED } from './catalogues.ts'

const PAGE = readFileSync('docs/translating.md', 'utf8')
const NAMES = new Intl.DisplayNames('en', { type: 'language' })

/** The rows of the table that begins with this header, as cells. */
function readTable(header: string): string[][] {
  const [, ...rows] = PAGE.slice(PAGE.indexOf(header)).split('\n\n')[0]!.split('\n')
  return rows.slice(1).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const header = PAGE.split('\n').find((line) => line.startsWith('| | '))!
const languages = header.split('|').slice(2, -1)

test('the page for translators has the words of each language', () => {
  const named = languages.map((name) => name.replace(/\(.*\)/, '').trim())
  expect(named).toEqual(TRANSLATED.map((language) => NAMES.of(language)))
})

test.each(TRANSLATED.map((language, at) => [language, at] as const))(
  'the catalogue %s uses the words that the page for translators names',
  (language, at) => {
    const said = [...readTranslations(language).values()].join('\n').toLowerCase()
    const [, ...rows] = readTable(header)
    const words = rows.flatMap((cells) => cells[at + 1]!.split(', '))
    expect(words.filter((word) => !said.includes(word.toLowerCase()))).toEqual([])
  },
)

test('the page for translators says how many sentences there are', () => {
  const files = readTable('| file | sentences |')
  expect(files.map(([file]) => file)).toEqual(PARTS.map((part) => `\`${part}.json\``))
  for (const [at, part] of (['first', 'pages'] as const).entries()) {
    const stated = Number(/[\d,]+/.exec(files[at]![1]!)![0].replace(',', ''))
    const count = Object.keys(readCatalogue('de', part)).length
    expect(Math.abs(count - stated) / count, `${part}: ${count}`).toBeLessThan(0.1)
  }
})
