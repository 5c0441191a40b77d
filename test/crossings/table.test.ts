import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { FEATURES } from '../../src/main/features.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { blocksOf, isScript, isShell, PAGES } from '../docs/page.ts'
import { PROMISES as ALLOWED } from '../permission/promises.ts'
import { SENDING_ROUTES } from '../protocols/send-only/door-sends.ts'
import { REMOVALS } from './checks.ts'
import {
  type Cell,
  type NamedTest,
  PROMISES,
  type Promised,
  type Proof,
  REASONS,
  ROWS,
  type RunLine,
} from './table.ts'

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

/** The titles of the tests that a file runs: those in comments, and those that are skipped, are none. */
function titlesIn(file: string, source: string): Set<string> {
  const titles = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, callee, arguments: given } = node as Node
    if (type === 'CallExpression') {
      const [root = '', ...more] = namesOf(callee as Node)
      const isOfTests = /^(test|it|describe|scenario)$/.test(root)
      if (isOfTests && more.some((name) => /^(skip|todo|fails)$/.test(name))) return
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

test('the search for titles finds what vitest runs, and nothing else', () => {
  const source = [
    "test('one', () => {})",
    "describe('a room', () => { test.each([1])('two %i', () => {}) })",
    "// test('three', () => {})",
    "test.skip('four', () => {})",
    "describe.skip('closed', () => { test('five', () => {}) })",
    "test.todo('six')",
    "scenario('seven', async () => {})",
    "const text = 'eight'",
  ]
  expect([...titlesIn('a.test.ts', source.join('\n'))]).toEqual(['one', 'two %i', 'seven'])
})

test('every cell has a test, or one of ten kinds of reasons why there is nothing to test', () => {
  expect(Object.keys(REASONS).length).toBeLessThanOrEqual(10)
  const reasons = cells.flatMap(({ cell }) => (cell && 'not' in cell ? [cell.not] : []))
  expect(reasons.filter((reason) => !(reason in REASONS))).toEqual([])
  expect(Object.keys(REASONS).filter((reason) => !reasons.includes(reason as never))).toEqual([])
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

test('every promise has a check that is removed by night, once in its file', () => {
  const tried = new Set(REMOVALS.flatMap(({ of = [] }) => of))
  expect(Object.keys(PROMISES).filter((promise) => !tried.has(promise))).toEqual([])
  const wrong = REMOVALS.filter(({ removed: [file, check] }) => {
    return readFileSync(join(HOME, file), 'utf8').split(check).length !== 2
  })
  expect(wrong.map(({ removed: [file, check] }) => `${file}: ${check}`)).toEqual([])
})

test('every interface of another product has a row', () => {
  const rows = Object.values(ROWS).flatMap(({ protocol }) => protocol ?? [])
  expect(rows.toSorted()).toEqual(PROTOCOLS.map(({ group }) => group).toSorted())
})

/** Who may use a route whose request can make a text leave, as test/permission/promises.ts says. */
const SENDING = /^(send|verify|campaign|retry|hook)/
/** Such routes that send nothing themselves. */
const NOTHING_SENT = [
  'POST /api/verify/check',
  'POST /api/verify/cancel',
  'POST /api/campaigns/preview',
  'POST /api/campaigns/:id/pause',
  'POST /api/campaigns/:id/cancel',
]

test('every route that sends is on a row, and every route of a row exists', () => {
  const onRows = Object.values(ROWS).flatMap(({ routes = [] }) => routes)
  const sending = Object.entries(ALLOWED)
    .filter(([at, who]) => SENDING.test(who) && !NOTHING_SENT.includes(at))
    .map(([at]) => at)
  expect([...sending, ...SENDING_ROUTES].filter((at) => !onRows.includes(at))).toEqual([])
  const routes = [...FEATURES, ...PROTOCOLS].flatMap(({ rows = [] }) => rows.map(({ at }) => at))
  expect([...onRows, ...NOTHING_SENT].filter((at) => !routes.includes(at as never))).toEqual([])
})

/** What queues texts; `test/gateway/consent/still-go.slow.test.ts` shows that nothing else does. */
const OFFERING =
  /\b(sendMessages|sendInTransaction|prepareOffer|makeOfferedMessage|storeOffers|storeMms|sendManyTexts|sms_store)\b/
/** Their own files, and the program's start. */
const OF_QUEUE = /^gateway\/messages\/send\/(send-messages|send-many-texts|store-offers)\.ts$/
/** What stores texts that need no queue, and are not received ones. */
const STORING = /insertInto\('sms_messages'\)|insert into sms_messages\s/
const RECEIVED = 'gateway/conversations/insert-received-texts.ts'

test('every file of src that offers or stores texts is on a row', () => {
  const src = join(HOME, 'src')
  const offering = globSync('**/*.ts', { cwd: src })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !OF_QUEUE.test(file) && file !== RECEIVED)
    .filter((file) => {
      const text = readFileSync(join(src, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      return OFFERING.test(text) || STORING.test(text)
    })
  const onRows = new Set(Object.values(ROWS).flatMap(({ by }) => by))
  expect(offering.toSorted()).toEqual([...onRows].toSorted())
})

const short = (file: string) => file.replace(/^test\/|(\.slow)?\.test\.ts$/g, '')
const nameProof = (proof: Proof) =>
  'file' in proof ? `${short(proof.file)}: “${proof.title}”` : `${proof.page}: \`${proof.line}\``
const letters = Object.keys(REASONS).map((reason, i) => [reason, 'abcdefghij'[i]!] as const)
const letterOf = new Map<string, string>(letters)

function showCell(cell: Cell): string {
  if ('not' in cell) return letterOf.get(cell.not)!
  return String(cell.length)
}

/** The table as a page: what is tested where, and why not. */
function makePage(): string {
  const tested = cells.filter(({ cell }) => cell && !('not' in cell) && cell.length > 0).length
  const reasons = cells.filter(({ cell }) => cell && 'not' in cell).length
  const promises = Object.entries(PROMISES)
  const rows = Object.entries(ROWS)
  const head = promises.map(([, title]) => ` ${title} |`).join('')
  const kinds = letters.map(([reason, letter]) => `- **${letter}**: ${REASONS[reason as never]}\n`)
  const body = rows.map(([, { title, cells: of }]) => {
    const shown = promises.map(([promise]) => ` ${showCell(of[promise as Promised])} |`)
    return `| ${title} |${shown.join('')}\n`
  })
  const lists = promises.map(([promise, title]) => {
    const of = Map.groupBy(
      proofs.filter((one) => one.promise === promise),
      ({ proof }) => nameProof(proof),
    )
    const lines = [...of].map(
      ([proof, ones]) => `- ${proof}: ${ones.map(({ name }) => ROWS[name]!.title).join(', ')}\n`,
    )
    return `## ${title}\n\n${lines.join('')}\n`
  })
  return `${`# The crossing table

<!-- Made by: npx vitest run test/crossings/table.test.ts --project quick --update -->

Each way by which a text gets into the server, crossed with each promise about texts: ${rows.length} ways, ${promises.length} promises,
${cells.length} cells. ${tested} cells name tests (the number of tests), and ${reasons} a reason (a letter). \`test/crossings/table.ts\` has the table,
and a cell that is empty or names a test that does not run fails.

${kinds.join('')}
| |${head}
|---|${promises.map(() => '---|').join('')}
${body.join('')}
The tests of each promise, and the ways that they show:

${lists.join('')}`.trimEnd()}\n`
}

test('docs/internals/crossings.md shows the table', async () => {
  await expect(makePage()).toMatchFileSnapshot('../../docs/internals/crossings.md')
})
