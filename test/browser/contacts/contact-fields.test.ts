import { readFile } from 'node:fs/promises'
import { xlsx } from '../../console/xlsx.ts'
import { until } from '../../support/until.ts'
import { chooseAction, scenario } from '../support/browser-fixture.ts'
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
    await chooseAction(fixture, 'Export as CSV')
    const csv = await readFile((await (await download).path())!, 'utf8')
    expect(csv.trimEnd().split('\r\n')).toEqual([
      '\ufeffName;Number;Groups;Opted out;Ort',
      'Jörg Öl;+4915120000010;;no;Köln',
    ])

    await fixture.visit('/send?to=%2B4915120000010')
    const text = page.getByLabel(say('Text'), { exact: true })
    await text.fill('Hallo {{name}} in {{ort}} oder ')
    await page.getByRole('button', { name: 'Ort', exact: true }).click()
    await page.getByText('Hallo Jörg Öl in Köln oder Köln', { exact: true }).waitFor()
    await fixture.look('send-german')
    await page.getByRole('button', { name: say('Send'), exact: true }).click()
    const [task] = await phone.claim()
    expect(task!.body).toBe('Hallo Jörg Öl in Köln oder Köln')
  },
  {},
  { locale: 'de-DE', zone: 'Europe/Berlin' },
)

