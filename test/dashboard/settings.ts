import {
  type Desk,
  flip,
  form,
  named,
  popup,
  press,
  same,
  succeeded,
  visit,
  visitCollection,
} from './desk.ts'

/** The page compares all fields of all collections with each other as soon as it has the text. */
const COMPARE_MS = 90_000

const field = (desk: Desk, name: string) => named(desk, desk.page.locator('.page-content'), name)
const toggle = (desk: Desk, name: string) => flip(desk, desk.page.locator('.page-content'), name)

/** Name, batch and rate limits: a wrong value is refused at its field, right ones are there after a reload. */
export async function applicationSettings(desk: Desk): Promise<void> {
  const { page } = desk
  await visit(desk, '/settings')
  await desk.shot('settings')
  await (await field(desk, 'meta.appName')).fill('Gateway')
  await (await field(desk, 'meta.appURL')).fill('https://sms.example.com')
  await (await field(desk, 'batch.maxRequests')).fill('33')
  await toggle(desk, 'rateLimits.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(desk, 'Successfully saved application settings')
  await page.reload()
  await desk.settled()
  same(await (await field(desk, 'meta.appName')).inputValue(), 'Gateway', 'the name after a reload')
  same(await (await field(desk, 'batch.maxRequests')).inputValue(), '33', 'the batch limit after a reload')
  same(await (await field(desk, 'rateLimits.enabled')).isChecked(), true, 'rate limits after a reload')
  await desk.shot('settings-saved')
  await toggle(desk, 'rateLimits.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(desk, 'Successfully saved application settings')
}

/** Mail: SMTP without a host is refused at its field; a test mail goes out by way of the log. */
export async function mailSettings(desk: Desk): Promise<void> {
  const { page } = desk
  await visit(desk, '/settings/mail')
  await (await field(desk, 'meta.senderName')).fill('Gateway')
  await toggle(desk, 'smtp.enabled')
  await (await field(desk, 'smtp.host')).fill('no host at all')
  await desk.refused(/^PATCH \/api\/settings: 400 .*"smtp":\{"host"/, () =>
    press(page.locator('.page-content'), 'Save changes'),
  )
  await page.locator('.field-help.error').first().waitFor()
  await desk.shot('mail-refused')
  await (await field(desk, 'smtp.host')).fill('smtp.example.com')
  await toggle(desk, 'smtp.enabled')
  await press(page.locator('.page-content'), 'Save changes')
  await succeeded(desk, 'Successfully saved mail settings')
  await press(page.locator('.page-content'), 'Send test email')
  await popup(desk).locator('input[name=email]').fill('ann@example.com')
  await press(popup(desk), 'Send')
  await succeeded(desk, 'Successfully sent test email')
}

/** Pages with nothing to change: storage, the SQL console. */
export async function otherPages(desk: Desk): Promise<void> {
  const { page } = desk
  for (const name of ['storage', 'sql']) {
    await visit(desk, `/settings/${name}`)
    await desk.shot(name)
  }
  await visit(desk, '/collections')
  await page.locator('.sidebar-search .ri-organization-chart').click()
  await desk.shot('overview')
}

/** Each of the jobs is there and can be run. */
export async function crons(desk: Desk): Promise<void> {
  const { page } = desk
  await visit(desk, '/settings/crons')
  await desk.shot('crons')
  const ids = await page.locator('.cron-id').allTextContents()
  same(ids.length > 0, true, 'there are jobs')
  for (const id of ids) {
    await page.locator('.list-item', { hasText: id }).getByLabel('Run').click()
    await succeeded(desk, `Successfully triggered "${id}"`)
  }
}

const paste = ({ page }: Desk, text: string) =>
  page.locator('textarea[name=collections]').fill(text, { timeout: COMPARE_MS })

/** The export, read in again, changes nothing; with one more collection in it, that one is made, and goes again. */
export async function exportAndImport(desk: Desk): Promise<void> {
  const { page } = desk
  await visit(desk, '/settings/export-collections')
  await desk.shot('export')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as JSON' }).click(),
  ])
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
  const exported = Buffer.concat(chunks).toString()

  await visit(desk, '/settings/import-collections')
  await paste(desk, exported)
  await page.getByText('Your collections configuration is already up-to-date!').waitFor()
  await desk.shot('import-of-own-export')

  const collections = JSON.parse(exported) as { name: string }[]
  const fields = [{ type: 'text', name: 'title' }]
  const extra = { id: 'pbc_imported', name: 'imported', type: 'base', fields }
  await importText(desk, JSON.stringify([...collections, extra]))
  await visitCollection(desk, 'imported')
  await visit(desk, '/settings/import-collections')
  await importText(desk, exported)
  await visit(desk, '/collections')
  same(await page.locator('.nav-item', { hasText: 'imported' }).count(), 0, 'what the import left out')
}

/** Pastes, looks at the differences and imports; agrees when data would go. */
async function importText(desk: Desk, text: string): Promise<void> {
  await paste(desk, text)
  await desk.page.getByRole('button', { name: 'Review' }).click()
  await desk.settled()
  await desk.shot('import-review')
  await press(popup(desk), 'Confirm and import')
  const question = desk.page.locator('.modal', { hasText: 'Do you really want to delete' })
  const done = desk.page.locator('.toast.success', { hasText: 'Successfully imported' })
  await question.or(done).first().waitFor({ timeout: COMPARE_MS })
  if (await question.isVisible()) await press(question, 'Yes')
  await succeeded(desk, 'Successfully imported collections')
}

/** Every page of the API preview of a collection of each type. */
export async function apiPreview(desk: Desk): Promise<void> {
  const { page } = desk
  for (const name of ['users', 'sms_messages']) {
    await visit(desk, `/collections?collection=${name}`)
    await page.locator('.api-preview-btn').click()
    const tabs = form(desk).locator('.api-preview-nav .nav-item:not([disabled])')
    for (let i = 0; i < (await tabs.count()); i++) {
      await tabs.nth(i).click()
      await desk.settled()
    }
    await desk.shot(`api-preview-${name}`)
    await form(desk).getByTitle('Close').click()
  }
}
