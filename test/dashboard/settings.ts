import {
  type DashboardFixture,
  flip,
  named,
  popup,
  press,
  same,
  succeeded,
  visit,
  visitCollection,
} from './dashboard-fixture.ts'

/** The page compares all fields of all collections with each other as soon as it has the text. */
const COMPARE_MS = 90_000

const field = (fixture: DashboardFixture, name: string) =>
  named(fixture, fixture.page.locator('.page-content'), name)
const toggle = (fixture: DashboardFixture, name: string) =>
  flip(fixture, fixture.page.locator('.page-content'), name)

/**
 * Name, batch and rate limits: a wrong value is refused at its field, right ones are there after a reload.
 */
export async function applicationSettings(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/settings')
  await fixture.shot('settings')
  await (await field(fixture, 'meta.appName')).fill('Gateway')
  await (await field(fixture, 'meta.appURL')).fill('https://sms.example.com')
  await (await field(fixture, 'batch.maxRequests')).fill('33')
  await toggle(fixture, 'rateLimits.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(fixture, 'Successfully saved application settings')
  await page.reload()
  await fixture.settled()
  same(await (await field(fixture, 'meta.appName')).inputValue(), 'Gateway', 'the name after a reload')
  same(await (await field(fixture, 'batch.maxRequests')).inputValue(), '33', 'the batch limit after a reload')
  same(await (await field(fixture, 'rateLimits.enabled')).isChecked(), true, 'rate limits after a reload')
  await fixture.shot('settings-saved')
  await toggle(fixture, 'rateLimits.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(fixture, 'Successfully saved application settings')
}

const paste = ({ page }: DashboardFixture, text: string) =>
  page.locator('textarea[name=collections]').fill(text, { timeout: COMPARE_MS })

/**
 * The export, read in again, changes nothing; with one more collection in it, that one is made, and goes
 * again.
 */
export async function exportAndImport(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/settings/export-collections')
  await fixture.shot('export')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  const exported = Buffer.concat(chunks).toString()

  await visit(fixture, '/settings/import-collections')
  await paste(fixture, exported)
  await page.getByText('Your collections configuration is already up-to-date!').waitFor()
  await fixture.shot('import-of-own-export')

  const collections = JSON.parse(exported) as { name: string }[]
  const fields = [{ type: 'text', name: 'title' }]
  const extra = { id: 'pbc_imported', name: 'imported', type: 'base', fields }
  await importText(fixture, JSON.stringify([...collections, extra]))
  await visitCollection(fixture, 'imported')
  await visit(fixture, '/settings/import-collections')
  await importText(fixture, exported)
  await visit(fixture, '/collections')
  same(await page.locator('.nav-item', { hasText: 'imported' }).count(), 0, 'what the import left out')
}

/** Pastes, looks at the differences and imports; agrees when data would go. */
async function importText(fixture: DashboardFixture, text: string): Promise<void> {
  await paste(fixture, text)
  await fixture.page.getByRole('button', { name: 'Review' }).click()
  await fixture.settled()
  await fixture.shot('import-review')
  await press(popup(fixture), 'Confirm and import')
  const question = fixture.page.locator('.modal', { hasText: 'Do you really want to delete' })
  const done = fixture.page.locator('.toast.success', { hasText: 'Successfully imported' })
  await question.or(done).first().waitFor({ timeout: COMPARE_MS })
  if (await question.isVisible()) await press(question, 'Yes')
  await succeeded(fixture, 'Successfully imported collections')
}
