import { scenario } from '../support/browser-fixture.ts'

/** What phones share: each its own way. */
const CARDS = [
  [
    'VERSION:2.1',
    'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C=6C=65=72;=4A=C3=B6=72=67',
    'TEL;CELL:0151 23456789',
  ],
  [
    'VERSION:3.0',
    'FN:Änne Be',
    ' cker',
    'TEL;type=HOME:+49 30 1234567',
    'TEL;type=CELL;type=pref:+49 (151) 99999999',
  ],
  ['VERSION:4.0', 'FN:Ben Smith', 'TEL;VALUE=uri;TYPE="voice,cell":tel:+44-7700-900123'],
  ['VERSION:3.0', 'FN:Only Mail', 'EMAIL:mail@example.com'],
]
const FILE = CARDS.map((lines) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')).join('')

scenario('the contacts of a phone are imported', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Import' }).click()
  await fixture.look('vcard-choose')
  await page
    .getByLabel('An Excel, CSV or vCard file')
    .setInputFiles({ name: 'contacts.vcf', mimeType: 'text/vcard', buffer: Buffer.from(FILE) })
  await page.getByText('3 contacts to import, 1 row to leave out').waitFor()
  await page.getByText('Rows left out: 1').click()
  await page.getByText('No number').waitFor()
  await fixture.look('vcard-preview')
  await page.getByRole('button', { name: 'Import 3' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const stored = await ann.collection('contacts').getFullList({ sort: 'name' })
  expect(stored.map(({ name, phone }) => `${name} ${phone}`)).toEqual([
    'Ben Smith +447700900123',
    'Jörg Müller +4915123456789',
    'Änne Becker +4915199999999',
  ])
})
