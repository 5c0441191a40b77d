import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { freePortFrom } from '../../src/demo/port.ts'
import { CHROMIUM, FLAGS } from '../browser/support/browser.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { serve } from '../support/server/program.ts'
import { dashboardFolder, startProxy } from './proxy.ts'

// PocketBase's own dashboard in a real browser, over a server on a new database: opens every page, and fails
// when a request fails, or a page throws. What its forms ask for is compared by test/conformance.

const HOST = '127.0.0.1'
const PICTURES = join(import.meta.dirname, '..', '..', 'coverage', 'dashboard')
const WAIT_MS = 15_000
/** What is not built: its requests may fail. */
const NOT_BUILT = /\/api\/(files|sql)\b|oauth2/
const SETTINGS = [
  '',
  '/mail',
  '/storage',
  '/backups',
  '/crons',
  '/sql',
  '/export-collections',
  '/import-collections',
]

const port = await freePortFrom(5720, HOST)
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
mkdirSync(PICTURES, { recursive: true })
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
page.setDefaultTimeout(WAIT_MS)
await page.route(
  (target) => target.protocol.startsWith('http') && target.origin !== proxy.url,
  (route) => route.abort(),
)
const faults: string[] = []
page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
page.on('response', (response) => {
  const path = response.url().slice(proxy.url.length)
  if (response.status() >= 400 && !NOT_BUILT.test(path))
    faults.push(`${response.request().method()} ${path}: ${response.status()}`)
})

let shots = 0
async function visit(hash: string): Promise<void> {
  await page.goto(`${proxy.url}/_/#${hash}`)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(PICTURES, `${String(++shots).padStart(2, '0')}.png`) })
}

async function signUp(): Promise<void> {
  await page.goto(/http\S+pbinstall\S+/.exec(server.output())?.[0] ?? '')
  await page.fill('#superuser_email', 'boss@example.com')
  await page.fill('#superuser_password', 'bosspass12345')
  await page.fill('#superuser_password_confirm', 'bosspass12345')
  await page.getByText('Create superuser and login').click()
  await page.getByText('New collection').waitFor()
}

async function openCollections(): Promise<void> {
  await visit('/collections')
  await page.locator('.nav-group-system-collections summary').click()
  const names = await page.locator('.collections-list .nav-item .txt').allTextContents()
  if (!names.includes('sms_messages')) throw new Error(`collections: ${names}`)
  for (const name of names) await visit(`/collections?collection=${name}`)
}

async function openPreviews(): Promise<void> {
  for (const name of ['users', 'sms_messages']) {
    await visit(`/collections?collection=${name}`)
    await page.locator('.api-preview-btn').click()
    const tabs = page.locator('.api-preview-nav .nav-item:not([disabled])')
    for (let i = 0; i < (await tabs.count()); i++) await tabs.nth(i).click()
    await page.waitForLoadState('networkidle')
  }
}

try {
  await signUp()
  await openCollections()
  await openPreviews()
  await visit('/logs')
  for (const name of SETTINGS) await visit(`/settings${name}`)
} catch (error) {
  faults.push(String(error).slice(0, 1_000))
}
for (const fault of faults) console.log(fault)
console.log(`${shots} pages, ${faults.length} faults; pictures are in ${PICTURES}`)
await browser.close()
await proxy.stop()
await server.stop()
process.exit(faults.length === 0 ? 0 : 1)
