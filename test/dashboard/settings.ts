import {
  type DashboardFixture,
  flip,
  form,
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

/** Mail: SMTP without a host is refused at its field; a test mail goes out by way of the log. */
export async function mailSettings(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/settings/mail')
  await (await field(fixture, 'meta.senderName')).fill('Gateway')
  await toggle(fixture, 'smtp.enabled')
  await (await field(fixture, 'smtp.host')).fill('no host at all')
  await fixture.refused(/^PATCH \/api\/settings: 400 .*"smtp":\{"host"/, () =>
    press(page.locator('.page-content'), 'Save changes'),
  )
  await page.locator('.field-help.error').first().waitFor()
  await fixture.shot('mail-refused')
  await (await field(fixture, 'smtp.host')).fill('smtp.example.com')
  await toggle(fixture, 'smtp.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(fixture, 'Successfully saved mail settings')
  await press(page.locator('.page-content'), 'Send test email')
  await popup(fixture).locator('input[name=email]').fill('ann@example.com')
  await press(popup(fixture), 'Send')
  await succeeded(fixture, 'Successfully sent test email')
}

/** Pages with nothing to change: storage, the SQL console. */
export async function otherPages(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  for (const name of ['storage', 'sql']) {
    await visit(fixture, `/settings/${name}`)
    await fixture.shot(name)
  }
  await visit(fixture, '/collections')
  await page.locator('.sidebar-search .ri-organization-chart').click()
  await fixture.shot('overview')
}

/** Each of the jobs is there and can be run. */
export async function crons(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  await visit(fixture, '/settings/crons')
  await fixture.shot('crons')
  const ids = await page.locator('.cron-id').allTextContents()
  same(ids.length > 0, true, 'there are jobs')
  for (const id of ids) {
    const job = page.locator('.list-item', { has: page.getByText(id, { exact: true }) })
    await job.getByLabel('Run').click()
    await succeeded(fixture, `Successfully triggered "${id}"`)
  }
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

/** Every page of the API preview of a collection of each type. */
export async function apiPreview(fixture: DashboardFixture): Promise<void> {
  const { page } = fixture
  for (const name of ['users', 'sms_messages']) {
    await visit(fixture, `/collections?collection=${name}`)
    await page.locator('.api-preview-btn').click()
    const tabs = form(fixture).locator('.api-preview-nav .nav-item:not([disabled])')
    for (let i = 0; i < (await tabs.count()); i++) {
      await tabs.nth(i).click()
      await fixture.settled()
    }
    await fixture.shot(`api-preview-${name}`)
    await form(fixture).getByTitle('Close').click()
  }
}
