import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

/** A number must be whole on the screen: nothing of it is cut. */
const IS_CUT = `[...document.querySelectorAll('.phone-number')].some((number) => {
  const box = number.getBoundingClientRect()
  return number.scrollWidth > number.clientWidth + 1 || box.right > document.documentElement.clientWidth
})`

scenario('a national number can be typed to send, save and search', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const phone = await pairPhone(fixture.url, ann, 'desk phone')
  await fixture.signIn()
  await fixture.visit('/send')
  const to = page.getByRole('combobox', { name: 'To' })
  await to.fill('0151 2000')
  await page.keyboard.press('Enter')
  await page.getByText('“0151 2000” – Germany has no such number').waitFor()
  await fixture.look('numbers-unread')
  await page.getByRole('button', { name: 'Remove it' }).click()
  await to.fill('0151 20000010')
  await page.getByRole('option', { name: '+49 1512 0000010' }).waitFor()
  await page.keyboard.press('Enter')
  await to.fill('Ben <0049 151 20000011>')
  await page.keyboard.press('Enter')
  await page.getByLabel('Text', { exact: true }).fill('Hello')
  await page.getByRole('button', { name: 'Send to 2 people' }).click()
  await page.getByRole('heading', { name: 'Sent to 2 people' }).waitFor()
  const tasks = await phone.claim()
  expect(tasks.map((task) => task.to).sort()).toEqual(['+4915120000010', '+4915120000011'])

  await fixture.visit('/messages')
  await page.getByLabel('Name, number or text').fill('0151 20000011')
  await page.getByText('1 message', { exact: true }).waitFor()
  await page.getByText('+49 1512 0000011').waitFor()
  expect(await page.evaluate(IS_CUT)).toBe(false)

  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Add a contact' }).click()
  expect(await countryIn(fixture)).toBe('Germany (+49)')
  await page
    .getByLabel('Name', { exact: true })
    .fill('Çağla Ünal with a name that is far too long for a line')
  await page.getByLabel('Number', { exact: true }).fill('0151 20000010')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '+49 1512 0000010' }).waitFor()
  const contact = await ann.collection('contacts').getFirstListItem('')
  expect(contact.phone).toBe('+4915120000010')
  await ann
    .collection('contacts')
    .create({ user: contact.user, name: 'Ben', phone: '+4915120000011' })
  const search = page.getByRole('searchbox')
  for (const text of [
    'ünal',
    'ÇAĞLA ün',
    'UNAL',
    'çagla',
    '0151 20000010',
    '0049 1512 0000010',
    '151 200000 10',
  ]) {
    await search.fill('')
    await page.getByRole('cell', { name: /Choose Ben Ben$/ }).waitFor()
    await search.fill(text)
    await page.getByRole('cell', { name: /Choose Ben Ben$/ }).waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: '+49 1512 0000010' }).waitFor()
  }
  await fixture.look('numbers-contacts')
  expect(await page.evaluate(IS_CUT)).toBe(false)

  await fixture.visit('/conversations')
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByLabel('Number or contact').fill('0151/20000010')
  await page.getByLabel('Contacts', { exact: true }).getByText('+49 1512 0000010').waitFor()
  await page.getByRole('button', { name: 'Write' }).click()
  await page.waitForURL(/conversations\/%2B4915120000010/)
})

/** The country that is shown beside a field of numbers. */
const countryIn = ({ page }: BrowserFixture) =>
  page.getByLabel('Country of numbers without a code').locator('option:checked').textContent()

scenario(
  "an account without country and time zone gets the browser's, and each form can use another country",
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    await pairPhone(fixture.url, ann, 'desk phone')
    const settings = ann.collection('user_settings')
    const root = await fixture.root()
    await root.collection('user_settings').delete((await settings.getFirstListItem('')).id)
    await fixture.signIn()
    await fixture.visit('/contacts')
    await page.getByRole('button', { name: 'Add a contact' }).click()
    expect(await countryIn(fixture)).toBe('Germany (+49)')
    await page.getByLabel('Number', { exact: true }).fill('0160 9000001')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: '+49 160 9000001' }).first().waitFor()
    const adopted = { country: 'DE', time_zone: 'Europe/Berlin' }
    await expect.poll(() => settings.getFullList()).toMatchObject([adopted])

    // the choice of the import is for the import alone, also after Back
    await page.getByRole('button', { name: 'Import' }).click()
    const rows = page.getByLabel('Or paste rows here')
    const look = page.getByRole('button', { name: 'Check the rows' })
    const country = page.getByLabel('Country of numbers without a code')
    await rows.fill('Name,Mobile\nEve,07700 900303')
    await look.click()
    await country.selectOption('GB')
    const reason = page.getByRole('cell', { name: /United Kingdom has no such number/ })
    await reason.waitFor()
    expect(await reason.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0)
    await page.getByRole('button', { name: 'Back' }).click()
    await rows.fill('Name,Mobile\nEve,07400 123456')
    await look.click()
    await page.getByText('+44 7400 123456').first().waitFor()
    await fixture.look('numbers-country')
    await page.getByRole('button', { name: 'Import 1' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('cell', { name: '+44 7400 123456' }).first().waitFor()
    expect(await settings.getFullList()).toMatchObject([{ country: 'DE' }])

    await fixture.visit('/send')
    expect(await countryIn(fixture)).toBe('Germany (+49)')
    await page.getByRole('combobox', { name: 'To' }).fill('0664 1234567')
    await country.selectOption('AT')
    await page.getByText('+43 664 1234567').first().waitFor()
    await fixture.look('numbers-send-country')
  },
  {},
  { locale: 'en-GB', zone: 'Europe/Berlin' },
)
