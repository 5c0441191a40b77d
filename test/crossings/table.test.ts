import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { FEATURES } from '../../src/main/features.ts'
import { FIND_TOOLS } from '../../src/protocols/mcp/find-tools.ts'
import { SEND_TOOLS } from '../../src/protocols/mcp/send-tools.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { blocksOf, isScript, isShell, PAGES } from '../docs/page.ts'
import { REMOVALS } from './checks.ts'
import { NOTHING_SENT } from './nothing-sent.ts'
import {
  type Cell,
  EACH,
  type NamedTest,
  OWN_TESTS,
  PROMISES,
  type Promised,
  REASONS,
  ROWS,
  type RunLine,
  type TriedOnEach,
} from './table.ts'
import { WAYS } from './ways-in.ts'

const HOME = join(import.meta.dirname, '../..')

const cells = Object.entries(ROWS).flatMap(([name, row]) =>
  (Object.keys(PROMISES) as Promised[]).map((promise) => ({
    name,
    promise,
    cell: row.cells[promise] as Cell | undefined,
  })),
)
const proofs = cells.flatMap(({ name, promise, cell }) =>
  cell && !('not' in cell) ? cell.map((proof) => ({ name, promise, proof })) : [],
)
const where = ({ name, promise }: { name: string; promise: string }) => `${name}: ${promise}`

type Node = { readonly type?: string; readonly [key: string]: unknown }

/** The names of a callee such as `test.concurrent.each(rows)`: test, concurrent, each. */
function namesOf(callee: Node | undefined): string[] {
  if (callee?.type === 'Identifier') return [String(callee.name)]
  if (callee?.type === 'MemberExpression')
    return [...namesOf(callee.object as Node), String((callee.property as Node).name)]
  if (callee?.type === 'CallExpression') return namesOf(callee.callee as Node)
  if (callee?.type === 'TaggedTemplateExpression') return namesOf(callee.tag as Node)
  return []
}

/**
 * The titles of the tests that a file runs: those in comments, and those that are skipped, or may be where a
 * program is missing, are none.
 */
function titlesIn(file: string, source: string): Set<string> {
  const titles = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, callee, arguments: given } = node as Node
    if (type === 'CallExpression') {
      const [root = '', ...more] = namesOf(callee as Node)
      const isOfTests = /^(test|it|describe|scenario)$/.test(root)
      if (isOfTests && more.some((name) => /^(skip|todo|fails|skipIf|runIf)$/.test(name))) return
      const [title] = given as { readonly type: string; readonly value?: unknown }[]
      if (isOfTests && root !== 'describe' && typeof title?.value === 'string')
        titles.add(title.value)
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, source).program)
  return titles
}

const known = new Map<string, Set<string>>()
function isRun({ file, title }: NamedTest): boolean {
  if (!known.has(file)) {
    const [found] = globSync(file, { cwd: HOME })
    known.set(file, found ? titlesIn(file, readFileSync(join(HOME, file), 'utf8')) : new Set())
  }
  return known.get(file)!.has(title)
}

/** Whether `npm run test:docs` runs the line. */
const isDone = ({ page, line }: RunLine) =>
  PAGES.includes(page) &&
  blocksOf(page).some((block) => (isShell(block) || isScript(block)) && block.text.includes(line))

test('the search for titles finds the tests that vitest runs, and no others', () => {
  const source = [
    "test('one', () => {})",
    "describe('a room', () => { test.each([1])('two %i', () => {}) })",
    "// test('three', () => {})",
    "test.skip('four', () => {})",
    "describe.skip('closed', () => { test('five', () => {}) })",
    "test.todo('six')",
    "scenario('seven', async () => {})",
    "const text = 'eight'",
    "test.skipIf(!hasTool)('nine', () => {})",
    "describe.runIf(hasTool)('tools', () => { test('ten', () => {}) })",
    "test.runIf(hasTool).each([1])('eleven %i', () => {})",
  ]
  expect([...titlesIn('a.test.ts', source.join('\n'))]).toEqual(['one', 'two %i', 'seven'])
})

