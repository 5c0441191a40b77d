import { readFile } from 'node:fs/promises'
import { xlsx } from '../../console/xlsx.ts'
import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

const PEOPLE = [
  ['Name', 'Handy', 'City'],
  ['Ünal', '0151 20000010', 'Kiel'],
  ['', 4915120000011, ''],
]

const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

scenario('an import keeps the columns of an Excel file', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  await fixture.signIn()
  await fixture.visit('/contacts')
  await page.getByRole('button', { name: 'Import' }).click()
  const file = page.getByLabel('An Excel, CSV or vCard file')
  const old = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1])
  await file.setInputFiles({
    name: 'people.xls',
    mimeType: 'application/vnd.ms-excel',
    buffer: old,
  })
  await page.getByText('save it as .xlsx or as CSV UTF-8').waitFor()
  await fixture.look('excel-old')
  await file.setInputFiles({
    name: 'people.xlsx',
    mimeType: EXCEL,
    buffer: Buffer.from(xlsx(PEOPLE)),
  })
  await page.getByText('2 contacts to import', { exact: true }).waitFor()
  await page.getByLabel('City', { exact: true }).check()
  await page.getByRole('cell', { name: 'Kiel' }).waitFor()
  await page.getByLabel('Put all of them into').selectOption('new')
  await page.getByLabel('Name of the new group').fill('Guests')
  await page.getByRole('button', { name: 'Import 2' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  const stored = await ann.collection('contacts').getFullList({ sort: 'phone' })
  expect(stored.map(({ phone, data }) => [phone, data])).toEqual([
    ['+4915120000010', { City: 'Kiel' }],
    ['+4915120000011', null],
  ])
})

const SHEET = 'Name;Handy;Ort\nJörg Öl;0151 20000010;Köln\nBen;0151 20000011;Ulm'

scenario(
  'a German shop imports files with semicolons, own fields, plain names and dates',
  async (fixture) => {
    const { page, say } = fixture
    const ann = await fixture.ann()
    const phone = await pairPhone(fixture.url, ann, 'Ladentelefon')
    await fixture.signIn()
    await fixture.visit('/contacts')
    await page.getByRole('button', { name: say('Import') }).click()
    await page.getByLabel(say('Or paste rows here')).fill(SHEET)
    await page.getByRole('button', { name: say('Check the rows') }).click()
    await page.getByLabel('Ort', { exact: true }).check()
    await page.getByRole('button', { name: say('Import {count}', { count: 2 }) }).click()
    await page.getByRole('button', { name: say('Done') }).click()
    const jorg = page.getByLabel(say('Choose {contact}', { contact: 'Jörg Öl' }), { exact: true })
    const ben = page.getByLabel(say('Choose {contact}', { contact: 'Ben' }), { exact: true })
    await ben.waitFor()
    await page.getByRole('searchbox').fill('jorg')
    await ben.waitFor({ state: 'detached' })
    await jorg.check()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: say('Export as CSV') }).click()
    const csv = await readFile((await (await download).path())!, 'utf8')
    expect(csv.trimEnd().split('\r\n')).toEqual([
      '\ufeffName;Number;Groups;Opted out;Ort',
      'Jörg Öl;+4915120000010;;no;Köln',
    ])

    await fixture.visit('/send?to=%2B4915120000010')
    const text = page.getByLabel(say('Text'), { exact: true })
    await text.fill('Hallo {{name}} in {{ort}} oder ')
    await page.getByRole('button', { name: '{{Ort}}', exact: true }).click()
    await page.getByText('Hallo Jörg Öl in Köln oder Köln', { exact: true }).waitFor()
    await fixture.look('send-german')
    await page.getByRole('button', { name: say('Send'), exact: true }).click()
    const [task] = await phone.claim()
    expect(task!.body).toBe('Hallo Jörg Öl in Köln oder Köln')
  },
  {},
  { locale: 'de-DE', zone: 'Europe/Berlin' },
)
