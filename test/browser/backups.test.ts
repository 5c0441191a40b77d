import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserFixture, scenario } from './support/browser-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'pocketsms-browser-backups-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const BACKUP_MS = 60_000
let count = 0
/** Each run has a folder of its own. */
const env = {
  get BACKUP_DIR() {
    return join(folder, String(++count))
  },
}

scenario(
  'a superuser makes, downloads and restores a backup',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const contact = { user: ann.authStore.record!.id, name: 'Bob', phone: '+4915112345678' }
    await ann.collection('contacts').create(contact)
    await fixture.signIn('root')
    await fixture.visit('/health')
    await page.getByRole('link', { name: 'never', exact: true }).click()
    await page.getByText('No backups yet').waitFor()
    await page.getByText('None yet').waitFor()
    await fixture.look('backups-none')

    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup created').waitFor({ timeout: BACKUP_MS })
    const key = await page.locator('td.first').first().innerText()
    expect(key).toMatch(/^pb_backup_pocketsms_\d{14}\.zip$/)
    await page.getByText('Created by').waitFor()

    const file = join(folder, `${fixture.screen}.zip`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: `Download ${key}` }).click()
    await (await saving).saveAs(file)
    expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK')
    await remove(fixture, key)
    await page.getByText('No backups yet').waitFor()

    await page.getByRole('button', { name: 'Upload' }).click()
    const chooser = page.getByLabel('A backup of pocketsms')
    await chooser.setInputFiles({
      name: 'foreign.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('PK\x05\x06'.padEnd(22, '\0')),
    })
    await fixture.refused(/^POST \/api\/backups\/upload: 400/, async () => {
      await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click()
      await page.getByText('The file is not a backup of pocketsms').waitFor()
    })
    await chooser.setInputFiles(file)
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click()
    await page.getByText('Backup uploaded').waitFor()

    await ann.collection('contacts').create({ ...contact, name: 'Carol', phone: '+4915112345679' })
    await page.getByRole('button', { name: 'Restore' }).first().click()
    await page.getByText('contacts: 2').waitFor()
    const replace = page.getByRole('button', { name: 'Replace everything' })
    expect(await replace.isDisabled()).toBe(true)
    await page.getByLabel('Type the name of the backup').fill(`${fixture.screen}.zip`)
    await mayFindItClosed(fixture, async () => {
      await page.keyboard.press('Enter')
      await page.getByText('Last restored').waitFor({ timeout: BACKUP_MS })
    })
    const contacts = await ann.collection('contacts').getFullList()
    expect(contacts.map(({ name }) => name)).toEqual(['Bob'])
  },
  env,
)

scenario(
  'a superuser sets a backup schedule and an S3 store',
  async (fixture) => {
    const { page } = fixture
    const root = await fixture.root()
    const saved = async () => (await root.settings.getAll()).backups
    await fixture.signIn('root')
    await fixture.visit('/backups')
    await page.getByLabel('Automatic backups', { exact: true }).selectOption('Something else…')
    await page.getByLabel('Cron expression').fill('every night')
    await page.getByLabel('Number of automatic backups').fill('0')
    await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
      await page.getByRole('button', { name: 'Save schedule' }).click()
      await page.getByText('Invalid cron expression').waitFor()
    })
    await fixture.look('backups-schedule')
    await page
      .getByLabel('Automatic backups', { exact: true })
      .selectOption('Every day at 3:00 UTC')
    await page.getByLabel('Number of automatic backups').fill('5')
    await page.getByRole('button', { name: 'Save schedule' }).click()
    await page.getByText('Schedule saved').waitFor()
    await page.getByText('The next one is made').waitFor()
    expect(await saved()).toMatchObject({ cron: '0 3 * * *', cronMaxKeep: 5 })

    await page.getByLabel('Keep backups in an S3-compatible store').check()
    await fixture.refused(/^PATCH \/api\/settings: 400/, async () => {
      await page.getByRole('button', { name: 'Save storage' }).click()
      await page.getByText('Fill this in.').first().waitFor()
    })
    await fixture.look('backups-storage')
  },
  env,
)

/** The pair of keys that the specification of age uses as an example. */
const SECRET_KEY = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX'
const PUBLIC_KEY = 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj'

scenario(
  'a superuser restores a sealed backup with its key file',
  async (fixture) => {
    const { page, say } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const bob = await ann.collection('contacts').create({ user, phone: '+4915112345678' })
    const root = await fixture.root()
    await root.backups.create('sealed.zip')
    await ann.collection('contacts').delete(bob.id)
    await fixture.signIn('root')
    await fixture.visit('/backups')
    await page
      .getByRole('button', { name: /sealed\.zip\.age/ })
      .nth(1)
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(say('Type the name of the backup to confirm')).fill('sealed.zip.age')
    const replace = dialog.getByRole('button', { name: say('Replace everything') })
    expect(await replace.isDisabled()).toBe(true)
    const chooser = dialog.getByLabel(say('Key file of the sealed backup'))
    const choose = (text: string) =>
      chooser.setInputFiles({
        name: 'key.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from(text),
      })
    await choose(PUBLIC_KEY)
    await dialog
      .getByText(say('This file has no secret key of age: no line begins with AGE-SECRET-KEY-1.'))
      .waitFor()
    await fixture.look('backups-sealed')
    await choose(`# created: 2026-11-20\n${SECRET_KEY}\n`)
    await mayFindItClosed(fixture, async () => {
      await replace.click()
      await page.getByText(say('Last restored')).waitFor({ timeout: BACKUP_MS })
    })
    expect(await ann.collection('contacts').getFullList()).toHaveLength(1)
  },
  {
    get BACKUP_DIR() {
      return env.BACKUP_DIR
    },
    BACKUP_RECIPIENTS: PUBLIC_KEY,
  },
  { locale: 'de-DE', widths: [390] },
)

/** While a backup is restored, the page may ask and be told to come again. */
async function mayFindItClosed(
  { faults }: BrowserFixture,
  work: () => Promise<void>,
): Promise<void> {
  const before = faults.length
  await work()
  faults.push(...faults.splice(before).filter((fault) => !/: 503$/.test(fault)))
}

async function remove({ page }: BrowserFixture, key: string): Promise<void> {
  await page.getByRole('button', { name: `Delete ${key}` }).click()
  await page.getByRole('button', { name: 'Delete the backup' }).click()
  await page.getByText('Backup deleted').waitFor()
}