test('every cell has a test, or one of ten reasons for its absence', () => {
  expect(Object.keys(REASONS).length).toBeLessThanOrEqual(10)
  const reasons = new Set<string>(
    cells.flatMap(({ cell }) => (cell && 'not' in cell ? [cell.not] : [])),
  )
  expect([...reasons].filter((reason) => !(reason in REASONS))).toEqual([])
  expect(Object.keys(REASONS).filter((reason) => !reasons.has(reason))).toEqual([])
  const empty = cells.filter(({ cell }) => !cell || (!('not' in cell) && cell.length === 0))
  expect(empty.map(where)).toEqual([])
})

test('every test that a cell names is in its file, and runs', () => {
  const missing = proofs.filter(({ proof }) => 'file' in proof && !isRun(proof))
  expect(missing.map((one) => `${where(one)}: ${(one.proof as NamedTest).title}`)).toEqual([])
})

test('every line of the docs that a cell names is in a block that is run', () => {
  const missing = proofs.filter(({ proof }) => 'page' in proof && !isDone(proof))
  expect(missing.map((one) => `${where(one)}: ${(one.proof as RunLine).line}`)).toEqual([])
})

test('every promise has a check that is removed by night', () => {
  const tried = new Set(REMOVALS.flatMap(({ of = [] }) => of))
  expect(Object.keys(PROMISES).filter((promise) => !tried.has(promise))).toEqual([])
})

test('every interface of another product has a row', () => {
  const rows = Object.values(ROWS).flatMap(({ protocol }) => protocol ?? [])
  expect(rows.toSorted()).toEqual(PROTOCOLS.map(({ group }) => group).toSorted())
})

const ROUTES: readonly string[] = [...FEATURES, ...PROTOCOLS].flatMap(({ rows = [] }) =>
  rows.map(({ at }) => at),
)
const OF_PROTOCOLS = new Set<string>(PROTOCOLS.flatMap(({ rows }) => rows.map(({ at }) => at)))
/** What only shows something. The doors of other products may send by a GET, too. */
const isReading = (at: string) => at.startsWith('GET ') && !OF_PROTOCOLS.has(at)

test('every route that may send is on a row; all others are listed as silent', () => {
  const onRows = Object.values(ROWS).flatMap(({ routes = [] }) => routes)
  const others = ROUTES.filter((at) => !isReading(at) && !onRows.includes(at))
  expect(others.toSorted()).toEqual(NOTHING_SENT.routes.toSorted())
  expect(onRows.filter((at) => !ROUTES.includes(at))).toEqual([])
})

test('every tool of assistants is on a row, or listed as silent', () => {
  const onRows = Object.values(ROWS).flatMap(({ tools = [] }) => tools)
  const names = [...SEND_TOOLS, ...FIND_TOOLS].map(({ name }) => name)
  expect(names.toSorted()).toEqual([...onRows, ...NOTHING_SENT.tools].toSorted())
})

/** What queues texts; `test/gateway/consent/late-refusals.slow.test.ts` shows that nothing else does. */
const QUEUES = [
  ...[
    'acceptSend',
    'sendInTransaction',
    'sendBodyInTransaction',
    'prepareOffer',
    'makeOffer',
    'storeOffers',
  ],
  ...['storeOffer', 'sendManyTexts', 'answerOffer', 'openAcceptor'],
]
/** What queues in SQL, or stores texts that need no queue. */
const STORES = /insertInto\('sms_messages'\)|insert into sms_messages\s|\bsms_(store|accept)\s*\(/
/** Their own files, what stores received texts, and the program itself. */
const OF_QUEUE =
  /gateway\/messages\/send\/(accept-send|prepare-offer|send-many-texts|store-offers)\.ts$|conversations\/insert-received-texts\.ts$|^src\/main\/|messages\/send\/sms_(accept|store)\.sql$/

/** Sources without comments. */
const SOURCES = globSync(['src/**/*.ts', 'sql/{functions,triggers}/**/*.sql'], { cwd: HOME })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !OF_QUEUE.test(file))
  .map((file) => {
    const text = readFileSync(join(HOME, file), 'utf8')
    return { file, text: text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|--.*/g, '') }
  })

