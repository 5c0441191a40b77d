import type { BrowserFixture } from './browser-fixture.ts'

/** What opens a dialog: the last button with this name is pressed, or something else is done. */
export type Step = string | RegExp | ((fixture: BrowserFixture) => Promise<unknown>)

const CONTACTS = 'Nachname;Telefon;Ort\nEva;+49 151 20000019;Bonn\nKein Telefon;12;Kiel'

/** A button with exactly this name. */
export const exactly = (name: string): RegExp => new RegExp(`^${name}$`)

/** Presses a button of the open dialog whose name the page behind it has, too. */
export const inDialog =
  (name: string): Step =>
  ({ page }) =>
    page.getByRole('dialog').getByRole('button', { name }).click()

export const fill =
  (label: string, text: string): Step =>
  ({ page }) =>
    page.getByLabel(label, { exact: true }).fill(text)

/** Clicks one of several choices. */
export const choose =
  (choice: string): Step =>
  ({ page }) =>
    page.getByText(choice, { exact: true }).click()

export const selectContact =
  (contact: string): Step =>
  ({ page, say }) =>
    page.getByLabel(say('Choose {contact}', { contact }), { exact: true }).check()

/** Pastes two contacts into the import, one of them without a number, and looks at the preview. */
export const pasteContacts: Step = async ({ page, say }) => {
  await page.getByLabel(say('Or paste rows here')).fill(CONTACTS)
  await page.getByRole('button', { name: say('Look at the rows') }).click()
  await page.getByRole('button', { name: say('Import {count}', { count: 1 }) }).waitFor()
}

/** Waits until the dialog shows this. */
export const sees =
  (role: 'heading' | 'timer', name = ''): Step =>
  ({ page }) =>
    page.getByRole('dialog').getByRole(role, { name }).waitFor()

/** Goes to another page by its address, as a link does. */
export const leaveFor =
  (path: string): Step =>
  ({ page }) =>
    page.evaluate(`location.hash = ${JSON.stringify(path)}`)

/** Does one step after the other. */
export async function take(fixture: BrowserFixture, steps: readonly Step[]): Promise<void> {
  for (const step of steps)
    if (typeof step === 'function') await step(fixture)
    else await fixture.page.getByRole('button', { name: step }).last().click()
}
