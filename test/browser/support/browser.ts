import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser as Chrome, chromium, type Page } from 'playwright-core'

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
/**
 * `--no-sandbox`: root in a container has no other choice. The rest keeps the browser from calling its maker.
 */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const PICTURES = join(import.meta.dirname, '../../..', 'coverage', 'browser')
const WAIT_MS = 15_000
/** Of the page in a picture's file name, in characters. */
const LONGEST_NAME = 120
/** What Chromium says of every answer over 399, which is looked at as one, and of http from another host. */
const EXPECTED = /^Failed to load resource|^The Cross-Origin-Opener-Policy header has been ignored/

/** The screens of every scenario. */
export const SCREENS = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
    deviceScaleFactor: 2,
  },
} as const
export type Screen = keyof typeof SCREENS

/** A page in a browser that takes note of whatever goes wrong in it. */
export interface Browser {
  readonly page: Page
  /** Errors of the page, answers over 399, and requests to other hosts, a line each. */
  readonly faults: string[]
  /** Runs work in which one answer at least must be over 399, such as `POST /api/collections/…: 400`. */
  refused(answer: RegExp, work: () => Promise<unknown>): Promise<void>
  /**
   * Takes pictures of the page in both themes, and notes as faults what axe-core finds serious or critical,
   * but for rules in `but`.
   */
  look(name: string, but?: readonly string[]): Promise<void>
  /** As `look`, but all that axe-core finds is a fault. */
  inspect(name: string): Promise<void>
  /** Another person's window at the same server, with cookies and storage of its own. */
  another(): Promise<Browser>
  close(): Promise<void>
}

/** Opens a browser at the console of `url`. */
export async function openBrowser(
  url: string,
  screen: Screen,
  locale = 'en-US',
  timezoneId?: string,
  width: number = SCREENS[screen].viewport.width,
): Promise<Browser> {
  const chrome = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  return openWindow(chrome, [], url, screen, width, locale, timezoneId)
}

async function openWindow(
  chrome: Chrome,
  faults: string[],
  url: string,
  screen: Screen,
  width: number,
  locale: string,
  timezoneId?: string,
): Promise<Browser> {
  const { viewport, ...rest } = SCREENS[screen]
  const context = await chrome.newContext({
    ...rest,
    viewport: { ...viewport, width },
    locale,
    reducedMotion: 'reduce',
    ...(timezoneId && { timezoneId }),
  })
  const shownOn = width === viewport.width ? screen : width
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  page.on('pageerror', (error) => faults.push(`page error: ${error.stack}`))
  page.on('console', (message) => {
    const isFault = message.type() === 'error' && !EXPECTED.test(message.text())
    if (isFault) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== url)
      faults.push(`request to another host: ${request.url()}`)
  })
  page.on('response', (response) => {
    const path = response.url().slice(url.length)
    if (response.status() > 399)
      faults.push(`${response.request().method()} ${path}: ${response.status()}`)
  })
  const examine = async (name: string, isFault: (violation: Violation) => boolean) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.evaluate(PAINTED)
      await takePicture(
        page,
        `${name.replace(/\W+/g, '-').slice(0, LONGEST_NAME)}-${shownOn}-${colorScheme}`,
      )
      const found = (await accessFaults(page)).filter(isFault)
      faults.push(...found.flatMap(linesOf(`${name}, ${colorScheme}`)))
    }
  }
  return {
    page,
    faults,
    async refused(answer, work) {
      const before = faults.length
      await work()
      const since = faults.splice(before)
      const others = since.filter((fault) => !answer.test(fault))
      if (others.length === since.length) others.push(`there was no refusal of ${answer}`)
      faults.push(...others)
    },
    look: (name, but = []) =>
      examine(name, (violation) => isSerious(violation) && !but.includes(violation.id)),
    inspect: (name) => examine(name, () => true),
    another: () => openWindow(chrome, faults, url, screen, width, locale, timezoneId),
    close: () => chrome.close(),
  }
}

/** Until the new colours are on the screen. */
const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`) })
}

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** What axe-core finds; evaluated from outside, which the page's own policy does not stop. */
async function accessFaults(page: Page): Promise<readonly Violation[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
  return (found as { violations: readonly Violation[] }).violations
}

const isSerious = ({ impact }: Violation) => impact === 'serious' || impact === 'critical'

const linesOf =
  (where: string) =>
  ({ id, nodes }: Violation): string[] =>
    nodes.map((node) => `${where}: axe ${id}: ${node.html}\n${node.failureSummary}`)