/** The files that queue or store texts, and all that call these, up to routes, jobs and programs. */
function findOffering() {
  const names = new Set(QUEUES)
  for (;;) {
    const called = new RegExp(`\\b(${[...names].join('|')})\\b`)
    const found = SOURCES.filter(({ text }) => called.test(text) || STORES.test(text))
    const before = names.size
    for (const { text } of found)
      for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const) ([a-z]\w*)/gm))
        if (!NOTHING_SENT.functions.includes(name!)) names.add(name!)
    if (names.size === before) return found
  }
}

test('every file that offers or stores texts, or calls one that does, is on the rows of its routes', () => {
  const offering = findOffering()
  const onRows = new Set(Object.values(ROWS).flatMap(({ by }) => by.map((file) => `src/${file}`)))
  expect(offering.map(({ file }) => file).toSorted()).toEqual([...onRows].toSorted())
  const missing = offering.flatMap(({ file, text }) =>
    Object.entries(ROWS)
      .filter(([, { by, routes = [] }]) => {
        return !by.includes(file.slice(4)) && routes.some((at) => text.includes(`'${at}'`))
      })
      .map(([name]) => `${name}: ${file}`),
  )
  expect(missing).toEqual([])
  const all = SOURCES.map(({ text }) => text).join('\n')
  const gone = NOTHING_SENT.functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))
  expect(gone).toEqual([])
})

test('every row has a way, and the test of its column in each cell, or a test of its own', () => {
  const without = Object.keys(ROWS).filter((name) => !(name in WAYS))
  expect(without).toEqual(['smsgate'])
  const own = cells.flatMap(({ name, promise, cell }) => {
    const tried = promise in EACH ? EACH[promise as TriedOnEach] : undefined
    if (!tried || name === 'smsgate' || !cell || 'not' in cell || cell.includes(tried)) return []
    return [`${name}: ${promise}`]
  })
  const listed = Object.entries(OWN_TESTS).flatMap(([promise, names]) =>
    names.map((name) => `${name}: ${promise}`),
  )
  expect(own.toSorted()).toEqual(listed.toSorted())
})

const titleOf = (name: string) => ROWS[name]!.title
const listTitles = (names: readonly string[]) => names.map(titleOf).join(', ')
const isProven = ({ cell }: (typeof cells)[number]) => cell !== undefined && !('not' in cell)

/** The cells that have this reason: their ways, by promise. */
function listCells(reason: string): string {
  const found = cells.filter(({ cell }) => cell && 'not' in cell && cell.not === reason)
  return [...Map.groupBy(found, ({ promise }) => promise)]
    .map(([promise, at]) => `*${PROMISES[promise]}*: ${listTitles(at.map(({ name }) => name))}`)
    .join('; ')
}

/** The ways and promises as a page, with the cells that are not as their column. */
function makePage(): string {
  const proven = cells.filter(isProven).length
  const promises = Object.entries(PROMISES).map(([promise, title]) => {
    if (!(promise in EACH)) return `- ${title}: *each way*\n`
    const own = OWN_TESTS[promise as keyof typeof OWN_TESTS]
    return own ? `- ${title}: ${listTitles(own)}\n` : `- ${title}\n`
  })
  const reasons = Object.entries(REASONS).map(
    ([reason, why]) => `- **${why}** ${listCells(reason)}\n`,
  )
  return `# The crossing table

<!-- Made by: npx vitest run test/crossings/table.test.ts --project quick --update -->

Each way by which a text gets into the server, crossed with each promise about texts: ${Object.keys(ROWS).length} ways, ${Object.keys(PROMISES).length} promises,
${cells.length} cells. ${proven} cells name their tests in \`test/crossings/table.ts\`, and ${cells.length - proven} a reason why there is nothing to test.
A cell that is empty or names a test that does not run fails. \`test/crossings/nothing-sent.ts\` lists the routes and tools that send nothing;
each other route that changes something or belongs to another product is on a way.

## Ways

${listTitles(Object.keys(ROWS))}.

## Promises

A promise has a test that tries all ways except the SMSGate app and the ways that are named here. *Each way*: each has tests of its own.

${promises.join('')}
## Nothing to test

${reasons.join('')}`
}

test('docs/internals/crossings.md shows the table', async () => {
  await expect(makePage()).toMatchFileSnapshot('../../docs/internals/crossings.md')
})
