import type { Locator } from 'playwright-core'
import type { Browser } from './browser.ts'

/** The dashboard in a browser, and who signs in to it. */
export interface Desk extends Browser {
  readonly url: string
  /** The link that the server printed at its first start. */
  readonly link: string
  readonly email: string
  readonly password: string
}

/** What one part of the run does. It throws when the dashboard shows something else than it should. */
export type Part = (desk: Desk) => Promise<void>

/** Opens a page of the dashboard, such as `/settings`, and waits until it has all it asks for. */
export async function visit(desk: Desk, hash: string): Promise<void> {
  await desk.page.goto(`${desk.url}/_/#${hash}`)
  await desk.settled()
}

/** Opens the records of a collection. Throws when the dashboard shows another one instead. */
export async function visitCollection(desk: Desk, name: string): Promise<void> {
  await visit(desk, `/collections?collection=${name}`)
  same(await desk.page.locator('.breadcrumbs').innerText(), `Collections\n${name}`, 'the open collection')
}

/** The form of a record or a collection that is open. */
export const form = ({ page }: Desk): Locator =>
  page.locator('.modal:not(.popup)[data-modal-state=open]').last()

/** The small dialog over it: a question, a picker. */
export const popup = ({ page }: Desk): Locator => page.locator('.modal.popup[data-modal-state=open]').last()

/** Presses a button in a form or a popup. */
export const press = (within: Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).first().click()

/** The input of this name; the folded part that it is in is opened. */
export async function named({ page }: Desk, within: Locator, name: string): Promise<Locator> {
  const input = `[name="${name}"]`
  const part = within.locator('details.accordion', { has: page.locator(input) })
  if ((await part.count()) > 0 && (await part.getAttribute('open')) === null)
    await part.locator('summary').first().click()
  return within.locator(input).first()
}

/** Switches the checkbox of this name by its label, as a hand would. */
export async function flip(desk: Desk, within: Locator, name: string): Promise<void> {
  const id = await (await named(desk, within, name)).getAttribute('id')
  await within.locator(`label[for="${id}"]`).first().click()
}

/** Takes an item of the menu that a button opens. */
export async function choose(desk: Desk, menu: Locator, item: string): Promise<void> {
  await menu.click()
  const open = desk.page.locator('.dropdown:popover-open')
  await open.locator('.dropdown-item', { hasText: item }).first().click()
}

/** Waits for the green note of a success. */
export async function succeeded(desk: Desk, text: string | RegExp): Promise<void> {
  const note = desk.page.locator('.toast.success', { hasText: text }).first()
  await note.waitFor()
  await desk.settled()
  await note
    .locator('.toast-remove')
    .click({ force: true })
    .catch(() => {})
}

/** Replaces what stands in an editor of code: rules, JSON, the search bar. */
export async function write(desk: Desk, editor: Locator, text: string): Promise<void> {
  await editor.click()
  await desk.page.keyboard.press('Control+A')
  await desk.page.keyboard.press('Delete')
  await desk.page.keyboard.insertText(text)
  await desk.page.keyboard.press('Escape')
}

/** Throws a sentence unless both are equal. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== e) throw new Error(`${what}: expected ${e}, got ${a}`)
}

/** How many records the page says there are. */
export async function total(desk: Desk): Promise<number> {
  await desk.settled()
  return Number((await desk.page.locator('.total-count').innerText()).replace('Total: ', ''))
}
