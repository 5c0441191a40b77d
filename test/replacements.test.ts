import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

const HOME = join(dirname(fileURLToPath(import.meta.url)), '..')

type Node = { readonly type?: string; readonly start: number; readonly [key: string]: unknown }

const isSafe = ({ type, expressions }: Node): boolean =>
  /^(?:Literal|ArrowFunctionExpression)$/.test(type!) ||
  (expressions as Node[] | undefined)?.length === 0

/**
 * The lines that call `replace` or `replaceAll` with a replacement that is neither a constant text nor a
 * function. In such a replacement `$&` and `$1` are patterns, so that a price of `$10` would lose its `$1`.
 */
function patternsIn(file: string, source: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, start, callee, arguments: given } = node as Node
    if (type === 'CallExpression') {
      const { name } = ((callee as Node).property ?? {}) as { name?: string }
      const replacement = (given as Node[])[1]
      const isReplacement =
        (name === 'replace' || name === 'replaceAll') && (given as Node[]).length === 2
      if (isReplacement && !isSafe(replacement!))
        found.push(`${file}:${source.slice(0, start).split('\n').length}`)
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, source).program)
  return found
}

test('the search for replacements finds variables, template literals and calls', () => {
  const source = [
    'text.replace(mark, value)',
    'text.replaceAll("#", `${value}`)',
    'text?.trim().replace(/#/g, valueOf(mark))',
    'text.replace(/#/g, "n").replace(/#/g, `n`)',
    'text.replace(/#/g, (found) => found)',
    'history.replace(path)',
  ]
  expect(patternsIn('case.ts', source.join('\n'))).toEqual(['case.ts:1', 'case.ts:2', 'case.ts:3'])
})

/** Files whose replacements are patterns of a table of their own. */
const OF_PATTERNS = new Set(['src/portable/phone/other-phone-forms.ts'])

test('values are inserted into texts by functions, so that `$&` and `$1` in a value stay', () => {
  const files = globSync('{src,console,package}/**/*.{ts,tsx}', {
    cwd: HOME,
    exclude: ['**/node_modules/**'],
  })
  expect(files.length).toBeGreaterThan(500)
  expect(
    files
      .filter((file) => !OF_PATTERNS.has(file))
      .flatMap((file) => patternsIn(file, readFileSync(join(HOME, file), 'utf8'))),
  ).toEqual([])
})
