import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { findFreePort } from '../../../src/http/server/free-port.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { serve } from '../../support/server/program.ts'
import { listenLocally } from '../../support/services/listen.ts'
import { type DashboardFixture, openBrowser, type Part } from './dashboard-fixture.ts'
import { applicationSettings, editContact, exportAndImport, makeCollection } from './pages.ts'
import { firstSuperuser, openEachCollection, seed, signInWithApp, signOutAndIn } from './seed.ts'

/** The PocketBase with which answers, filters and the dashboard are compared. */
const POCKETBASE_VERSION = 'v0.40.4'

const MODULE = `github.com/pocketbase/pocketbase@${POCKETBASE_VERSION}`
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** PocketBase's own dashboard: `ui/dist` of its Go module, which `go install` leaves in the module cache. */
function dashboardFolder(): string {
  const folder =
    process.env.POCKETBASE_UI ??
    join(
      execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim(),
      MODULE,
      'ui',
      'dist',
    )
  if (!existsSync(join(folder, 'index.html'))) {
    throw new Error(
      `No dashboard in ${folder}: go install github.com/pocketbase/pocketbase/examples/base@${POCKETBASE_VERSION}, or set POCKETBASE_UI.`,
    )
  }
  return folder
}

/** Serves the dashboard under `/_/` and forwards everything else to `target`. */
async function startProxy(folder: string, target: string) {
  const server = createServer((req, res) => {
    const path = decodeURIComponent((req.url ?? '/').split('?')[0]!)
    if (path.startsWith('/_/')) {
      // made by the server: what a build of PocketBase adds to its dashboard
      if (path === '/_/extensions.js')
        return void res.writeHead(200, { 'content-type': TYPES['.js'] }).end()
      const file = join(folder, normalize(path.slice(3)) || 'index.html')
      const found = path === '/_/' ? join(folder, 'index.html') : file
      if (!found.startsWith(folder) || !existsSync(found)) return void res.writeHead(404).end()
      res.writeHead(200, { 'content-type': TYPES[extname(found)] ?? 'application/octet-stream' })
      return void res.end(readFileSync(found))
    }
    const forward = request(
      new URL(req.url ?? '/', target),
      { method: req.method, headers: req.headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    forward.on('error', () => res.headersSent || res.writeHead(502).end())
    res.on('close', () => forward.destroy())
    req.pipe(forward)
  })
  return listenLocally(server)
}

// PocketBase's own dashboard in a real browser, over a server on a new database: does what its pages offer,
// and fails when a request fails that should not, when a page throws, or when it shows something else than it
// should.

const HOST = '127.0.0.1'
const FIRST_PORT = 5720
const PICTURES = join(import.meta.dirname, '../../../coverage/dashboard')
/** The browser quotes what it was told to type. */
const LINE = 1_000
const EMAIL = 'boss@example.com'
const PASSWORD = 'bosspass12345'

const fill: Part = ({ url }) => seed(url, EMAIL, PASSWORD)
const PARTS: Readonly<Record<string, Part>> = {
  'first superuser by the printed link': firstSuperuser,
  'sign out and in': signOutAndIn,
  'sign in with an authenticator app': signInWithApp,
  'records of a gateway': fill,
  'each collection': openEachCollection,
  'a contact': editContact,
  'a collection with every type of field': makeCollection,
  'application settings': applicationSettings,
  'export and import': exportAndImport,
}

const port = await findFreePort(FIRST_PORT, HOST)
const proxy = await startProxy(dashboardFolder(), `http://${HOST}:${port}`)
const server = await serve({
  DATA_DIR: temporaryFolder(),
  DATABASE_URL: '',
  HOST,
  PORT: String(port),
  PUBLIC_URL: proxy.url,
  LOG_LEVEL: 'warn',
})
rmSync(PICTURES, { recursive: true, force: true })
const browser = await openBrowser(proxy.url, PICTURES)
const link = /http\S+pbinstall\S+/.exec(server.output())?.[0] ?? ''
const fixture: DashboardFixture = {
  ...browser,
  url: proxy.url,
  link,
  email: EMAIL,
  password: PASSWORD,
}

let passed = 0
let failed = 0
const only = process.argv.slice(2)
for (const [name, part] of Object.entries(PARTS)) {
  if (only.length > 0 && !only.some((word) => name.includes(word))) continue
  const before = browser.faults.length
  const error = await part(fixture).catch((cause: unknown) => cause as Error)
  const faults = [...browser.faults.slice(before), ...(error ? [error.stack ?? String(error)] : [])]
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'} ${name}`)
  for (const fault of faults) console.log(`       ${fault.slice(0, LINE)}`)
  if (error) await browser.shot(`failed-${name.replaceAll(' ', '-')}`)
  if (faults.length > 0) failed++
  else passed++
}
console.log(`${passed} passed, ${failed} failed, ${browser.requests()} requests`)
console.log(`Pictures are in ${PICTURES}`)
await browser.close()
await proxy.stop()
await server.stop()
process.exit(failed === 0 ? 0 : 1)
