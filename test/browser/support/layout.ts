import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserFixture } from './browser-fixture.ts'

export const WIDTHS = [320, 390, 720, 768, 931, 1024, 1280, 1440, 1920]
const THEMES = ['light', 'dark'] as const
const FOLDER = join(import.meta.dirname, '../../../coverage/browser/widths')
const SOURCE = readFileSync(join(import.meta.dirname, 'layout-faults.js'), 'utf8').replace(
  'export ',
  '',
)
/** `PICTURES=1` takes a picture of each page at each width, light and dark. */
const TAKES_PICTURES = process.env.PICTURES === '1'
/** `ONLY='/send$|/team'` visits only the pages whose paths match. */
const ONLY = new RegExp(process.env.ONLY ?? '')

/** Visits the pages, and returns their faults of layout at each width, in both themes. */
export async function findLayoutFaults(
  fixture: BrowserFixture,
  paths: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  const hasSettled = watchRequests(fixture)
  for (const path of paths.filter((each) => ONLY.test(each))) {
    await fixture.visit(path)
    for (const width of WIDTHS) {
      await fixture.page.setViewportSize({ width, height: 800 })
      await hasSettled()
      found.push(...(await faultsAt(fixture, `${path} at ${width}`)))
    }
  }
  return found
}

/** The faults of the page at its present width, each with the theme in which it is the first time. */
async function faultsAt({ page, screen }: BrowserFixture, place: string): Promise<string[]> {
  const found = new Map<string, string>()
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const faults = await page.evaluate(`${SOURCE}; layoutFaults(${screen === 'phone'})`)
    for (const fault of faults as string[]) if (!found.has(fault)) found.set(fault, colorScheme)
    if (TAKES_PICTURES)
      await takePicture(page, `${screen}${place.replace(/\W+/g, '-')}-${colorScheme}`)
  }
  return [...found].map(([fault, theme]) => `${place}, ${theme}: ${fault}`)
}

/** Resolves when nothing loads in the page, and its boxes are in the same places in three frames in a row. */
const SAME_FRAMES = `new Promise((done) => {
  let before = ''
  let same = 0
  const look = () => {
    const boxes = [...document.querySelectorAll('main, main *')].map((each) => each.getBoundingClientRect())
    const now = boxes.map(({ x, y, width, height }) => [x, y, width, height].join()).join(' ')
    same = now === before && !document.querySelector('main .spinner') ? same + 1 : 0
    before = now
    if (same < 2) requestAnimationFrame(look)
    else done()
  }
  look()
})`

/** Returns a function that waits until the page has its answers and shows them. */
function watchRequests({ page }: BrowserFixture): () => Promise<void> {
  const open = new Set<unknown>()
  page.on('request', (request) => {
    if (!request.url().endsWith('/api/realtime')) open.add(request)
  })
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => open.delete(request))
  return async () => {
    do {
      await expect.poll(() => open.size).toBe(0)
      await page.evaluate(SAME_FRAMES)
    } while (open.size > 0)
  }
}

async function takePicture(page: BrowserFixture['page'], name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  await page.screenshot({ path: join(FOLDER, `${name}.jpg`), quality: 60 })
}
