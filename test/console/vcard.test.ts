import { isVcard, readCards } from '../../console/src/data/files/vcard.ts'
import { decodeFileText } from '../../src/portable/file-text.ts'

const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n')

test.each<[what: string, lines: string[], name: string, number: string]>([
  [
    'an iPhone',
    [
      'VERSION:3.0',
      'PRODID:-//Apple Inc.//iPhone OS 18.1//EN',
      'N:Müller;Änne;;Dr.;',
      'FN:Dr. Änne Müller',
      'ORG:Bäckerei;',
      'EMAIL;type=INTERNET;type=HOME;type=pref:anne@example.com',
      'TEL;type=HOME;type=VOICE:+49 30 1234567',
      'TEL;type=CELL;type=VOICE;type=pref:\u202a+49 (151) 2345678\u202c',
      'item1.TEL:+49 40 999999',
      'item1.X-ABLabel:boat',
    ],
    'Dr. Änne Müller',
    '+49 (151) 2345678',
  ],
  [
    'Android, as it exports by itself',
    [
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4D=C3=BC=6C=6C=65=72;=4A=C3=B6=72=67;;;',
      'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4A=C3=B6=72=67=20=4D=C3=BC=',
      '=6C=6C=65=72',
      'TEL;HOME:030-1234567',
      'TEL;CELL;PREF:0151 2345678',
      'PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD',
      ' TEL;CELL:+49999999999',
      ' AAAAAAAA==',
      '',
    ],
    'Jörg Müller',
    '0151 2345678',
  ],
  [
    'an old phone with a name in another charset and without FN',
    [
      'VERSION:2.1',
      'N;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:M=FCller=3B;J=F6rg',
      'TEL;WORK;CELL:+491512',
    ],
    'Jörg Müller;',
    '+491512',
  ],
  [
    'version 4.0, with numbers as URIs',
    [
      'VERSION:4.0',
      'FN:Ben Smith',
      'TEL;VALUE=uri;TYPE="voice,home":tel:+44-20-7946-0000;ext=5',
      'TEL;VALUE=uri;PREF=1;TYPE="voice,cell":tel:+44-7700-900123',
    ],
    'Ben Smith',
    '+44-7700-900123',
  ],
  [
    'folded lines',
    ['VERSION:3.0', 'FN:Anna Ma', ' ria Lo', '\tpez', 'TEL:+4', ' 9151'],
    'Anna Maria Lopez',
    '+49151',
  ],
  [
    'an old phone that folds lines at a space',
    ['VERSION:2.1', 'FN:Anna', '  Maria', 'TEL:+49151'],
    'Anna Maria',
    '+49151',
  ],
  [
    'escapes',
    ['VERSION:3.0', 'FN:Smith\\, Ben\\; and\\nSons \\\\', 'TEL:1'],
    'Smith, Ben; and Sons \\',
    '1',
  ],
  [
    'no formatted name',
    ['VERSION:3.0', 'N:de la Cruz;Ana;Maria;;', 'FN:', 'TEL:+341'],
    'Ana Maria de la Cruz',
    '+341',
  ],
  [
    'a company',
    ['VERSION:3.0', 'N:;;;;', 'ORG:Taxi\\, Ltd.;Night', 'TEL:+341'],
    'Taxi, Ltd.',
    '+341',
  ],
  [
    'the preferred number when there is no mobile one',
    ['TEL;HOME:+491', 'TEL;WORK;PREF:+492'],
    '',
    '+492',
  ],
  ['the first, where all are alike', ['TEL:+491', 'TEL:+492'], '', '+491'],
  ['no fax, though it is preferred', ['TEL;FAX;PREF:+491', 'TEL;HOME:+492'], '', '+492'],
  ['no code of the network', ['TEL;CELL:*100#', 'TEL;HOME:030 1234567'], '', '030 1234567'],
  ['digits dialed after a pause', ['TEL;CELL:+49151 2345,,99'], '', '+49151 2345'],
  ['a dash of typographers', ['TEL:+1 555\u2011010\u20130'], '', '+1 555-010-0'],
  ['no number', ['VERSION:4.0', 'FN:Only Mail', 'EMAIL:a@example.com'], 'Only Mail', ''],
  ['small letters', ['version:3.0', 'fn:Lower', 'tel;type=cell:+491'], 'Lower', '+491'],
  ['an unknown charset', ['N;QUOTED-PRINTABLE;CHARSET=X-NONE:=C3=A9', 'TEL:+491'], 'é', '+491'],
  [
    'Samsung, through ez-vcard, with a blank before each folded line',
    [
      'VERSION:2.1',
      'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=90=D0=BD=D0=BD=D0=B0 =D0=\n =98=D0=B2=\n =D0=B0',
      'TEL;TYPE=CELL;TYPE=MOBILE:+71234567890',
    ],
    'Анна Ива',
    '+71234567890',
  ],
  [
    'a Sony Xperia, with an empty line after the last part',
    [
      'VERSION:2.1',
      'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=9E=D0=\n=BB=D1=8F=\n',
      'TEL;CELL:+70000000001',
    ],
    'Оля',
    '+70000000001',
  ],
  [
    'an old phone with a mark of continuation too many',
    ['VERSION:2.1', 'N;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=', 'TEL;CELL:+49151'],
    'J Müller',
    '+49151',
  ],
  [
    'a phone with a name in Base64',
    [
      'VERSION:2.1',
      'N;ENCODING=BASE64;CHARSET=UTF-8:TcO8bGxlcjtKw7ZyZzs7\n Ozs=',
      'TEL;CELL:+49151',
    ],
    'Jörg Müller',
    '+49151',
  ],
  [
    'a phone whose number is on the line after the colon',
    ['VERSION:2.1', 'FN:Ann', 'TEL;CELL:\n +49151'],
    'Ann',
    '+49151',
  ],
  [
    'Outlook with a number in a note',
    [
      'VERSION:2.1',
      'FN:Ann',
      'NOTE;ENCODING=QUOTED-PRINTABLE:Doctor=0D=0A=',
      'TEL:+49 30 1',
      'TEL;WORK:+49152',
    ],
    'Ann',
    '+49152',
  ],
  [
    'a phone with a mark of continuation too many in a note',
    ['VERSION:2.1', 'FN:Ann', 'NOTE;ENCODING=QUOTED-PRINTABLE:Doctor=', 'TEL;CELL:+49151'],
    'Ann',
    '+49151',
  ],
  [
    'a phone with a mark of continuation too many behind a line break of a note',
    ['VERSION:2.1', 'FN:Ann', 'NOTE;ENCODING=QUOTED-PRINTABLE:Doctor=0D=0A=', 'TEL;CELL:+49151'],
    'Ann',
    '+49151',
  ],
  [
    'a folded word of version 3.0 in the older form',
    ['VERSION:3.0', 'FN;ENCODING=b:SsO2', ' cmc=', 'TEL:+49151'],
    'Jörg',
    '+49151',
  ],
  [
    'a card within a card',
    [
      'VERSION:2.1',
      'FN:Boss',
      'AGENT:',
      'BEGIN:VCARD',
      'FN:Agent',
      'TEL;CELL:+492',
      'END:VCARD',
      'TEL:+491',
    ],
    'Boss',
    '+491',
  ],
])('a card of %s is read as "$2" with the number $3', (_, lines, name, number) => {
  const text = card(...lines)
  expect(isVcard(text)).toBe(true)
  expect(readCards(text)).toEqual({ head: ['Name', 'Number'], rows: [[name, number]], lines: [1] })
})

