import { fillSignIn, scenario } from '../support/browser-fixture.ts'
import { openConversation, ZOE } from '../support/conversation.ts'
import { closePanel, openPanel } from '../support/inbox-layout.ts'
import { pairPhone } from '../support/phone.ts'

scenario('an incoming text appears in its conversation and is answered there', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('contacts').create({ user, name: 'Zoë', phone: ZOE })
  const phone = await pairPhone(url, ann, 'Desk phone')
  await fixture.signIn()
  await fixture.visit('/conversations')
  await page.getByText('Texts that come in').waitFor()
  await fixture.look('conversations-empty')

  await phone.hear(ZOE, 'Is my parcel there?')
  await page.getByRole('link', { name: /Zoë.*1 unread/ }).click()
  await page.getByRole('heading', { name: 'Zoë' }).waitFor()
  const answer = page.getByLabel('Answer from Desk phone')
  await answer.fill('Since this morning.\nThe yellow one.')
  await page.route('**/api/sms/send', async (route) => {
    await answer.fill('Typed while it was sent')
    await route.continue()
  })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByLabel('Texts').getByText('Since this morning.').waitFor()
  const [task] = await phone.claim()
  expect(task).toMatchObject({ to: ZOE, body: 'Since this morning.\nThe yellow one.' })
  await phone.report(task!, 'sent')
  await phone.report(task!, 'delivered')
  await page.getByText('Delivered').waitFor()
  expect(await answer.inputValue()).toBe('Typed while it was sent')
  await answer.fill('')
  await phone.hear(ZOE, 'Thank you! 🎉')
  await page.getByLabel('Texts').getByText('Thank you! 🎉').waitFor()

  await page.goto(`${url}/#/conversations`)
  await page.getByText('Thank you! 🎉').waitFor()
  await phone.hear('+447700900123', 'A stranger with a long text. '.repeat(8))
  await page.getByText('+44 7700 900123').waitFor()

  await ann.send('/api/sms/send', {
    method: 'POST',
    body: { recipients: [ZOE], body: 'Until soon' },
  })
  await page.getByText('You: Until soon').waitFor()

  // two of one name are told apart
  const other = '+4915112345679'
  await ann.collection('contacts').create({ user, name: 'Zoë', phone: other })
  await phone.hear(other, 'Mine, too?')
  for (const number of [ZOE, other]) await page.getByTitle(number).waitFor()
})

scenario('a draft appears in other browsers until it is sent', async (fixture) => {
  const { page, url, say } = fixture
  const { ann, phone } = await openConversation(fixture)
  await page.getByLabel('Answer from Desk phone').fill('Since noon')
  const other = await fixture.another()
  await fillSignIn(other, url, 'ann', say)
  await other.page.getByRole('link', { name: 'Draft: Since noon' }).click()
  const box = other.page.getByLabel('Answer from Desk phone')
  await expect.poll(() => box.inputValue()).toBe('Since noon')
  await box.fill('Since noon today')
  await expect
    .poll(() => page.getByLabel('Answer from Desk phone').inputValue())
    .toBe('Since noon today')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => box.inputValue()).toBe('')
  expect(await phone.claim()).toMatchObject([{ body: 'Since noon today' }])
  expect(await ann.collection('conversation_drafts').getFullList()).toEqual([])
})

scenario('a draft that is emptied while the server stores it stays empty', async (fixture) => {
  const { page } = fixture
  const { ann } = await openConversation(fixture)
  const answer = page.getByLabel('Answer from Desk phone')
  const drafts = () => ann.collection('conversation_drafts').getFullList()
  let answers = Promise.withResolvers<void>()
  await page.route('**/conversation_drafts/records*', async (route) => {
    if (route.request().method() === 'GET') return route.continue()
    const response = await route.fetch()
    await answers.promise
    await route.fulfill({ response })
  })
  for (const text of ['Since noon', 'Since ten']) {
    answers = Promise.withResolvers()
    await answer.fill(text)
    await expect.poll(drafts).toMatchObject([{ text }])
    await page.waitForTimeout(500) // the news of the draft has reached the page
    await answer.fill('')
    answers.resolve()
    await expect.poll(drafts).toEqual([])
    await page.waitForTimeout(500)
    expect(await answer.inputValue()).toBe('')
  }
})

scenario('a new conversation is started and says when no device can send', async (fixture) => {
  const { page } = fixture
  await fixture.signIn()
  await fixture.visit('/conversations')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByLabel('Number or contact').fill('+49 151 12345678')
  await page.keyboard.press('Enter')
  await page.getByText('No texts with +49 1511 2345678 yet.').waitFor()
  await page.getByLabel('Write').fill('Hello?')
  await fixture.refused(/^POST \/api\/sms\/send: 503/, async () => {
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('None of your devices is online').waitFor()
  })
  await fixture.look('conversation-no-device')
})

scenario(
  'a conversation is answered with a saved reply, and its contact edited beside it',
  async (fixture) => {
    const { page, url } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const phone = await pairPhone(url, ann, 'Desk phone')
    const other = await pairPhone(url, ann, 'Van phone')
    const reply = (name: string, body: string) =>
      ann.collection('sms_templates').create({ user, name, body })
    await reply('Thanks', 'Thank you, {{name}}!')
    await reply('Parcel', 'In {{city|town}} by {{time}}, {{name|you}}')
    await phone.hear(ZOE, 'Is my parcel there?')
    await fixture.signIn()
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    await openPanel(fixture)
    await page.getByRole('button', { name: 'Change Name' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Zoë')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Contact saved').waitFor()
    await closePanel(fixture)
    await page.getByRole('heading', { name: 'Zoë' }).waitFor()
    await page.getByLabel('Answer from Desk phone').waitFor()
    await page.getByLabel('Device').selectOption({ label: 'Van phone' })
    const fromVan = page.getByLabel('Answer from Van phone')
    await fromVan.pressSequentially('/tha')
    await page.getByRole('option', { name: /Thanks/ }).waitFor()
    await fixture.look('conversation-saved-replies')
    expect(await page.getByRole('listbox').getByRole('option').count()).toBe(1)
    await page.keyboard.press('Enter')
    await expect.poll(() => fromVan.inputValue()).toBe('Thank you, Zoë!')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const [task] = await other.claim()
    expect(task).toMatchObject({ to: ZOE, body: 'Thank you, Zoë!' })

    // the contact's own fields go before the default; what is still open is not sent
    const { id } = await ann.collection('contacts').getFirstListItem('')
    await ann.collection('contacts').update(id, { data: { City: 'Ulm' } })
    await fixture.visit('/templates')
    await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
    const answer = page.getByLabel('Answer from Desk phone')
    await answer.waitFor()
    await page.getByRole('button', { name: 'Saved answers' }).click()
    await page.getByRole('option', { name: /Parcel/ }).click()
    await expect.poll(() => answer.inputValue()).toBe('In Ulm by {{time}}, Zoë')
    expect(await page.evaluate('String(getSelection())')).toBe('{{time}}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Write something in the place of {{time}}.').waitFor()
    await fixture.look('conversation-open-variable')
    await answer.fill('In Ulm by noon, Zoë')
    await page.getByText('Write something in the place of').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByLabel('Texts').getByText('In Ulm by noon, Zoë').waitFor()
    expect((await phone.claim()).map(({ body }) => body)).toEqual(['In Ulm by noon, Zoë'])

    await phone.hear(ZOE, 'STOP')
    await page.getByText('Opted out', { exact: true }).first().waitFor()
    await page.getByText('texts to it are not sent').waitFor()
    await fixture.look('conversation-opted-out')
  },
)
