import type { Locator } from 'playwright-core'
import type { Browser } from './browser.ts'

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
  same(await fixture.page.locator('.breadcrumbs').innerText(), `Collections\n${name}`, 'the open collection')
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
export async function named({ page }: DashboardFixture, within: Locator, name: string): Promise<Locator> {
  const input = `[name="${name}"]`
  const part = within.locator('details.accordion', { has: page.locator(input) })
  if ((await part.count()) > 0 && (await part.getAttribute('open')) === null)
    await part.locator('summary').first().click()
  return within.locator(input).first()
}

/** Switches the checkbox of this name by its label, as a hand would. */
export async function flip(fixture: DashboardFixture, within: Locator, name: string): Promise<void> {
  const id = await (await named(fixture, within, name)).getAttribute('id')
  await within.locator(`label[for="${id}"]`).first().click()
}

/** Takes an item of the menu that a button opens. */
export async function choose(fixture: DashboardFixture, menu: Locator, item: string): Promise<void> {
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
export async function write(fixture: DashboardFixture, editor: Locator, text: string): Promise<void> {
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
