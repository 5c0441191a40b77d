import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'

/** Numbers as people write them, five rows that are none, and one number twice. */
function sheet(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => `"Person, No. ${i}",0151 ${20_000_000 + i}`)
  return [
    'Name,Phone',
    ...rows,
    'No number,',
    'Letters,call me',
    'Short,+1',
    'Zero,00',
    'Two,+49 151 20000000',
  ].join('\r\n')
}

const SENTENCE = 'contacts are added by hand, imported by the thousand, searched and opted out'

scenario(SENTENCE, play, {}, { ms: 240_000 })

async function play(fixture: BrowserFixture): Promise<void> {
  const { page } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/contacts')
  await page.getByText('No contacts yet').waitFor()
  await fixture.look('contacts-empty')

  await page.getByRole('button', { name: 'Add a contact' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Zoë')
  await page.getByLabel('Number', { exact: true }).fill('0151 123')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Germany has no such number').waitFor()
  await page.getByLabel('Number', { exact: true }).fill('+49 (0) 151 / 20000000')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '+49 1512 0000000' }).waitFor()

  await page.getByRole('button', { name: 'Import' }).click()
  await page
    .getByLabel('An Excel, CSV or vCard file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(sheet(1_000)) })
  const country = page.getByLabel('Country of numbers without a code')
  expect(await country.inputValue()).toBe('DE')
  await country.selectOption('US')
  await page.getByText('1 contact to import, 1,004 rows to leave out').waitFor()
  await country.selectOption('DE')
  await page.getByText('1,000 contacts to import, 5 rows to leave out').waitFor()
  await page.getByLabel('Put all of them into').selectOption('new')
  await page.getByRole('button', { name: 'Import 1,000' }).click()
  await page.getByText('Fill this in.').waitFor()
  await page.locator('[name="new-group"]:focus').fill('Newsletter')
  await page.getByText('Rows left out: 5').waitFor()
  await page.getByText('The same number as in row 2').waitFor()
  await page.getByRole('button', { name: 'Import 1,000' }).click()
  await page.getByRole('button', { name: 'Done' }).waitFor({ timeout: 120_000 })
  // one was there already
  const figures = await page.locator('.figures dd').allTextContents()
  expect(figures).toEqual(['999', '1', '0', '5'])
  await fixture.look('contacts-imported')
  await page.getByRole('button', { name: 'Done' }).click()
  const stored = await ann.collection('contacts').getFullList({ expand: 'groups' })
  expect(stored.length).toBe(1_000)
  expect(stored.filter(({ expand }) => expand?.groups[0].name === 'Newsletter').length).toBe(1_000)

  await page.getByRole('searchbox').fill('No. 77')
  await page.getByRole('button', { name: 'Actions of Person, No. 77', exact: true }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  // a STOP that comes in while the form is open stays
  const person = stored.find(({ name }) => name === 'Person, No. 77')!
  await ann.collection('contacts').update(person.id, { opted_out: true })
  await page.getByLabel('Name', { exact: true }).fill('Person, No. 77 b')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Person, No. 77 b', { exact: true }).waitFor()
  await page.getByRole('cell', { name: 'Opted out' }).waitFor()

  await fixture.visit('/groups')
  await page.getByRole('cell', { name: /1,000\s?\(1 opted out\)/ }).waitFor()
}
