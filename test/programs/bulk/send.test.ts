import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from 'citty'
import { sendCommand } from '../../../src/programs/bulk/bulk-command.ts'
import { type BulkOptions, sendCsv } from '../../../src/programs/bulk/send-csv.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import {
  ANN,
  CLEO,
  startServerWithUsers,
  TEMPLATES,
} from '../../support/server/server-with-users.ts'

const server = await startServerWithUsers()
afterAll(() => {
  process.exitCode = 0
})

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const HEAD = 'phone,name,code,tail'
const row = (i: number) => `+49 15 ${String(1000 + i)},Bo,c${i},t`

/** Runs the command on a file of these rows; what it says. */
async function run(rows: readonly string[], options: Partial<BulkOptions> = {}): Promise<string[]> {
  const csv = join(folder, 'list.csv')
  writeFileSync(csv, [HEAD, ...rows].join('\n'))
  const said: string[] = []
  const all = {
    csv,
    template: TEMPLATES.code,
    url: server.url,
    key: ANN.key,
    phoneColumn: 'phone',
    country: '',
    dryRun: false,
  }
  await sendCsv({ ...all, results: `${csv}.results`, ...options }, (line) => said.push(line))
  return said
}

const stored = async () =>
  Number(
    (await server.rows(`select count(*) from sms_messages where "user" = $1`, [ANN.id]))[0]![0],
  )
const results = () => readFileSync(join(folder, 'list.csv.results'), 'utf8')

test.each([
  ['national numbers', ['0151 1234567', '(0151) 1234568', '0151/1234569']],
  ['numbers of a country without a trunk prefix', ['415-555-2671', '4155552672', '415.555.2673']],
])('one sentence names --country for %s', async (_, phones) => {
  const before = await stored()
  const rows = phones.map((phone) => `${phone},Bo,c,t`)
  const rows2 = [...rows, row(7)]
  const sentence = 'Name the country of numbers without + with --country, as in --country DE.'
  const tried = await run(rows2, { dryRun: true })
  expect(tried.slice(-2)).toEqual([
    sentence,
    '1 messages, 1 segments, 3 refused. Nothing was sent.',
  ])
  await expect(run(rows)).rejects.toThrow(sentence)
  expect(await stored()).toBe(before)
  const said = await run(rows2)
  const ownFile = 'Send rows that were left out as a file of their own.'
  expect(said).toContain(`${ownFile} ${sentence}`)
  const again = run(rows2, { country: 'DE' })
  await expect(again).rejects.toThrow(
    `This file and template were sent with another --phone or --country within 24 hours, and continue only with these. ${ownFile}`,
  )
  expect(said.at(-1)).toMatch(/^1 of 4 accepted, 3 refused/)
  expect(results()).toContain('"error":"No calling code and no country"')
})

test.each([
  ['as a word', (csv: string) => [csv]],
  ['with --csv', (csv: string) => ['--csv', csv]],
])('the command takes its file %s', async (_, nameFile) => {
  const csv = join(folder, 'named.csv')
  writeFileSync(csv, `${HEAD}\n${row(8)}`)
  const rawArgs = [...nameFile(csv), `--template=${TEMPLATES.code}`, `--url=${server.url}`]
  await runCommand(sendCommand, { rawArgs: [...rawArgs, `--key=${ANN.key}`] })
  expect(readFileSync(`${csv}.results`, 'utf8')).toContain('+49151008')
})

test('the command without a file says how to name one', async () => {
  const run = runCommand(sendCommand, { rawArgs: ['--template=t1'] })
  await expect(run).rejects.toThrow('Name the file: pocketsms send FILE --template ID')
})

test.each(['DE', 'de', '49'])(
  'the country %s is that of numbers without a code',
  async (country) => {
    const said = await run(['0151 12345678,Bo,c,t'], { country, dryRun: true })
    expect(said).toContainEqual(expect.stringContaining('+4915112345678: '))
  },
)

