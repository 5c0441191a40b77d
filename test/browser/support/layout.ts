import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserFixture } from './browser-fixture.ts'

export const WIDTHS = [320, 390, 720, 768, 931, 1024, 1280, 1440, 1920]
const FOLDER = join(import.meta.dirname, '../../../coverage/browser/widths')
const SOURCE = readFileSync(join(import.meta.dirname, 'layout-faults.js'), 'utf8').replace('export ', '')
/** `PICTURES=1` takes a picture of each page at each width, light and dark. */
const TAKES_PICTURES = process.env.PICTURES === '1'

/**
 * Visits the pages, and returns their faults of layout at each width: `PATH at WIDTH: FAULT`. `direction`: of
 * the language that shows them.
 */
export async function findLayoutFaults(
  fixture: BrowserFixture,
  paths: readonly string[],
  direction: 'ltr' | 'rtl' = 'ltr',
): Promise<string[]> {
  const { page, screen } = fixture
  const found: string[] = []
  for (const path of paths) {
    await fixture.visit(path)
    await page.locator('main .spinner').first().waitFor({ state: 'detached' })
    await page.evaluate(`document.documentElement.dir = '${direction}'`)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      const faults = await page.evaluate(`${SOURCE}; layoutFaults(${screen === 'phone'})`)
      found.push(...(faults as string[]).map((fault) => `${path} at ${width}: ${fault}`))
      if (TAKES_PICTURES) await takePictures(fixture, `${path.replace(/\W+/g, '-')}-${width}`)
    }
  }
  return found
}

async function takePictures({ page, screen }: BrowserFixture, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: join(FOLDER, `${screen}${name}-${colorScheme}.jpg`), quality: 60 })
  }
}
