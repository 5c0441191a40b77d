import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const ZOE = '+4915112345678'

/** Goes to another page by its address, as a link does. */
const leaveFor = ({ page }: BrowserFixture, path: string) =>
  page.evaluate(`location.hash = ${JSON.stringify(path)}`)

scenario('typed text is kept when the page is left, until it is sent or saved', async (fixture) => {
  const { page, url } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(url, ann, 'Desk phone')
  await phone.hear(ZOE, 'Are you open?')
  await fixture.signIn()

  const text = page.getByLabel('Text', { exact: true }).last()
  await fixture.visit('/send')
  await page.getByRole('combobox', { name: 'To' }).fill(`${ZOE},`)
  await page.keyboard.press('Enter')
  await text.fill('Until six')
  await leaveFor(fixture, '/groups')
  await page.getByRole('heading', { name: 'Groups', exact: true }).waitFor()
  await page.reload()
  await leaveFor(fixture, '/send')
  await page.getByRole('button', { name: /^Remove.*151/ }).waitFor()
  expect(await text.inputValue()).toBe('Until six')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: /^Sent to/ }).waitFor()
  await leaveFor(fixture, '/send')
  await expect.poll(() => text.inputValue()).toBe('')

  const answer = page.getByLabel('Answer from Desk phone')
  await fixture.visit(`/conversations/${encodeURIComponent(ZOE)}`)
  await answer.fill('Come at five')
  await leaveFor(fixture, '/conversations/%2B4915112345679')
  await page.getByLabel('Write', { exact: true }).waitFor()
  expect(await page.getByLabel('Write', { exact: true }).inputValue()).toBe('')
  await leaveFor(fixture, `/conversations/${encodeURIComponent(ZOE)}`)
  await expect.poll(() => answer.inputValue()).toBe('Come at five')

  await fixture.visit('/templates')
  await page.getByRole('button', { name: 'New template' }).click()
  await page.getByLabel('Name').fill('Opening hours')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'New template' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('Opening hours')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'New template' }).click()
  expect(await page.getByLabel('Name').inputValue()).toBe('')
  await page.keyboard.press('Escape')

  await fixture.signOut()
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Come at five')
})

scenario('leaving unsaved settings asks for confirmation', async (fixture) => {
  const { page } = fixture
  await fixture.signIn('root')
  await fixture.visit('/settings')
  const name = page.getByLabel('Name of this service')
  await name.fill('Corner shop')
  await page.getByLabel('Send mails through an SMTP server').check()
  await page.getByLabel('Password', { exact: true }).fill('top-secret')
  await leaveFor(fixture, '/users')
  await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor()
  await page.getByRole('button', { name: 'Stay' }).click()
  expect(await name.inputValue()).toBe('Corner shop')
  expect(page.url()).toMatch(/#\/settings$/)
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('top-secret')

  await leaveFor(fixture, '/users')
  await page.getByRole('button', { name: 'Leave without saving' }).click()
  await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
  await leaveFor(fixture, '/settings')
  await name.waitFor()
  expect(await name.inputValue()).not.toBe('Corner shop')
  await name.fill('Corner shop')
  await page.getByRole('button', { name: 'Save name and address' }).click()
  await page.getByText('Name and address saved').waitFor()
  await leaveFor(fixture, '/users')
  await page.getByRole('heading', { name: 'Users', exact: true }).waitFor()
})

scenario(
  'text typed into a dialog is kept when it is closed, until it is canceled or saved',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    await fixture.signIn()
    await fixture.visit('/contacts')
    const add = page.getByRole('button', { name: 'Add a contact' }).first()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel('Name', { exact: true })
    await add.click()
    await name.fill('Zoë')
    await page.keyboard.press('Escape')
    await leaveFor(fixture, '/groups')
    await page.getByRole('heading', { name: 'Groups', exact: true }).waitFor()
    await leaveFor(fixture, '/contacts')
    await add.click()
    expect(await name.inputValue()).toBe('Zoë')
    await dialog.getByLabel('Number', { exact: true }).fill(ZOE)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Contact saved').waitFor()
    expect((await ann.collection('contacts').getFirstListItem('')).name).toBe('Zoë')
    await add.click()
    expect(await name.inputValue()).toBe('')
    await page.keyboard.press('Escape')
  },
)
