import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMON_BOUNDS } from '../../src/http/bounds.ts'
import { FEATURES } from '../../src/main/features.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { startServer } from '../support/server/start.ts'
import { readPage } from './page.ts'

const HOME = join(import.meta.dirname, '../..')
const ROWS = [
  ...FEATURES.flatMap(({ rows = [] }) => rows),
  ...PROTOCOLS.flatMap(({ rows }) => rows),
]
  // ALL: a refusal of all other methods
  .filter(({ at }) => !at.startsWith('ALL '))
type Row = (typeof ROWS)[number]

const showPath = ({ at }: Row) => `\`${at.replaceAll(/:(\w+)(?:\{.*?\})?/g, '{$1}')}\``

function showBytes({ maxBytes }: Row): string {
  if (maxBytes === undefined) return ''
  if (typeof maxBytes === 'function') return 'varies'
  if (maxBytes === Number.POSITIVE_INFINITY) return 'any'
  if (maxBytes % 1024 !== 0) return `${maxBytes.toLocaleString('en')} bytes`
  return maxBytes < 1 << 20 ? `${maxBytes >> 10} KiB` : `${maxBytes >> 20} MiB`
}

const showExtras = (row: Row) =>
  [showBytes(row), row.heavy && 'heavy', row.idempotent && 'idempotent'].filter(Boolean).join(', ')

/** The paths of rows with one bound. Those with the same largest body and flags share a bracket. */
const showRoutes = (rows: readonly Row[]) =>
  [...Map.groupBy(rows, showExtras)]
    .map(([extras, same]) => `${same.map(showPath).join(', ')}${extras && ` (${extras})`}`)
    .join('; ')

function showBound({ bound }: Row): string {
  const { cost, by } = typeof bound === 'string' ? COMMON_BOUNDS[bound] : bound
  return `**${cost}**: ${by}`
}

/** The bounds of all routes as a page: an entry for each bound, with its routes. */
function makePage(): string {
  const bounds = [...Map.groupBy(ROWS, showBound)]
  const entries = bounds.map(([bound, rows]) => `- ${bound}  \n  ${showRoutes(rows)}\n`)
  return `# What bounds each route

<!-- Made by: npx vitest run test/docs/bounds.test.ts --project quick --update -->

Each entry says what makes the statements of its routes slower, and which limit bounds that, as the \`bound\` of their rows does.
[Bounds](bounds.md) explains *turns*, *keys* and *30 s*. In brackets, for the routes before it up to a semicolon:

- the largest body (*varies*: by the settings, the collection or the type of the body). A route without one reads no body, or at most 32 MiB;
- *heavy*: the work waits for a [place of heavy work](client-limits.md), once its body has arrived;
- *idempotent*: the route reads \`Idempotency-Key\`, and answers a repeated request with its first answer.

${entries.join('')}`
}

test('docs/internals/route-bounds.md shows the bounds in the rows of all routes', async () => {
  await expect(makePage()).toMatchFileSnapshot('../../docs/internals/route-bounds.md')
})

const server = await startServer({ env: { DEVICE_ALARM_MINUTES: '10' } })

/** Finds the job that a call of `repeat` runs: a function, or the first call inside an arrow function. */
const REPEATED =
  /(?<!function |\.)\brepeat\(\s*(?:(?:async )?\(\) => (?:\{\s*(?:\w+ = )?(?:await )?)?)?(?:this\.#)?([\w.]+)/g
const OTHERS = ['src/programs/agent/**', 'src/main/demo/**', 'src/programs/bulk/**']
const repeated = () =>
  globSync('src/**/*.ts', { cwd: HOME, exclude: OTHERS }).flatMap((file) =>
    [...readFileSync(join(HOME, file), 'utf8').matchAll(REPEATED)].map(([, name]) => name!),
  )

test('the page of bounds names every background job', () => {
  const page = readPage('docs/internals/bounds.md')
  const jobs = [...server.services.jobs.map(({ id }) => id), ...repeated()]
  expect(jobs.length).toBeGreaterThan(15)
  expect(
    jobs.filter((name) => !page.includes(`\`${name}\``)),
    'add a row to docs/internals/bounds.md',
  ).toEqual([])
})
