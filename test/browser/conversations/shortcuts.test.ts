import { scenario } from '../support/browser-fixture.ts'
import { openConversation, ZOE } from '../support/conversation.ts'

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
