import { chooseRowPhone, joinRowName } from '#portable/phone/choose-row-phone.ts'
import { guessColumns } from '#portable/phone/guess-columns.ts'

// The heads are those of real exports.

const GOOGLE = [
  ...['First Name', 'Middle Name', 'Last Name', 'Phonetic First Name', 'Phonetic Middle Name'],
  ...[
    'Phonetic Last Name',
    'Name Prefix',
    'Name Suffix',
    'Nickname',
    'File As',
    'Organization Name',
  ],
  ...['Organization Title', 'Organization Department', 'Birthday', 'Notes', 'Photo', 'Labels'],
  ...[
    'E-mail 1 - Label',
    'E-mail 1 - Value',
    'Phone 1 - Label',
    'Phone 1 - Value',
    'Phone 2 - Label',
  ],
  ...['Phone 2 - Value', 'Address 1 - Label', 'Address 1 - Formatted', 'Address 1 - Street'],
  ...['Address 1 - City', 'Address 1 - PO Box', 'Address 1 - Region', 'Address 1 - Postal Code'],
  ...['Address 1 - Country', 'Address 1 - Extended Address'],
]

const OLD_GOOGLE = [
  ...['Name', 'Given Name', 'Additional Name', 'Family Name', 'Yomi Name', 'Given Name Yomi'],
  ...[
    'Additional Name Yomi',
    'Family Name Yomi',
    'Name Prefix',
    'Name Suffix',
    'Initials',
    'Nickname',
  ],
  ...['Short Name', 'Maiden Name', 'Birthday', 'Gender', 'Location', 'Billing Information'],
  ...[
    'Directory Server',
    'Mileage',
    'Occupation',
    'Hobby',
    'Sensitivity',
    'Priority',
    'Subject',
    'Notes',
  ],
  ...[
    'Language',
    'Photo',
    'Group Membership',
    'E-mail 1 - Type',
    'E-mail 1 - Value',
    'Phone 1 - Type',
  ],
  ...['Phone 1 - Value', 'Phone 2 - Type', 'Phone 2 - Value'],
]

const OUTLOOK = [
  ...[
    'Title',
    'First Name',
    'Middle Name',
    'Last Name',
    'Suffix',
    'Company',
    'Department',
    'Job Title',
  ],
  ...[
    'Business Street',
    'Business City',
    'Business Postal Code',
    'Business Country/Region',
    'Home Street',
  ],
  ...['Home City', 'Home Postal Code', "Assistant's Phone", 'Business Fax', 'Business Phone'],
  ...['Business Phone 2', 'Callback', 'Car Phone', 'Company Main Phone', 'Home Fax', 'Home Phone'],
  ...['Home Phone 2', 'ISDN', 'Mobile Phone', 'Other Fax', 'Other Phone', 'Pager', 'Primary Phone'],
  ...[
    'Radio Phone',
    'TTY/TDD Phone',
    'Telex',
    'Account',
    'Anniversary',
    "Assistant's Name",
    'Birthday',
  ],
  ...['Categories', 'E-mail Address', 'E-mail Type', 'E-mail Display Name', 'Government ID Number'],
  ...["Manager's Name", 'Notes', 'Organizational ID Number', 'Spouse', 'User 1', 'Web Page'],
]

type Values = Readonly<Record<string, string>>

/** Reads rows by their guessed columns: the titles, and each row's name and number. */
function read(head: readonly string[], rows: readonly Values[], country = 'DE') {
  const cells = rows.map((row) => head.map((title) => row[title] ?? ''))
  const columns = guessColumns(head, cells, country)
  return {
    phones: columns.phones.map((at) => head[at]),
    names: columns.names.map((at) => head[at]),
    people: cells.map((row) => {
      const { phone, fault } = chooseRowPhone(head, row, columns, country)
      return [joinRowName(row, columns), phone ?? fault?.problem]
    }),
  }
}

const MOBILE = '+4915112345678'

test('contacts exported by Google are read', () => {
  const rows = [
    {
      ...{ 'First Name': 'Anna', 'Last Name': 'Berg', 'Organization Name': 'Hotel Post' },
      ...{ Labels: '* myContacts', 'Phone 1 - Label': 'Home', 'Phone 1 - Value': '030 901820' },
      ...{ 'Phone 2 - Label': 'Mobile', 'Phone 2 - Value': '0151 12345678' },
      ...{ Birthday: '1990-05-11', 'Address 1 - Postal Code': '10178' },
    },
    {
      'First Name': 'Ben',
      'Phone 1 - Label': 'Work',
      'Phone 1 - Value': '030 901820 ::: 0151 12345678',
    },
    { 'First Name': 'Cleo', 'Phone 1 - Label': 'Work Fax', 'Phone 1 - Value': '+49 30 901821' },
  ]
  expect(read(GOOGLE, rows)).toEqual({
    phones: ['Phone 2 - Value', 'Phone 1 - Value'],
    names: ['First Name', 'Last Name'],
    people: [
      ['Anna Berg', MOBILE],
      ['Ben', MOBILE],
      ['Cleo', 'empty'],
    ],
  })
})

