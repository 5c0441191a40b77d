import type { Locator } from 'playwright-core'
import { ANN, type BrowserFixture } from './browser-fixture.ts'

/** Steps of a person who has no mouse: what has the focus decides. */

/** More presses than any way on a page needs. */
const MOST_PRESSES = 40

export const focused = ({ page }: BrowserFixture): Locator => page.locator(':focus')

/** Waits until an element has the focus. */
export const waitForFocus = (fixture: BrowserFixture, element: Locator): Promise<void> =>
  element.and(focused(fixture)).waitFor({ state: 'attached' })

export async function press({ page }: BrowserFixture, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Presses Tab until the element has the focus. */
export async function tabTo(fixture: BrowserFixture, element: Locator): Promise<void> {
  const target = element.and(focused(fixture))
  for (let tabs = 0; (await target.count()) === 0; tabs++) {
    if (tabs > MOST_PRESSES) throw new Error(`Tab does not reach ${element}`)
    await press(fixture, 'Tab')
  }
}

/** Opens the palette, types, and runs the command with these words. */
export async function goTo(fixture: BrowserFixture, typed: string, command: RegExp): Promise<void> {
  const { page } = fixture
  await press(fixture, 'Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to' })
  await waitForFocus(fixture, palette.getByRole('combobox'))
  await page.keyboard.type(typed)
  await palette.getByRole('option', { name: command }).waitFor()
  const active = palette.getByRole('option', { name: command, selected: true })
  for (let downs = 0; (await active.count()) === 0 && downs < MOST_PRESSES; downs++)
    await press(fixture, 'ArrowDown')
  await press(fixture, 'Enter')
  await palette.waitFor({ state: 'detached' })
}

export const titled = ({ page }: BrowserFixture, name: string): Locator =>
  page.getByRole('heading', { name, level: 1 })

export async function signInByKeys(fixture: BrowserFixture): Promise<void> {
  const { page, url } = fixture
  await fixture.ann()
  await page.goto(url)
  await waitForFocus(fixture, page.getByLabel('Email'))
  await page.keyboard.type(ANN.email)
  await press(fixture, 'Tab')
  await page.keyboard.type(ANN.password)
  await press(fixture, 'Enter')
  await waitForFocus(fixture, titled(fixture, 'Conversations'))
}
