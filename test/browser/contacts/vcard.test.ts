import { scenario } from '../support/browser-fixture.ts'

const CARDS = ['FN:Änne Becker\nTEL;CELL:0151 99999999', 'FN:Only Mail\nEMAIL:mail@example.com']
const FILE = CARDS.map((card) => `BEGIN:VCARD\nVERSION:3.0\n${card}\nEND:VCARD\n`).join('')

scenario('contacts exported from a phone are imported', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Import' }).click()
  await page
    .getByLabel('An Excel, CSV or vCard file')
    .setInputFiles({ name: 'contacts.vcf', mimeType: 'text/vcard', buffer: Buffer.from(FILE) })
  await page.getByText('1 contact to import, 1 row to leave out').waitFor()
  await page.getByText('Rows left out: 1').waitFor()
  await page.getByText('No number').waitFor()
  await page.getByRole('button', { name: 'Import 1' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const stored = await ann.collection('contacts').getFullList()
  expect(stored).toMatchObject([{ name: 'Änne Becker', phone: '+4915199999999' }])
})
