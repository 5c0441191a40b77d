import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SENDING_ROUTES } from '../protocols/send-only/door-sends.ts'
import { startServer } from '../support/server/start.ts'
import { PAGES, readPage } from './page.ts'

// docs/internals/bounds.md, or the chapter `## Bounds` of a feature's own page, names each route of the API's
// description and each background job.

const HOME = join(import.meta.dirname, '../..')
const chapters = PAGES.map(
  (name) => readPage(name).match(/^## Bounds$[\s\S]*?(?=^## |$(?![\s\S]))/m)?.[0],
)
const page = [readPage('docs/internals/bounds.md'), ...chapters].join('\n')
const HOW = 'add a row to docs/internals/bounds.md, or to the chapter "## Bounds" of your page'

const server = await startServer({ env: { DEVICE_ALARM_MINUTES: '10' } })

test('the page of bounds names every route', async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json()
  const { paths } = document as { paths: Record<string, object> }
  const names = server.services.store.catalog.all.map(({ name }) => name).join('|')
  const ofCollection = new RegExp(`^/api/collections/(?:${names})/`)
  const routes = Object.entries(paths).flatMap(([path, methods]) => {
    const general = path.replace(ofCollection, '/api/collections/{collection}/')
    return Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${general}\``)
  })
  expect(routes.length).toBeGreaterThan(100)
  // a limit of `gateway/messages/send/prepare-offer` bounds these, so that one row is for all
  const sends = new Set(SENDING_ROUTES.map((at) => `\`${at}\``))
  const rowOf = (route: string) => (sends.has(route) ? "| sends of other products' APIs |" : route)
  const missing = [...new Set(routes)].filter((route) => !page.includes(rowOf(route)))
  expect(missing, HOW).toEqual([])
  const named = page.match(/`(?:GET|POST|PUT|PATCH|DELETE) \/[^`]*`/g) ?? []
  expect(named.filter((route) => !routes.includes(route))).toEqual([])
})

/** `repeat(() => answerTexts(…` runs `answerTexts`. */
const REPEATED =
  /(?<!function |\.)\brepeat\(\s*(?:(?:async )?\(\) => (?:\{\s*(?:\w+ = )?(?:await )?)?)?(?:this\.#)?([\w.]+)/g
const OTHERS = ['src/programs/agent/**', 'src/main/demo/**', 'src/programs/bulk/**']
const repeated = () =>
  globSync('src/**/*.ts', { cwd: HOME, exclude: OTHERS }).flatMap((file) =>
    [...readFileSync(join(HOME, file), 'utf8').matchAll(REPEATED)].map(([, name]) => name!),
  )

test('the page of bounds names every background job', () => {
  const jobs = [...server.services.jobs.map(({ id }) => id), ...repeated()]
  expect(jobs.length).toBeGreaterThan(15)
  expect(
    jobs.filter((name) => !page.includes(`\`${name}\``)),
    HOW,
  ).toEqual([])
})