test('each row becomes a message, and a refused row does not stop the others', async () => {
  const before = await stored()
  const said = await run([row(1), 'nonsense,Bo,c,t', row(2)])
  expect(said).toEqual([
    'line 3: Not a phone number',
    expect.stringMatching(/^2 of 3 accepted, 1 refused/),
  ])
  expect(await stored()).toBe(before + 2)
  expect(results()).toContain('"line":3,"phone":"nonsense","error":"Not a phone number"')
})

test('a repeated command sends no row again', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => row(i + 10))
  await run(rows)
  const before = await stored()
  expect((await run(rows))[0]).toMatch(/^20 of 20 accepted, 0 refused/)
  expect(await stored()).toBe(before)
})

test('a run whose answer or results were lost continues its campaign', async () => {
  const rows = [row(40), row(41)]
  await run(rows)
  const before = await stored()
  rmSync(join(folder, 'list.csv.results'))
  expect((await run(rows))[0]).toMatch(/^2 of 2 accepted, 0 refused/)
  expect(await stored()).toBe(before)
  await server.rows(
    `update campaigns set created = pb_text(now() - interval '25 hours') where "user" = $1`,
    [ANN.id],
  )
  await server.rows(`update sms_idempotency set created = now() - interval '25 hours'`)
  await run(rows)
  expect(await stored()).toBe(before + 2)
})

test('a dry run prints the texts and sends no text', async () => {
  const before = await stored()
  const said = await run([row(50), 'nonsense,Bo,c,t'], { dryRun: true })
  expect(said[1]).toContain('+49151050: ')
  expect(said[2]).toBe('line 3: Not a phone number')
  expect(said.at(-1)).toBe('1 messages, 1 segments, 1 refused. Nothing was sent.')
  expect(await stored()).toBe(before)
})

test('a dry run shows the values of contacts, or says that the key may not see them', async () => {
  const { body } = await server.ask(
    'POST',
    '/api/collections/api_keys/records',
    { user: ANN.id, name: 'reader', scopes: ['messages:list', 'messages:send'] },
    await server.signedIn('users', ANN.id),
  )
  const named = { template: TEMPLATES.greeting, dryRun: true }
  const phone = (
    await server.rows(`select phone, name from contacts where "user" = $1 and name <> ''`, [ANN.id])
  )[0] as [string, string]
  const rows = [`${phone[0]},Bo,c,t`]
  // the contact may have the name that its row lacks
  expect((await run([`${phone[0]},,c,t`], named))[1]).toBe(`${phone[0]}: Hello {{name}}!`)
  const lines = `phone\n${phone[0]}\n`
  const csv = join(folder, 'only.csv')
  writeFileSync(csv, lines)
  const marked = await run([], { ...named, csv })
  expect(marked[1]).toBe(`${phone[0]}: Hello {{name}}!`)
  expect(marked[2]).toMatch(/stands for what contacts give/)
  const shown = await run(rows, { ...named, key: body.key })
  expect(shown[1]).toBe(`${phone[0]}: Hello ${phone[1]}!`)
})

const named = (text: string, options: Partial<BulkOptions> = {}) => {
  const csv = join(folder, 'named.csv')
  writeFileSync(csv, text)
  const all = { csv, results: `${csv}.results`, template: TEMPLATES.greeting, key: reader }
  return run([], { ...all, ...options })
}
let reader = ''

test('a row takes its name from the file, and one with a gap is left out and named', async () => {
  const { body } = await server.ask(
    'POST',
    '/api/collections/api_keys/records',
    { user: ANN.id, name: 'all', scopes: ['messages:list', 'messages:send'] },
    await server.signedIn('users', ANN.id),
  )
  reader = body.key
  const rows = 'phone,Name,code\n+49 15 2001,Özlem,1\n+4900001,Other,2\n+49 15 2002,,3\n'
  const tried = await named(rows, { dryRun: true })
  expect(tried.slice(1, -1).toSorted()).toEqual([
    '+4900001: Hello Zoe!',
    '+49152001: Hello Özlem!',
    'line 4: No value: name',
  ])
  const said = await named(rows)
  expect(said.at(-1)).toMatch(/^2 of 3 accepted, 1 refused/)
  expect(readFileSync(join(folder, 'named.csv.results'), 'utf8')).toContain(
    '"line":4,"phone":"+49152002","error":"No value: name"',
  )
})

