import { globSync, readFileSync } from 'node:fs'

const SOURCE = new URL('../../console/src/', import.meta.url)
/** The style of the API reference is that of its own page. */
const FILES = globSync('**/*.css', { cwd: SOURCE }).filter((file) => !file.startsWith('reference/'))
const TOKENS = 'style/tokens.css'

/** Lines of the console's styles that match, as `file: line`. */
const findLines = (pattern: RegExp, but: RegExp) =>
  FILES.filter((file) => file !== TOKENS).flatMap((file) =>
    readFileSync(new URL(file, SOURCE), 'utf8')
      .split('\n')
      .filter((line) => pattern.test(line) && !but.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )

test('a colour is one of the tokens, or has a value for each theme', () => {
  expect(FILES.length).toBeGreaterThan(20)
  expect(findLines(/#[\da-f]{3,8}\b|\b(?:rgb|hsl)a?\(/i, /light-dark\(/)).toEqual([])
})

test('a radius is one of the tokens', () => {
  expect(
    findLines(/border-radius:/, /: (?:var\(--radius|inherit|50%|0;|0 |.*var\(--radius)/),
  ).toEqual([])
})

test('a token that a style uses is one of the tokens, or is set beside it', () => {
  const all = FILES.map((file) => readFileSync(new URL(file, SOURCE), 'utf8')).join('\n')
  const set = new Set([...all.matchAll(/(--[\w-]+):/g)].map(([, name]) => name))
  const used = [...all.matchAll(/var\((--[\w-]+)(,?)/g)]
  expect(used.filter(([, name, other]) => !other && !set.has(name!)).map(([text]) => text)).toEqual(
    [],
  )
})
