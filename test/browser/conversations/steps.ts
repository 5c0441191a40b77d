import type { BrowserFixture } from '../support/browser-fixture.ts'

/** The views are behind a button on a phone. */
export async function showView({ page, screen }: BrowserFixture, view: string) {
  const list = page.getByRole('region', { name: 'Conversations' })
  if (screen === 'phone') await list.getByRole('button').first().click()
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: view }).click()
}

/** What is known of the contact is a page of its own, which the back button leaves. */
export async function openPanel({ page }: BrowserFixture) {
  await page.getByRole('button', { name: 'About this contact' }).click()
  await page.getByRole('dialog').waitFor()
}

export async function closePanel({ page }: BrowserFixture) {
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