test('several cards with any line ends are read, without one that is cut off', () => {
  const text = `\ufeff${card('FN:A', 'TEL:+491')}${card('FN:B', 'TEL:+492')}BEGIN:VCARD\nFN:C`
  for (const end of ['\n', '\r', '\r\n'])
    expect(readCards(text.replaceAll('\r\n', end)).rows).toEqual([
      ['A', '+491'],
      ['B', '+492'],
    ])
  expect(isVcard(text)).toBe(true)
})

test('a card cut off in the middle does not swallow the cards after it', () => {
  const text = `BEGIN:VCARD\nFN:A\nTEL:+491\n${card('FN:B', 'TEL:+492')}${card('FN:C', 'TEL:+493')}`
  expect(readCards(text).rows).toEqual([
    ['A', '+491'],
    ['B', '+492'],
    ['C', '+493'],
  ])
})

test.each(['name,phone\nBEGIN:VCARD,1', '', 'VCARD'])('%j is not taken for a card', (text) => {
  expect(isVcard(text)).toBe(false)
})

test('hostile cards of a million characters are read quickly', () => {
  const [semicolons, quotes] = [';'.repeat(200_000), '"'.repeat(200_001)]
  const text = card(
    `TEL${semicolons}`,
    `TEL;${quotes}`,
    `FN:${'\\'.repeat(200_000)}`,
    `N:${semicolons}`,
    `ORG:a${'\r\n a'.repeat(300_000)}`,
    `ORG;QUOTED-PRINTABLE:a${'=\r\na'.repeat(300_000)}`,
    'TEL:+491',
  )
  expect(readCards(text).rows.map(([, number]) => number)).toEqual(['+491'])
})

