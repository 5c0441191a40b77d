import type PocketBase from 'pocketbase'
import { makePhoto } from '../../support/pictures.ts'
import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'
import { BEN, makeTeam, signInAsBen } from '../support/team.ts'

const ZOE = '+4915112345678'
const YARA = '+4915112345679'
/** Chooses for how long Ann can undo her answers. Returns the id of her settings. */
async function chooseSeconds(ann: PocketBase, undo_seconds: number): Promise<string> {
  const settings = ann.collection('user_settings')
  const { id } = await settings.getFirstListItem('')
  await settings.update(id, { undo_seconds })
  return id
}

scenario(
  'an undone answer comes back into the answer box with its picture',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'Desk phone')
    await phone.beat({ mms: true })
    await phone.hear(ZOE, 'Are you open?')
    await phone.hear(YARA, 'And tomorrow?')
    const id = await chooseSeconds(ann, 60)
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    const box = page.locator('textarea[name=body]')
    const texts = page.locator('.conversations-text')
    const undo = (words: string) =>
      texts.filter({ hasText: words }).getByRole('button', { name: 'Undo' })
    await page.locator('.conversations-text').getByText('Are you open?').waitFor()
    // several answers in a row, of which the last one has a picture
    await box.fill('Until six')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await undo('Until six').waitFor()
    await box.fill('This is our door')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'door.jpg',
        mimeType: 'image/jpeg',
        buffer: await makePhoto('whatsapp'),
      })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await undo('This is our door').waitFor()
    await texts.filter({ hasText: 'Until six' }).getByText('Sent in a few seconds').waitFor()
    await fixture.look('undo-answer')
    // the seconds of an answer are the server's: another conversation changes nothing
    await fixture.visit(`/conversations/${encodeURIComponent(YARA)}`)
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    await undo('This is our door').click()
    await expect.poll(() => box.inputValue()).toBe('This is our door')
    await page.getByRole('button', { name: 'Remove door.jpg' }).waitFor()
    await page.locator('textarea[name=body]:focus').waitFor()
    await undo('Until six').click()
    await expect.poll(() => box.inputValue()).toBe('Until six\nThis is our door')
    expect((await ann.send('/api/sms/usage', {})).used).toBe(0)
    // both canceled answers say so below them
    await box.fill('Until seven')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await undo('Until seven').waitFor()
    const canceled = page.locator('.conversations-text.told').filter({ hasText: 'Canceled' })
    await expect.poll(() => canceled.count()).toBe(2)

    await fixture.visit('/account')
    await page.getByLabel('Undo an answer').selectOption('Within 20 seconds')
    await expect
      .poll(async () => (await ann.collection('user_settings').getOne(id)).undo_seconds)
      .toBe(20)
  },
  {},
  { widths: [1440, 390], ms: 90_000 },
)

scenario(
  'an answer that nobody undoes leaves after its seconds, and a late undo says so',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(url, ann, 'Desk phone')
    await phone.hear(ZOE, 'Are you open?')
    await chooseSeconds(ann, 5)
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    await page.locator('.conversations-row').getByText('Are you open?').waitFor()
    await page.locator('textarea[name=body]').fill('Until six')
    // what the page does not hear: the text leaves meanwhile
    await page.route('**/cancel', async (route) => {
      await expect.poll(() => phone.claim(), { timeout: 20_000 }).toHaveLength(1)
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await fixture.refused(/cancel: 409/, async () => {
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Too late: the text has left.').waitFor()
    })
    expect(await page.locator('textarea[name=body]').inputValue()).toBe('')
  },
  {},
  { widths: [1440] },
)

scenario(
  'a colleague sees an answer that can be undone, and an answer without a connection keeps its seconds',
  async (fixture) => {
    const { page, url } = fixture
    const phone = await makeTeam(fixture, true)
    await phone.hear(ZOE, 'Are you open?')
    await chooseSeconds(await fixture.ann(), 60)
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    const ben = await fixture.another()
    await signInAsBen(ben, url)
    await ben.page.getByText('Are you open?').waitFor()
    await ben.page.goto(`${url}/#/conversations/${encodeURIComponent(ZOE)}`)
    await ben.page.getByLabel('Texts').getByText('Are you open?').waitFor()

    const box = page.locator('textarea[name=body]')
    await box.fill('Until six')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Not sent yet').waitFor()
    await page.context().setOffline(false)
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()

    const theirs = ben.page.locator('.conversations-text').filter({ hasText: 'Until six' })
    await theirs.getByText('Sent in a few seconds').waitFor()
    await theirs.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => ben.page.locator('textarea[name=body]').inputValue()).toBe('Until six')
    // both windows name who has canceled it, and that of the author has no button that would do nothing
    await page.getByText(`${BEN.name} has canceled your text: Until six`).waitFor()
    for (const window of [page, ben.page])
      await window.getByLabel('Texts').getByText(`Canceled by ${BEN.name}`).waitFor()
    expect(await undo.count()).toBe(0)
    expect(await box.inputValue()).toBe('')
  },
  {},
  { widths: [1440] },
)