scenario(
  'fields get a type by hand, are renamed, and are deleted with their values',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    const ben = await ann
      .collection('contacts')
      .create({ user, name: 'Ben', phone: '+4915120000011', data: { Ort: 'Ulm' } })
    await ann
      .collection('sms_templates')
      .create({ user, name: 'Order', body: 'Your shoes, {{Ort}}, are here.' })
    await fixture.signIn()
    await fixture.visit('/contacts')
    await page.getByRole('button', { name: 'Order and columns' }).click()
    await page.getByRole('link', { name: 'Fields' }).last().click()
    await page.getByRole('button', { name: 'Ort', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Field created').waitFor()
    await page.getByRole('button', { name: 'New field' }).click()
    await dialog.getByLabel('Name').fill('Size')
    await dialog.getByLabel('Type').selectOption('choice')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Fill this in.').waitFor()
    await dialog.getByLabel('Values to choose from').fill('S\nM')
    await fixture.look('contact-fields-new')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Choice: S, M').waitFor()
    await page.getByRole('button', { name: 'Change Ort' }).click()
    await dialog.getByLabel('Name').fill('Town')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('{{Town}}').waitFor()
    await fixture.look('contact-fields')

    await fixture.visit(`/contacts/${ben.id}`)
    await page.getByText('Town').waitFor()
    // what a program writes while the form is open is kept
    await fixture.visit('/contacts')
    await page.getByRole('button', { name: 'Actions of Ben' }).click()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await dialog.getByLabel('Size').selectOption('M')
    await ann.collection('contacts').update(ben.id, { data: { Ort: 'Ulm', Points: 7 } })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Contact saved').waitFor()
    expect((await ann.collection('contacts').getOne(ben.id)).data).toEqual({
      Ort: 'Ulm',
      Points: 7,
      Size: 'M',
    })

    await fixture.visit('/contacts/fields')
    await page.getByRole('button', { name: 'Delete Town' }).click()
    await dialog.getByText('1 contact loses its value for good.').waitFor()
    await dialog.getByText('need another word or a default in its place: Order.').waitFor()
    await fixture.look('contact-fields-delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Field deleted').waitFor()
    expect((await ann.collection('contacts').getOne(ben.id)).data).toEqual({
      Points: 7,
      Size: 'M',
    })
  },
)

scenario('values older than the type of their field are converted or listed', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  const values = [
    ['Ben', '1.12.2026'],
    ['Cem', '13.12.2026'],
    ['Dea', '12/31/2026'],
  ]
  for (const [at, [name, since]] of values.entries())
    await ann
      .collection('contacts')
      .create({ user, name, phone: `+49151200000${10 + at}`, data: { since, Ort: 'Ulm' } })
  await ann.collection('contacts').create({ user, name: 'Without', phone: '+4915120000020' })
  await fixture.signIn()
  await fixture.visit('/contacts/fields')
  await page.getByRole('button', { name: 'since', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type').selectOption('date')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog
    .getByText(
      /2 were stored before and can be converted: 13?\.12\.2026 becomes 2026-12-(01|13), for example/,
    )
    .waitFor()
  await dialog.getByRole('link', { name: 'Dea' }).waitFor()
  await dialog.getByText('12/31/2026').waitFor()
  await dialog.getByText(/Texts with \{\{since\}\} then say (1|13) December 2026/).waitFor()
  await fixture.look('contact-fields-values')
  await dialog.getByRole('button', { name: 'Convert 2' }).click()
  await page.getByText('2 values converted').waitFor()
  await dialog.getByText('2 values fit the type.').waitFor()
  // the focused button is gone: the key closes the dialog, and does not leave the page
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  const stored = await ann.collection('contacts').getFullList({ sort: 'name' })
  expect(stored.map(({ data }) => data)).toEqual([
    { since: '2026-12-01', Ort: 'Ulm' },
    { since: '2026-12-13', Ort: 'Ulm' },
    { since: '12/31/2026', Ort: 'Ulm' },
    null,
  ])
  await page.getByRole('button', { name: 'Check the values of since' }).click()
  await dialog.getByText('1 does not fit').waitFor()
})

scenario(
  'the list of contacts is filtered and sorted by fields, which a person shows as columns',
  async (fixture) => {
    const { page } = fixture
    const ann = await fixture.ann()
    const user = ann.authStore.record!.id
    await ann.collection('contact_fields').create({ user, name: 'Ort', type: 'text' })
    await ann.collection('contact_fields').create({ user, name: 'Punkte (neu)', type: 'number' })
    const people = [
      { name: 'Ann', data: { Ort: 'Ulm', 'Punkte (neu)': 9 } },
      { name: 'Ben', data: { Ort: 'Köln', 'Punkte (neu)': 11 } },
      { name: 'Cem', data: { Ort: '' } },
      { name: 'Dea', data: { Ort: 'Öhringen', 'Punkte (neu)': 100 } },
    ]
    for (const [at, person] of people.entries())
      await ann.collection('contacts').create({ user, phone: `+49151200000${10 + at}`, ...person })
    await fixture.signIn()
    await fixture.visit('/contacts')
    const names = () => page.locator('tbody .contacts-name a').allTextContents()
    await expect.poll(names).toEqual(['Ann', 'Ben', 'Cem', 'Dea'])

    await page.getByRole('button', { name: 'Order and columns' }).click()
    for (const name of ['Ort', 'Punkte (neu)']) await page.getByLabel(name, { exact: true }).check()
    await fixture.look('contact-columns-choice')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ort', exact: true }).click()
    await expect.poll(names).toEqual(['Ben', 'Dea', 'Ann', 'Cem'])
    await page.getByRole('button', { name: 'Punkte (neu)' }).click()
    await expect.poll(names).toEqual(['Dea', 'Ben', 'Ann', 'Cem'])
    await page.reload()
    await page.getByRole('columnheader', { name: 'Ort' }).waitFor()
    await fixture.look('contact-columns')

    const field = page.getByLabel('Filter by a field')
    await field.selectOption('Ort')
    await page.getByLabel('Value of Ort').fill('köln')
    await expect.poll(names).toEqual(['Ben'])
    await field.selectOption('Punkte (neu)')
    const value = page.getByLabel('Value of Punkte (neu)')
    await value.fill('ten')
    await page.getByText('Punkte (neu) must be a number, such as 12.5').waitFor()
    await value.fill('10')
    await expect.poll(names).toEqual(['Dea', 'Ben'])
    await fixture.look('contact-condition')
    await page.reload()
    await expect.poll(names).toEqual(['Dea', 'Ben'])
    await page.getByLabel('Comparison').selectOption('has no value')
    await expect.poll(names).toEqual(['Cem'])
    await page.getByRole('button', { name: 'Remove the condition' }).click()
    await expect.poll(names).toEqual(['Dea', 'Ben', 'Ann', 'Cem'])
  },
  {},
  { widths: [1280] },
)

scenario('two numbers of one person are linked, and an erasure offers both', async (fixture) => {
  const { page } = fixture
  const ann = await fixture.ann()
  const user = ann.authStore.record!.id
  const add = (phone: string, more: object = {}) =>
    ann.collection('contacts').create({ user, name: 'Anna', phone, ...more })
  const one = await add('+4915120000011')
  await add('+4915120000012', { opted_out: true })
  await fixture.signIn()
  await fixture.visit(`/contacts/${one.id}`)
  await page.getByRole('button', { name: 'Link another number' }).click()
  expect(await page.getByRole('dialog').getByRole('searchbox').inputValue()).toBe('')
  await page.getByRole('button', { name: /Anna.*0012/ }).click()
  const linked = page.getByRole('region', { name: 'Other numbers of this person' })
  await linked.getByText('Opted out').waitFor()
  await fixture.look('contact-linked')
  await linked.getByRole('link').click()
  await linked.getByRole('link', { name: /0011/ }).waitFor()
  expect((await ann.collection('contacts').getOne(one.id)).opted_out).toBe(false)

  await fixture.visit(`/conversations/${encodeURIComponent(one.phone)}`)
  if (fixture.screen === 'phone')
    await page.getByRole('button', { name: 'About this contact' }).click()
  await linked.getByRole('link', { name: /0012/ }).waitFor()
  await fixture.look('conversation-linked')

  await fixture.visit(`/personal-data/${encodeURIComponent(one.phone)}`)
  await page.getByText('This person has other numbers.').waitFor()
  await page.getByRole('button', { name: 'Erase the data' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/0012$/).check()
  await dialog.getByLabel('Why is the data erased?').fill('Asked by mail')
  await dialog.getByLabel('Type the last four digits of the number to confirm').fill('0011')
  await fixture.look('person-erase-linked')
  await dialog.getByRole('button', { name: 'Erase for good' }).click()
  await until('both contacts to be erased', async () => {
    const left = await ann.collection('contacts').getFullList()
    return left.length === 0
  })
})