test.each<[what: string, bytes: Buffer]>([
  ['UTF-8', Buffer.from('Zoë, 1')],
  ['UTF-8 with its mark', Buffer.from('\ufeffZoë, 1')],
  ['UTF-16', Buffer.from('\ufeffZoë, 1', 'utf16le')],
  ['UTF-16 in the other byte order', Buffer.from('\ufeffZoë, 1', 'utf16le').swap16()],
  ['the charset of older programs', Buffer.from('Zoë, 1', 'latin1')],
])('a file in %s is decoded as "Zoë, 1"', (_, bytes) => {
  expect(decodeFileText(new Uint8Array(bytes).buffer)).toBe('Zoë, 1')
})

test('names in the code page of an old phone are read as it says', () => {
  const head = 'BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=Windows-1251:'
  const bytes = Uint8Array.from([
    ...new TextEncoder().encode(head),
    ...[0xc8, 0xe2, 0xe0, 0xed],
    ...new TextEncoder().encode('\r\nTEL;CELL:+71\r\nEND:VCARD\r\n'),
  ])
  expect(readCards(decodeFileText(bytes)).rows).toEqual([['Иван', '+71']])
})

/** A card with a name of bytes that is folded at `at`. */
const foldedCard = (head: string, name: Buffer, at: number, fold: string) =>
  Buffer.concat([
    Buffer.from(`BEGIN:VCARD\r\n${head}`),
    name.subarray(0, at),
    Buffer.from(fold),
    name.subarray(at),
    Buffer.from('\r\nTEL;CELL:+49151\r\nEND:VCARD\r\n'),
  ])

const VERSIONS = ['2.1', '3.0', '4.0']
const FOLDS = ['\r\n ', '\r\n\t', '\n ', '\r ', '\r\n   ', '\r\n \t ']

test.each(VERSIONS)(
  'a letter that version %s folds between two of its bytes stays whole',
  (version) => {
    const name = Buffer.from('Änne 中 💪 Óscar')
    for (const param of ['', ';CHARSET=UTF-8', ';CHARSET="utf-8"'])
      for (const fold of FOLDS)
        for (let at = 1; at < name.length; at++) {
          const isInside = (name[at]! & 0xc0) === 0x80
          const file = foldedCard(`VERSION:${version}\r\nFN${param}:`, name, at, fold)
          if (isInside)
            expect(readCards(decodeFileText(file)).rows).toEqual([[name.toString(), '+49151']])
        }
  },
)

test('a letter that is folded twice stays whole', () => {
  const [a, b, c, d] = Buffer.from('💪')
  const bytes = [a!, 0x0d, 0x0a, 0x20, b!, 0x0a, 0x20, 0x20, c!, 0x0d, 0x0a, 0x09, d!]
  const file = foldedCard('VERSION:3.0\r\nFN:', Buffer.from(bytes), 0, '')
  expect(readCards(decodeFileText(file)).rows).toEqual([['💪', '+49151']])
})

