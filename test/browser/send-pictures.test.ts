import { makePhoto } from '../support/pictures.ts'
import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const TO = '+4915112345678'
/** A name as long as the server stores, without a place to break a line. */
const LONG = 'x'.repeat(90)
const PHOTO = { name: 'parcel.jpg', mimeType: 'image/jpeg' }

scenario(
  'a shop sends a photo of a parcel',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(fixture.url, ann, 'desk phone')
    await phone.beat({ mms: true })
    await fixture.signIn()
    const buffer = await makePhoto('whatsapp')

    await fixture.visit(`/send?to=${encodeURIComponent(TO)}`)
    const choose = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add pictures' }).click()
    await (await choose).setFiles([{ ...PHOTO, buffer }])
    await page.getByRole('img', { name: 'parcel.jpg' }).first().waitFor()
    await page.getByText('It goes as an MMS with 1 file.').waitFor()
    await page.getByText('1 person, MMS').waitFor()
    await page.getByText('No text, only files.').waitFor()
    await fixture.look('send-picture')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const [task] = await phone.claim()
    expect(task).toMatchObject({ to: TO, body: '', attachments: [{ size: buffer.length }] })
    await phone.report(task!, 'sent')

    await phone.hear(TO, 'Which one is it?')
    await fixture.visit(`/conversations/${encodeURIComponent(TO)}`)
    const again = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add pictures' }).click()
    await (await again).setFiles([{ ...PHOTO, buffer }])
    await page.getByRole('button', { name: 'Remove parcel.jpg' }).waitFor()
    await page.locator('[name="body"]').fill('This one')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    expect((await phone.claim())[0]).toMatchObject({ body: 'This one', attachments: [{}] })
    await page
      .getByRole('button', { name: /Picture parcel/ })
      .last()
      .waitFor()
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    expect(await fits()).toBe(true)

    const sent = await ann.send('/api/sms/send', {
      method: 'POST',
      body: {
        recipients: [TO],
        subject: 'Our card',
        attachments: [new File(['BEGIN:VCARD\nVERSION:3.0\nEND:VCARD\n'], `${LONG}.vcf`)],
      },
    })
    await fixture.visit(`/messages/${sent.message_ids[0]}`)
    await page.getByText('Our card').waitFor()
    await page.getByRole('button', { name: `Save ${LONG}.vcf` }).waitFor()
    expect(await fits()).toBe(true)
  },
  {},
  { widths: [390] },
)

scenario(
  'pictures stay beside other choices, and are kept until the sign-out',
  async (fixture) => {
    const { page } = fixture
    const phone = await pairPhone(fixture.url, await fixture.ann(), 'desk phone')
    await phone.beat({ mms: true })
    await fixture.signIn()
    const form = `/send?to=${encodeURIComponent(TO)}`
    await fixture.visit(form)
    const choose = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Add pictures' }).click()
    await (await choose).setFiles([{ ...PHOTO, buffer: await makePhoto('whatsapp') }])
    const picture = page.locator('form').getByRole('img', { name: 'parcel.jpg' })
    await picture.waitFor()

    const consent = page.getByLabel('Send only to people with proof of consent')
    await consent.check()
    await page.getByLabel('How often').selectOption({ label: 'Every day' })
    expect(await picture.isVisible()).toBe(true)
    await consent.uncheck()
    await page.getByRole('textbox', { name: 'Text' }).fill('Our menu')
    await page.getByRole('button', { name: 'Start repeating' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'parcel.jpg' }).waitFor()
    await fixture.look('send-picture-confirm')
    await dialog.getByRole('button', { name: 'Not yet' }).click()
    await page.getByLabel('How often').selectOption({ label: 'Once' })
    await page.getByText('1 person, MMS').waitFor()

    await fixture.visit('/contacts')
    await fixture.visit(form)
    await picture.waitFor()
    await page.reload()
    await page.getByText(/Choose them again: parcel.jpg/).waitFor()
    await fixture.signOut()
    await fixture.signIn()
    await fixture.visit(form)
    await page.getByRole('button', { name: 'Add pictures' }).waitFor()
    expect(await page.getByText('parcel.jpg').count()).toBe(0)
  },
  {},
  { widths: [390] },
)

scenario(
  'a saved reply, an automatic answer and a waiting campaign get a picture',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(fixture.url, ann, 'desk phone')
    await phone.beat({ mms: true })
    await fixture.signIn()
    const buffer = await makePhoto('whatsapp')
    const dialog = page.getByRole('dialog')
    const picture = dialog.getByRole('img', { name: /^parcel/ })
    const save = async (said: string) => {
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText(said).waitFor()
    }
    const addPicture = async () => {
      const choose = page.waitForEvent('filechooser')
      await dialog.getByRole('button', { name: 'Add pictures' }).click()
      await (await choose).setFiles([{ ...PHOTO, buffer }])
      await picture.waitFor()
    }
    const isSent = async (body: string) => {
      const [task] = await phone.claim()
      expect(task).toMatchObject({ to: TO, body, attachments: [{ size: buffer.length }] })
      await phone.report(task!, 'sent')
    }

    await fixture.visit('/templates')
    await page.getByRole('button', { name: 'New template' }).click()
    await dialog.getByLabel('Name').fill('Menu')
    await dialog.getByLabel('Text', { exact: true }).fill('Our menu')
    await addPicture()
    await fixture.look('template-picture')
    await save('Template saved')
    await page.getByRole('button', { name: 'Change Menu' }).click()
    await picture.waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await phone.hear(TO, 'What is there to eat?')
    await fixture.visit(`/conversations/${encodeURIComponent(TO)}`)
    await page.locator('[name="body"]').fill('/Menu')
    await page.getByRole('option', { name: /Menu/ }).click()
    await page.getByRole('img', { name: 'parcel.jpg' }).waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await isSent('Our menu')

    await fixture.visit('/answers')
    await page.getByRole('button', { name: 'New automatic answer' }).click()
    await dialog.getByLabel('Answer', { exact: true }).fill('We are closed')
    await addPicture()
    await dialog.getByText('By lines that cannot send pictures, the text has links').waitFor()
    const warning = dialog.getByText('Recipients cannot open links to this server')
    expect(await warning.count()).toBe(0)
    const counter = await pairPhone(fixture.url, ann, 'Counter')
    await counter.beat({ mms: false })
    await warning.waitFor()
    await save('Automatic answer saved')
    await phone.hear(TO, 'Is anybody there?')
    await isSent('We are closed')

    const { id } = await ann.send('/api/campaigns', {
      method: 'POST',
      body: { body: 'Sale', recipients: [TO], scheduled_at: '2099-01-01 08:00:00Z' },
    })
    const listNames = async () => (await ann.collection('campaigns').getOne(id)).attachments
    await fixture.visit(`/campaigns/${id}`)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await addPicture()
    await save('Campaign changed')
    expect(await listNames()).toEqual([expect.stringMatching(/^parcel_\w{10}\.jpg$/)])
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove parcel.jpg' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(listNames).toEqual([])
  },
  {},
  { widths: [390] },
)
