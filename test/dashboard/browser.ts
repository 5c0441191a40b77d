import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page, type Request } from 'playwright-core'
import { CHROMIUM, FLAGS } from '../browser/support/browser.ts'

const VIEWPORT = { width: 1400, height: 900 }
const WAIT_MS = 15_000
/** The dashboard waits up to 150 ms between an event and its request. */
const QUIET_MS = 300

/** What is not built: its requests may fail. */
const NOT_BUILT = /\/api\/(files|sql)\b|oauth2/

/** A page in a browser that takes note of whatever goes wrong in it. */
export interface Browser {
  readonly page: Page
  /** Failed requests and errors of the page since the start, a line each. */
  readonly faults: string[]
  /** How many requests the page has made. */
  requests(): number
  /** Returns when no request has been under way for a moment. */
  settled(): Promise<void>
  /** Runs work in which requests such as `PATCH /api/collections/…: 400` must fail. */
  refused(request: RegExp, work: () => Promise<void>): Promise<void>
  /** Takes a picture, numbered in the order of taking. */
  shot(name: string): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a browser. Pictures go to `folder`; requests to any other host than that of `url` are not let out.
 */
export async function openBrowser(url: string, folder: string): Promise<Browser> {
  mkdirSync(folder, { recursive: true })
  const chrome = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  const page = await chrome.newPage({ viewport: VIEWPORT })
  page.setDefaultTimeout(WAIT_MS)
  await page.route(
    (target) => target.protocol.startsWith('http') && target.origin !== url,
    (route) => route.abort(),
  )
  const faults: string[] = []
  const underWay = new Set<Request>()
  let requests = 0
  let shots = 0
  let lastMove = performance.now()
  const moved = (request: Request, begins: boolean) => {
    if (begins) requests++
    underWay[begins ? 'add' : 'delete'](request)
    lastMove = performance.now()
  }
  page.on('request', (request) => moved(request, true))
  page.on('requestfinished', (request) => moved(request, false))
  page.on('requestfailed', (request) => moved(request, false))
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`))
  page.on('response', async (response) => {
    const path = response.url().slice(url.length)
    if (response.status() < 400 || NOT_BUILT.test(path)) return
    const fault = `${response.request().method()} ${path}: ${response.status()}`
    const at = faults.push(fault) - 1
    faults[at] = `${fault} ${await response.text().catch(() => '')}`
  })
  const settled = async () => {
    lastMove = performance.now()
    while (underWay.size > 0 || performance.now() - lastMove < QUIET_MS) await page.waitForTimeout(50)
  }
  return {
    page,
    faults,
    requests: () => requests,
    settled,
    async refused(request, work) {
      const before = faults.length
      await work()
      await settled()
      const since = faults.splice(before)
      const others = since.filter((fault) => !request.test(fault))
      if (others.length === since.length) others.push(`there was no refusal of ${request}`)
      faults.push(...others)
    },
    async shot(name) {
      await settled()
      await page.screenshot({ path: join(folder, `${String(++shots).padStart(2, '0')}-${name}.png`) })
    },
    close: () => chrome.close(),
  }
}
