import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { parseAst } from 'vite'

const SRC = join(import.meta.dirname, '../src')

/** Rooms and files whose expressions never see the text of a client, or short text only. */
const EXEMPT: readonly (readonly [path: RegExp, reason: string])[] = [
  [
    /^(?:programs\/(?:agent(?!\/drivers\/smpp)|bulk)|main\/demo)\//,
    'programs that users run themselves',
  ],
  [/^platform\/config\.ts:/, 'environment variables'],
  [/^platform\/db\/embedded\//, 'what Postgres wrote at its last start'],
  [/^engine\/collections\//, 'schemas and view queries, which superusers alone write'],
  [/^http\/openapi\//, 'names of collections and operations'],
  [
    /^engine\/auth\/send-mail\.ts: <(?:style|a\\b|\[)/,
    'templates of superusers; values in them are escaped',
  ],
  [/^engine\/auth\/oauth2\/apple-secret\.ts:/, 'keys that superusers configure'],
  [/^engine\/fields\/parse-date\.ts: \\\.\?0\*Z\$$/, 'dates that the server itself wrote'],
  [/^engine\/files\/stored-name\.ts: \^\\\.\+\|\\\.\+\$$/, 'at most 300 bytes'],
  [/^engine\/filter\/convert-scalars\.ts: 0\+\$$/, '17 digits'],
  [/^portable\/phone\/read-phone\.ts:/, 'at most MAX_LENGTH characters'],
]

interface Pattern {
  readonly place: string
  readonly pattern: string
  readonly flags: string
}

/** All regular expression literals of a file. */
function patternsOf(file: string): Pattern[] {
  const found: Pattern[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { regex } = node as {
      readonly regex?: { readonly pattern: string; readonly flags: string }
    }
    if (regex) found.push({ ...regex, place: `${file}: ${regex.pattern}` })
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }))
  return found
}

const patterns = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap(patternsOf)

/** Characters read decide, never time: on a busy machine a match that takes long is no attack. */
const BY_CHARACTERS = { timeout: null, attackTimeout: null, incubationTimeout: null } as const

/** `safe`, `vulnerable`, or `unknown` with the reason. */
function judge({ pattern, flags }: Pattern): string {
  const found = checkSync(pattern, flags, BY_CHARACTERS)
  return found.status === 'unknown' ? `unknown: ${found.error.kind}` : found.status
}

test('the check recognises expressions that are not linear', () => {
  expect(judge({ place: '', pattern: '\\d{7,}(?![a-z\\d])', flags: 'g' })).toBe('vulnerable')
  expect(judge({ place: '', pattern: '^\\d+$', flags: '' })).toBe('safe')
})

test("regular expressions applied to clients' text take linear time", { timeout: 600_000 }, () => {
  const seen = patterns.filter(({ place }) => !EXEMPT.some(([path]) => path.test(place)))
  expect(seen.length).toBeGreaterThan(100)
  // many files have the same one
  const different = new Map(seen.map((each) => [`${each.flags}/${each.pattern}`, each]))
  const judged = [...different.values()].map((each) => `${judge(each)}: ${each.place}`)
  expect(judged.filter((line) => !line.startsWith('safe: '))).toEqual([])
})
