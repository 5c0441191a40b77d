import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePortFrom } from '../../src/demo/demo.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { serve } from '../support/server/program.ts'
import { openBrowser } from './browser.ts'
import { makeCollection } from './collections.ts'
import type { DashboardFixture, Part } from './dashboard-fixture.ts'
import { dashboardFolder, startProxy } from './proxy.ts'
import { editContact } from './records.ts'
import { seed } from './seed.ts'
import { applicationSettings, exportAndImport } from './settings.ts'
import { firstSuperuser, openEachCollection, signOutAndIn } from './sign-in.ts'

// PocketBase's own dashboard in a real browser, over a server on a new database: does what its pages offer,
// and fails when a request fails that should not, when a page throws, or when it shows something else than it
// should.

const HOST = '127.0.0.1'
const FIRST_PORT = 5720
const PICTURES = join(import.meta.dirname, '..', '..', 'coverage', 'dashboard')
/** The browser quotes what it was told to type. */
const LINE = 1_000
const EMAIL = 'boss@example.com'
const PASSWORD = 'bosspass12345'

const fill: Part = ({ url }) => seed(url, EMAIL, PASSWORD)
const PARTS: Readonly<Record<string, Part>> = {
  'first superuser by the printed link': firstSuperuser,
  'sign out and in': signOutAndIn,
  'records of a gateway': fill,
  'each collection': openEachCollection,
  'a contact': editContact,
  'a collection with every type of field': makeCollection,
  'application settings': applicationSettings,
  'export and import': exportAndImport,
}

const port = await freePortFrom(FIRST_PORT, HOST)
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
const fixture: DashboardFixture = { ...browser, url: proxy.url, link, email: EMAIL, password: PASSWORD }

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
