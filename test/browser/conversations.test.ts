import { expect } from 'vitest'
import { scenario } from './support/browser-fixture.ts'
import { pairPhone } from './support/phone.ts'

const ZOE = '+4915112345678'

scenario('a text that comes in appears in its conversation, and is answered there', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('contacts').create({ user, name: 'Zoë', phone: ZOE })
  const phone = await pairPhone(url, ann, 'Desk phone')
  await fixture.signIn()
  await fixture.visit('/conversations')
  await page.getByText('No conversations yet').waitFor()
  await fixture.look('conversations-empty')

  await phone.hear(ZOE, 'Is my parcel there?')
  await page.getByText('Is my parcel there?').waitFor()
  await page.getByRole('link', { name: /Zoë.*New/ }).click()
  await page.getByRole('heading', { name: 'Zoë' }).waitFor()
  await page.getByLabel('Answer from Desk phone').fill('Since this morning.\nThe yellow one.')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByLabel('Texts').getByText('Since this morning.').waitFor()
  const [task] = await phone.claim()
  expect(task).toMatchObject({ to: ZOE, body: 'Since this morning.\nThe yellow one.' })
  await phone.report(task!, 'sent')
  await phone.report(task!, 'delivered')
  await page.getByText('Delivered').waitFor()
  await phone.hear(ZOE, 'Thank you! 🎉')
  await page.getByLabel('Texts').getByText('Thank you! 🎉').waitFor()
  await fixture.look('conversation')

  await page.goto(`${url}/#/conversations`)
  await page.getByText('Thank you! 🎉').waitFor()
  await phone.hear('+447700900123', 'A stranger with a long text. '.repeat(8))
  await page.getByText('+447700900123').waitFor()

  await ann.send('/api/sms/send', { method: 'POST', body: { recipients: [ZOE], body: 'Until soon' } })
  await page.getByText('You: Until soon').waitFor()
  const [last] = await phone.claim()
  await phone.report(last!, 'failed')
  await page.getByText('Failed: Until soon').waitFor()
  await fixture.look('conversations')
})

scenario('a conversation is begun, and says when no device is there to send', async (fixture) => {
  const { page } = fixture
  await fixture.signIn()
  await fixture.visit('/conversations')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByLabel('Number or contact').fill('+49 151 12345678')
  await fixture.look('conversation-new')
  await page.keyboard.press('Enter')
  await page.getByText(`Nothing has been said with ${ZOE} yet.`).waitFor()
  await page.getByLabel('Write').fill('Hello?')
  await fixture.refused(/^POST \/api\/sms\/send: 503/, async () => {
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('None of your devices is online').waitFor()
  })
  await fixture.look('conversation-no-device')
})