test('a row with more cells than titles is left out and named, and its words stay', async () => {
  const rows = 'phone,name\n+49 15 2004,Bo, the second\n+49 15 2005,Al\n'
  const tried = await named(rows, { dryRun: true })
  expect(tried).toContainEqual(expect.stringMatching(/^line 2: More cells than titles/))
  expect((await named(rows)).at(-1)).toMatch(/^1 of 2 accepted, 1 refused/)
  expect(readFileSync(join(folder, 'named.csv.results'), 'utf8')).toMatch(
    /"line":2,"phone":"\+49152004","error":"More cells/,
  )
})

test.each([
  ['an empty cell', 'phone,name,code,tail\n+49 15 2003,Bo,1,\n', /Line 2: No value: tail/],
  ['a short row', 'phone,name,code,tail\n+49 15 2003,Bo,1\n', /Line 2: No value: tail/],
  ['blanks', 'phone,name,code,tail\n+49 15 2003,Bo,\u3000,t\n', /Line 2: No value: code/],
])('a row with %s that the template needs is left out', async (_, text, said) => {
  const tried = named(text, { template: TEMPLATES.code, dryRun: true })
  await expect(tried).rejects.toThrow(said)
})

test.each([
  ['no key', { key: '' }, /Name an API key/],
  ['an unknown key', { key: 'psk_unknown' }, /Authentication required/],
  ['no such column', { phoneColumn: 'number' }, /no column number/],
  ['no such file', { csv: 'nowhere.csv' }, /nowhere.csv cannot be read/],
  [
    'an address without its scheme',
    { url: 'sms.example.com:8090' },
    /Name the server .* as https:/,
  ],
  ['results nowhere', { results: 'nowhere/results' }, /nowhere.results cannot be written: ENOENT/],
] as const)('the command with %s fails with $2', async (_, options, sentence) => {
  await expect(run([row(60)], options)).rejects.toThrow(sentence)
})

test('phone columns are recognised by their content, in any encoding of the file', async () => {
  const csv = join(folder, 'contacts.csv')
  const lines = [
    'sep=;',
    'code;tail;name;Home Phone;Mobile Phone',
    'c;t;Adlon;030 901820;0151 20000010',
    'c;t;Adlon;030 901821 ::: 0151 20000011;',
  ]
  writeFileSync(csv, Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le'))
  const said = await run([], { csv, phoneColumn: '', country: 'DE', dryRun: true })
  expect(said[0]).toBe('Numbers are in: Mobile Phone, Home Phone')
  expect(
    said
      .slice(1, 3)
      .map((text) => text.split(':')[0])
      .toSorted(),
  ).toEqual(['+4915120000010', '+4915120000011'])
})

test.each([
  ['no column with numbers', 'name,code,tail\nAnna,c,t', /no column with numbers: name those/],
  ['no line with names', 'Anna,0151 20000010\nBen,0151 20000011', /write a line of titles/],
])('the command refuses a file with %s and says $2', async (_, text, sentence) => {
  const csv = join(folder, 'contacts.csv')
  writeFileSync(csv, text)
  await expect(run([], { csv, phoneColumn: '', country: 'DE' })).rejects.toThrow(sentence)
})

test('the command refuses an unknown country', async () => {
  await expect(run([row(1)], { country: 'XX' })).rejects.toThrow(/^--country XX is no country/)
})

test("another user's template is refused", async () => {
  const sentence = 'Template does not belong to user.'
  await expect(run([row(61)], { key: CLEO.key })).rejects.toThrow(sentence)
})

test.each(['excel.xlsx', 'libreoffice.ods', 'libreoffice.xls'])(
  'the spreadsheet %s is refused with the way out',
  async (name) => {
    const csv = fileURLToPath(new URL(`../../payloads/files/sheets/${name}`, import.meta.url))
    const results = join(folder, 'results')
    await expect(run([], { csv, results })).rejects.toThrow('save it as CSV UTF-8')
    expect(existsSync(results)).toBe(false)
  },
)

test('results of another file are not overwritten', async () => {
  await run([row(70)])
  await expect(run([row(71)])).rejects.toThrow(/another file or template/)
})