test.each(VERSIONS)('a letter of quoted-printable that version %s folds stays whole', (version) => {
  const head = `VERSION:${version}\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:`
  const name = Buffer.from('J=C3=B6rg=20=F0=9F=92=AA')
  // with the `=` of a soft break, and without
  for (const fold of FOLDS)
    for (const soft of ['', '=', '= '])
      for (let at = 1; at < name.length; at++) {
        const file = decodeFileText(foldedCard(head, name, at, soft + fold))
        const [before, after] = [name.toString('latin1', 0, at), name.toString('latin1', at)]
        // a blank behind a soft break is text, before a word and before what may be one
        const isText =
          soft === ''
            ? /=$/.test(before) && after.startsWith('20')
            : /^[a-z]/i.test(after) && !/=.?$/.test(before)
        if (!isText) expect(readCards(file).rows, file).toEqual([['Jörg 💪', '+49151']])
      }
})

test.each(VERSIONS)(
  'a soft break of quoted-printable without blanks of version %s is removed',
  (version) => {
    const head = `VERSION:${version}\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:`
    const name = Buffer.from('J=C3=B6rg=20=F0=9F=92=AA')
    for (const fold of ['=\r\n', '=\n', '= \r\n', '=\t\n'])
      for (let at = 1; at < name.length; at++) {
        const file = decodeFileText(foldedCard(head, name, at, fold))
        expect(readCards(file).rows, file).toEqual([['Jörg 💪', '+49151']])
      }
  },
)

test.each([
  ['an accent', 'Jo', '\u0308rg'],
  ['the colour of a hand', 'Anna 👍', '🏽'],
  ['a family', 'Anna 👩\u200d', '👧'],
  ['a family before its joint', 'Anna 👩', '\u200d👧'],
  ['a letter of Devanagari', 'क', '\u093f'],
])('a fold of version 2.1 before the second part of %s leaves no blank', (_, before, after) => {
  for (const version of VERSIONS) {
    const text = card(`VERSION:${version}`, `FN:${before}`, ` ${after}`, 'TEL:+49151')
    expect(readCards(text).rows).toEqual([[before + after, '+49151']])
  }
})

test.each([
  ['Shift_JIS', [0x8e, 0x52, 0x93, 0x63], '山田'],
  ['EUC-KR', [0xb1, 0xe8, 0xc3, 0xb6], '김철'],
  ['GBK', [0xcd, 0xf5, 0xce, 0xb0], '王伟'],
  ['Big5', [0xaa, 0xf7, 0xa4, 0xeb], '金月'],
])('a letter of %s that is folded between its bytes stays whole', (charset, bytes, name) => {
  for (const version of VERSIONS)
    for (const fold of FOLDS.slice(0, 5))
      for (const at of [1, 3]) {
        const head = `VERSION:${version}\r\nFN;CHARSET=${charset}:`
        const file = foldedCard(head, Buffer.from(bytes), at, fold)
        expect(readCards(decodeFileText(file)).rows).toEqual([[name, '+49151']])
      }
})

test('blanks behind a fold of version 3.0 are kept, except the blank that folds', () => {
  for (const version of ['3.0', '4.0']) {
    const text = card(`VERSION:${version}`, 'FN:Anna', '  Maria', '\t Lo', '\tpez', 'TEL:+49151')
    expect(readCards(text).rows).toEqual([['Anna Maria Lopez', '+49151']])
  }
})

test('a file of 1 MB of cut letters is decoded in 3 s', () => {
  const piece = Buffer.from([0xf0, 0x0d, 0x0a, 0x20, 0x20, 0x9f, 0xc3, 0x0a])
  const before = performance.now()
  decodeFileText(Buffer.concat([Buffer.from('BEGIN:VCARD\r\n'), ...Array(125_000).fill(piece)]))
  expect(performance.now() - before).toBeLessThan(3_000)
})
