import { scenario } from '../support/browser-fixture.ts'
import { openConversation, ZOE } from '../support/conversation.ts'
import { isNarrow } from '../support/inbox-layout.ts'

scenario('the key E archives with Caps Lock on', async (fixture) => {
  const { page } = fixture
  const { ann } = await openConversation(fixture)
  await page.getByLabel('Texts').getByText('Hello').waitFor()
  await page.getByRole('button', { name: 'Archive', exact: true }).waitFor()
  await page.evaluate('document.querySelector("main h1").focus()')
  await page.keyboard.press('E') // a capital letter without Shift, as Caps Lock makes it
  await expect
    .poll(() =>
      ann
        .collection('conversations')
        .getFirstListItem('')
        .then((each) => each.archived),
    )
    .toBe(true)
})

scenario('a confirmation closes when another page opens', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('sms_templates').create({ user, name: 'Thanks', body: 'Thank you' })
  await fixture.signIn()
  await fixture.visit('/templates')
  await page.getByRole('button', { name: 'Delete Thanks' }).click()
  await page.getByRole('dialog').waitFor()
  await page.evaluate('location.hash = "#/contacts"')
  await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

scenario('a refused number suggests contacts only if some match', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  await ann.collection('contacts').create({ user, name: 'Zoë', phone: ZOE })
  await fixture.signIn()
  await fixture.visit('/conversations')
  await page.getByRole('button', { name: 'New conversation' }).click()
  const field = page.getByLabel('Number or contact')
  await field.fill('012')
  await field.press('Enter')
  const fault = page.getByRole('dialog').getByRole('alert')
  await fault.waitFor()
  expect(await fault.textContent()).not.toContain('contact below')
  await field.fill('Zo')
  await page.getByRole('dialog').getByRole('link', { name: /Zoë/ }).waitFor()
  await expect.poll(() => fault.textContent()).toContain('choose a contact below')
})

scenario('Escape in the saved replies takes back what opened them', async (fixture) => {
  const { page } = fixture
  const { ann } = await openConversation(fixture)
  const user = ann.authStore.record!.id
  await ann.collection('sms_templates').create({ user, name: 'Thanks', body: 'Thank you' })
  const answer = page.getByLabel('Answer from Desk phone')
  const replies = page.getByRole('listbox', { name: 'Saved answers' })
  const send = page.getByRole('button', { name: 'Send', exact: true })
  for (const open of [
    () => page.getByRole('button', { name: 'Saved answers' }).click(),
    () => answer.press('/'),
  ]) {
    await open()
    await replies.waitFor()
    await answer.press('Escape')
    await replies.waitFor({ state: 'detached' })
    expect(await answer.inputValue()).toBe('')
    expect(await send.isDisabled()).toBe(true)
  }
  await answer.fill('Hello')
  // the first letter arrives before the next paint
  await page.evaluate(`{
    const buttons = [...document.querySelectorAll('button')]
    buttons.find(({ textContent }) => textContent.includes('Saved answers')).click()
    Promise.resolve().then(() => {
      document.querySelector('.conversations-write textarea').focus()
      document.execCommand('insertText', false, 't')
    })
  }`)
  await answer.pressSequentially('ha')
  await page.getByRole('option', { name: /Thanks/ }).waitFor()
  await answer.press('Control+Enter') // chooses: nothing is sent while the list is open
  await expect.poll(() => answer.inputValue()).toBe('Hello Thank you')

  // words that are no search are an answer
  await answer.fill('')
  await page.getByRole('button', { name: 'Saved answers' }).click()
  await replies.waitFor()
  await answer.pressSequentially('Come at nine')
  await replies.waitFor({ state: 'detached' })
  await send.click()
  await page.getByRole('log').getByText('Come at nine').waitFor()
  // so may be those that still find one
  await page.getByRole('button', { name: 'Saved answers' }).click()
  await answer.pressSequentially('Thank')
  await page.getByRole('heading', { level: 1 }).first().click()
  await replies.waitFor({ state: 'detached' })
  expect(await answer.inputValue()).toBe('Thank')
})

scenario(
  'the key E pressed twice archives two conversations and types nothing',
  async (fixture) => {
    const { page } = fixture
    const { ann, phone } = await openConversation(fixture)
    if (isNarrow(fixture)) return // there the list covers the next conversation
    const numbers = ['+4915100000001', '+4915100000002']
    for (const number of numbers) await phone.hear(number, 'Hello')
    await page.getByLabel('Texts').getByText('Hello').waitFor()
    const list = page.getByRole('region', { name: 'Conversations' })
    await expect.poll(() => list.getByRole('listitem').count()).toBe(3)
    await fixture.visit(`/conversations/${encodeURIComponent(numbers[1]!)}`)
    const archived = () =>
      ann.collection('conversations').getFullList({ filter: 'archived = true' })
    await page.getByRole('heading', { name: '+49 1510 0000002' }).waitFor()
    await page.evaluate('document.querySelector("main h1").focus()')
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: '+49 1510 0000001' }).waitFor()
    await page.getByLabel('Answer from Desk phone').waitFor()
    await page.keyboard.press('e')
    await expect.poll(async () => (await archived()).length).toBe(2)
    expect(await page.getByLabel('Answer from Desk phone').inputValue()).toBe('')
  },
)

scenario('a message waits while the pointer is on it', async (fixture) => {
  const { page, screen } = fixture
  if (screen === 'phone') return // a finger has no pointer
  await page.clock.install()
  await openConversation(fixture)
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  const toast = page.getByRole('status').getByText(/archived/)
  await toast.hover()
  await page.clock.fastForward(30_000)
  await toast.waitFor()
  await page.mouse.move(5, 5)
  await page.clock.fastForward(5_000)
  await toast.waitFor({ state: 'detached' })
})
