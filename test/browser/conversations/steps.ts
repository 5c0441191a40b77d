import type { BrowserFixture } from '../support/browser-fixture.ts'

/** The views are behind a button on a phone. */
export async function showView({ page, screen }: BrowserFixture, view: string) {
  const list = page.getByRole('region', { name: 'Conversations' })
  if (screen === 'phone') await list.getByRole('button').first().click()
  await list.getByRole('group', { name: 'Show' }).getByRole('button', { name: view }).click()
}

/** What is known of the contact stands beside the texts, on a phone in a dialog. */
export async function openPanel({ page }: BrowserFixture) {
  const open = page.getByRole('button', { name: 'About this contact' })
  if ((await open.getAttribute('aria-expanded')) !== 'true') await open.click()
}

/** On a phone it is a dialog. */
export async function closePanel({ page, screen }: BrowserFixture) {
  if (screen === 'phone') await page.keyboard.press('Escape')
}