test("contacts in Google's older format are read", () => {
  const phones = { 'Phone 1 - Type': 'Home', 'Phone 1 - Value': '(212) 555-0100' }
  const mobile = { 'Phone 2 - Type': 'Mobile', 'Phone 2 - Value': '(212) 555-0199' }
  const rows = [
    { Name: 'John Doe', 'Given Name': 'John', 'Family Name': 'Doe', ...phones, ...mobile },
  ]
  expect(read(OLD_GOOGLE, rows, 'US')).toMatchObject({
    names: ['Name'],
    people: [['John Doe', '+12125550199']],
  })
})

test('contacts exported by Outlook are read, without faxes and assistants', () => {
  const others = {
    "Assistant's Phone": '0171 2345678',
    'Business Fax': '0171 2345679',
    Company: 'Hotel Post',
  }
  const own = { 'Business Phone': '030 901820', 'Mobile Phone': '0151 12345678' }
  const rows = [
    { 'First Name': 'Anna', 'Middle Name': 'M.', 'Last Name': 'Berg', ...others, ...own },
    { 'First Name': 'Ben', ...others, 'Business Phone': '030 901820', "Assistant's Name": 'Eva' },
    { 'First Name': 'Cleo', ...others, 'E-mail Address': 'c4915112345678@example.com' },
  ]
  expect(read(OUTLOOK, rows)).toEqual({
    phones: ['Mobile Phone', 'Business Phone'],
    names: ['First Name', 'Middle Name', 'Last Name'],
    people: [
      ['Anna M. Berg', MOBILE],
      ['Ben', '+4930901820'],
      ['Cleo', 'empty'],
    ],
  })
})

test('bulk-send files of SMSGate and textbee are read', () => {
  const smsgate = {
    Phone: '+12025550123',
    Message: 'Hello',
    Device: 'oi2i20J8xVP1ct5neqGZt',
    Priority: '100',
  }
  expect(read(Object.keys(smsgate), [smsgate])).toMatchObject({ phones: ['Phone'], names: [] })
  const textbee = {
    name: 'Alice Johnson',
    phone: '+14155550101',
    order_id: 'ORD-1042',
    total: '49.99',
  }
  expect(read(Object.keys(textbee), [textbee])).toEqual({
    phones: ['phone'],
    names: ['name'],
    people: [['Alice Johnson', '+14155550101']],
  })
})

test.each<[what: string, row: Values, phones: string[], names: string[]]>([
  [
    'a column "Hotel" does not count as a phone',
    { Hotel: 'Adlon', Gast: 'Anna', Kontakt: MOBILE },
    ['Kontakt'],
    ['Gast'],
  ],
  [
    'a name of a column counts less than its cells',
    { Phone: 'iPhone 15', Info: MOBILE },
    ['Info'],
    [],
  ],
  ['mobile numbers go first', { Tel: '030 901820', Handy: '0151 12345678' }, ['Handy', 'Tel'], []],
  [
    'a customer number does not count as a phone',
    { 'Customer ID': '4915112345678', Nr: MOBILE },
    ['Nr'],
    [],
  ],
  ['dates', { Start: '2026-11-25', Ende: '25.11.2026', Nummer: '0151 12345678' }, ['Nummer'], []],
  [
    'titles in other languages are known',
    { Prénom: 'Zoë', Téléphone: MOBILE },
    ['Téléphone'],
    ['Prénom'],
  ],
  [
    'titles of programs',
    { phoneNumber: MOBILE, firstName: 'A', lastName: 'B' },
    ['phoneNumber'],
    ['firstName', 'lastName'],
  ],
  [
    'an emergency contact',
    { 'Emergency phone': '0171 2345678', phone: '030 901820' },
    ['phone'],
    [],
  ],
  [
    'columns without titles',
    { 'Column 1': 'Anna Berg', 'Column 2': MOBILE },
    ['Column 2'],
    ['Column 1'],
  ],
  ['an empty column', { name: '', phone: '' }, ['phone'], ['name']],
  ['no number at all', { name: 'Anna', city: 'Berlin' }, [], ['name']],
  [
    'a name with a number of three digits',
    { Name: 'Zimmer 101', Telefon: MOBILE },
    ['Telefon'],
    ['Name'],
  ],
  ['such a text without a title', { Notiz: 'Zimmer 101', Telefon: MOBILE }, ['Telefon'], []],
])(
  'columns are recognised by their cells first (%s): phones $2, names $3',
  (_, row, phones, names) => {
    expect(read(Object.keys(row), [row])).toMatchObject({ phones, names })
  },
)

test.each([
  ['0151 12345678, 0171 2345678', '+4915112345678'],
  ['030 901820 / 0151 12345678', '+4915112345678'],
  ['030 901820\n+49 151 12345678', '+4915112345678'],
  ['0151/12345678', '+4915112345678'],
  ['call me ::: 0151 12345678', '+4915112345678'],
  ['Anna; 0151 12345678', '+4915112345678'],
  ['call me', 'not-a-number'],
  ['+49 30 901820,12', 'extension'],
])('a cell with %j is read as the number %s', (cell, expected) => {
  expect(read(['Phone'], [{ Phone: cell }]).people[0]![1]).toBe(expected)
})
