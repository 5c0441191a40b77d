import type { Browser } from './browser.ts'
import type { BrowserFixture } from './browser-fixture.ts'

/** How the window lays out the conversations; console/src/data/use/media-queries.ts has the same widths. */

type Window = Pick<Browser, 'page'>

const widthOf = ({ page }: Window) => page.viewportSize()!.width

/** Whether an open conversation covers the list. */
export const isNarrow = (window: Window): boolean => widthOf(window) < 960

/** Whether the views are behind a button. */
export const hasViewMenu = (window: Window): boolean => widthOf(window) < 1520

/** Whether a contact is beside the texts. Else it is a dialog, which the back button leaves. */
const hasPanel = (window: Window) => widthOf(window) >= 1280

export async function showView(fixture: BrowserFixture, view: string): Promise<void> {
  const { page } = fixture
  const list = page.getByRole('region', { name: 'Conversations' })
  if (hasViewMenu(fixture)) await list.getByRole('button').first().click()
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: view }).click()
}

export async function openPanel(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  if (hasPanel(fixture)) return page.getByRole('region', { name: 'About this contact' }).waitFor()
  await page.getByRole('button', { name: 'About this contact' }).click()
  await page.getByRole('dialog').waitFor()
}

export async function closePanel(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  if (hasPanel(fixture)) return
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Opens the menu of the panel about a contact; a panel that is open stays. */
export async function openPanelMenu(fixture: BrowserFixture): Promise<void> {
  const panel = fixture.page.locator('.conversations-about')
  if (!(await panel.isVisible())) await openPanel(fixture)
  await panel.getByRole('button', { name: fixture.say('Actions') }).click()
}
