import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Locator, type Page, type Request } from 'playwright-core'
import { CHROMIUM, FLAGS } from '../../browser/support/browser.ts'

const VIEWPORT = { width: 1400, height: 900 }
const WAIT_MS = 15_000
/** The dashboard waits up to 150 ms between an event and its request. */
const QUIET_MS = 300

/** What is not built: its requests may fail. */
const NOT_BUILT = /\/api\/(files|sql)\b|oauth2/

/** A page in a browser that takes note of whatever goes wrong in it. */
interface Browser {
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
    while (underWay.size > 0 || performance.now() - lastMove < QUIET_MS)
      await page.waitForTimeout(50)
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
      await page.screenshot({
        path: join(folder, `${String(++shots).padStart(2, '0')}-${name}.png`),
      })
    },
    close: () => chrome.close(),
  }
}

/** The dashboard in a browser, and who signs in to it. */
export interface DashboardFixture extends Browser {
  readonly url: string
  /** The link that the server printed at its first start. */
  readonly link: string
  readonly email: string
  readonly password: string
}

/** What one part of the run does. It throws when the dashboard shows something else than it should. */
export type Part = (fixture: DashboardFixture) => Promise<void>

/** Opens a page of the dashboard, such as `/settings`, and waits until it has all it asks for. */
export async function visit(fixture: DashboardFixture, hash: string): Promise<void> {
  await fixture.page.goto(`${fixture.url}/_/#${hash}`)
  await fixture.settled()
}

/** Opens the records of a collection. Throws when the dashboard shows another one instead. */
export async function visitCollection(fixture: DashboardFixture, name: string): Promise<void> {
  await visit(fixture, `/collections?collection=${name}`)
  same(
    await fixture.page.locator('.breadcrumbs').innerText(),
    `Collections\n${name}`,
    'the open collection',
  )
}

/** The form of a record or a collection that is open. */
export const form = ({ page }: DashboardFixture): Locator =>
  page.locator('.modal:not(.popup)[data-modal-state=open]').last()

/** The small dialog over it: a question, a picker. */
export const popup = ({ page }: DashboardFixture): Locator =>
  page.locator('.modal.popup[data-modal-state=open]').last()

/** Presses a button in a form or a popup. */
export const press = (within: Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).first().click()

/** The input of this name; the folded part that it is in is opened. */
export async function named(
  { page }: DashboardFixture,
  within: Locator,
  name: string,
): Promise<Locator> {
  const input = `[name="${name}"]`
  const part = within.locator('details.accordion', { has: page.locator(input) })
  if ((await part.count()) > 0 && (await part.getAttribute('open')) === null)
    await part.locator('summary').first().click()
  return within.locator(input).first()
}

/** Switches the checkbox of this name by its label, as a hand would. */
export async function flip(
  fixture: DashboardFixture,
  within: Locator,
  name: string,
): Promise<void> {
  const id = await (await named(fixture, within, name)).getAttribute('id')
  await within.locator(`label[for="${id}"]`).first().click()
}

/** Takes an item of the menu that a button opens. */
export async function choose(
  fixture: DashboardFixture,
  menu: Locator,
  item: string,
): Promise<void> {
  await menu.click()
  const open = fixture.page.locator('.dropdown:popover-open')
  await open.locator('.dropdown-item', { hasText: item }).first().click()
}

/** Waits for the green note of a success. */
export async function succeeded(fixture: DashboardFixture, text: string | RegExp): Promise<void> {
  const note = fixture.page.locator('.toast.success', { hasText: text }).first()
  await note.waitFor()
  await fixture.settled()
  await note
    .locator('.toast-remove')
    .click({ force: true })
    .catch(() => {})
}

/** Replaces what stands in an editor of code: rules, JSON, the search bar. */
export async function write(
  fixture: DashboardFixture,
  editor: Locator,
  text: string,
): Promise<void> {
  await editor.click()
  await fixture.page.keyboard.press('Control+A')
  await fixture.page.keyboard.press('Delete')
  await fixture.page.keyboard.insertText(text)
  await fixture.page.keyboard.press('Escape')
}

/** Throws a sentence unless both are equal. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== e) throw new Error(`${what}: expected ${e}, got ${a}`)
}

/** How many records the page says there are. */
export async function total(fixture: DashboardFixture): Promise<number> {
  await fixture.settled()
  return Number((await fixture.page.locator('.total-count').innerText()).replace('Total: ', ''))
}
