import { DEL, GET, PATCH, POST, REQ, recs } from '../dsl.mjs'

const A1 = 'usralice0000001'
const B1 = 'usrbob000000002'
export function define(book) {
  const A = book.area('crud')
  // ---------------------------------------------------------------- contacts
  const c = (n, o = {}) => ({
    id: `tmpcontact${String(n).padStart(5, '0')}`,
    user: A1,
    phone: `+4930000${String(n).padStart(4, '0')}`,
    ...o,
  })
  A.create('alice', 'contacts', c(1), 'least a contact needs')
  A.create(
    'alice',
    'contacts',
    c(2, {
      name: 'New ☎',
      groups: ['grpfamilyalice1', 'grpworkalice002'],
      opted_out: true,
      data: { a: [1, 'x', null], b: { c: 1.5 } },
    }),
    'everything set',
  )
  A.create('alice', 'contacts', { user: A1, phone: '+4930111111' }, 'the server makes the id')
  A.create('alice', 'contacts', { id: '', user: A1, phone: '+4930111112' }, 'an empty id means none')
  A.create('alice', 'contacts', { id: null, user: A1, phone: '+4930111113' }, 'a null id means none')
  for (const id of [
    'short',
    'waytoolongforanid0',
    'UPPERCASEIDXXXX',
    'has-dash-000000',
    'has space 00000',
    'ünicodeid000000',
    12345,
    true,
    ['a'],
    { a: 1 },
  ])
    A.bad('alice', 'contacts', { id, user: A1, phone: '+4930111114' }, `bad id ${JSON.stringify(id)}`)
  A.bad('alice', 'contacts', { id: 'conaaaaaaaaaaaa', user: A1, phone: 'x' }, 'free id, bad phone')
  A.one(
    POST('alice', recs('contacts'), { id: 'PLACEHOLDERTAKEN', user: A1, phone: '+1' }),
    'id longer than allowed',
  )
  A.on('contacts', c(3), 'an id that is taken', [
    POST('alice', recs('contacts'), c(3, { phone: '+4930222222' })),
    POST('super', recs('contacts'), c(3, { phone: '+4930222222' })),
  ])
  for (const phone of [
    '',
    null,
    '4915112345',
    '+0123',
    '+',
    '+49 151',
    '+123456789012345678',
    'abc',
    4915112345,
    '+1',
    '+12',
    ' +4915112345',
    '+4915112345\n',
    true,
    [],
    ['+4915112345'],
    {},
  ])
    A.bad(
      'alice',
      'contacts',
      { user: A1, phone, id: undefined, ...(phone === '+12' ? { groups: ['nonexistent0000'] } : {}) },
      `phone ${JSON.stringify(phone)}`,
    )
  A.bad('alice', 'contacts', {}, 'nothing at all: the rule fails before the fields are checked')
  A.bad('super', 'contacts', {}, 'nothing at all as superuser: every field error at once')
  A.bad(
    'super',
    'contacts',
    {
      user: 'nonexistent0000',
      phone: 'x',
      groups: ['nonexistent0000', 'grpfamilyalice1'],
      name: 'n'.repeat(256),
      id: 'bad',
    },
    'several errors at once',
  )
  for (const user of ['', null, B1, 'nonexistent0000', 1, [A1], [A1, B1], [], {}])
    A.bad(
      'alice',
      'contacts',
      { user, phone: '+4930111115', id: undefined, name: 'n'.repeat(256) },
      `user ${JSON.stringify(user)}`,
    )
  for (const groups of [
    'nonexistent0000',
    ['nonexistent0000'],
    ['grpteambob00001'],
    ['grpfamilyalice1', 'grpteambob00001'],
    ['grpfamilyalice1', 'nonexistent0000'],
  ]) {
    A.bad(
      'alice',
      'contacts',
      { user: A1, phone: '+4930111116', groups, id: undefined, name: 'n'.repeat(256) },
      `groups ${JSON.stringify(groups)}`,
    )
    A.bad(
      'super',
      'contacts',
      { user: A1, phone: 'bad', groups },
      `groups ${JSON.stringify(groups)} as superuser`,
    )
  }
  let n = 10
  for (const groups of [
    'grpfamilyalice1',
    ['grpfamilyalice1', 'grpfamilyalice1'],
    ['grpworkalice002', 'grpfamilyalice1'],
    null,
    '',
    [],
    ['', 'grpfamilyalice1'],
    '["grpfamilyalice1"]',
    'grpfamilyalice1,grpworkalice002',
  ])
    A.create('super', 'contacts', c(n++, { groups }), `groups ${JSON.stringify(groups)}`)
  for (const opted_out of [
    true,
    false,
    'true',
    'false',
    '1',
    '0',
    1,
    0,
    'yes',
    'no',
    'on',
    '',
    null,
    'TRUE',
    't',
    2,
    [],
    {},
    [true],
  ])
    A.create('super', 'contacts', c(n++, { opted_out }), `bool from ${JSON.stringify(opted_out)}`)
  for (const data of [
    null,
    0,
    '',
    'text',
    '"quoted"',
    '{"a":1}',
    '[1,2]',
    '{broken',
    'null',
    'true',
    '12',
    ' 12 ',
    true,
    [],
    {},
    [[]],
    { a: { b: { c: [1, { d: null }] } } },
    1e21,
    1.0,
    -0,
    0.1,
    'ünïcödé 😀',
    '\u0000x',
    '<b>&"\'',
    { '': 1, 'a.b': 2, ü: 3 },
  ])
    A.create(
      'super',
      'contacts',
      c(n++, { data }),
      `json from ${JSON.stringify(data)}`,
      data === '\u0000x' ? { tags: ['artefact'] } : {},
    )
  for (const name of [
    123,
    1.5,
    true,
    null,
    '',
    ' spaced ',
    'a'.repeat(255),
    'ü'.repeat(255),
    '😀'.repeat(255),
    ['a'],
    { a: 1 },
    'tab\tnl\n',
    '<script>',
    "O'Neil",
    '\\',
    0,
    false,
    1e21,
    -5,
  ])
    A.create('super', 'contacts', c(n++, { name }), `text from ${JSON.stringify(name).slice(0, 40)}`)
  A.bad('super', 'contacts', c(900, { name: 'a'.repeat(256) }), '256 characters')
  A.bad('super', 'contacts', c(900, { name: 'ü'.repeat(256) }), '256 two-byte characters')
  A.create(
    'alice',
    'contacts',
    c(100, {
      unknown: 1,
      created: '2000-01-01 00:00:00.000Z',
      updated: '2000-01-01',
      collectionId: 'x',
      collectionName: 'y',
      expand: { user: 1 },
    }),
    'unknown and computed fields are ignored',
  )
  A.create(
    'super',
    'contacts',
    c(101, { created: '2000-01-01 00:00:00.000Z', updated: 'x' }),
    'autodate cannot be set by the superuser either',
  )
  A.create('alice', 'contacts', c(102, { groups: ['grpfamilyalice1'] }), 'with expand and fields', {
    params: { expand: 'groups,user', fields: 'id,phone,expand.groups.name,expand.user.email' },
  })
  A.on('contacts', c(110), 'unique index over two fields', [
    POST('alice', recs('contacts'), { user: A1, phone: c(110).phone }),
    POST('super', recs('contacts'), { user: A1, phone: c(110).phone, id: 'tmpcontact00199' }),
  ])
  A.flow(
    'the same phone for another user is fine',
    [
      POST('bob', recs('contacts'), { id: 'tmpcontact00111', user: B1, phone: '+4915200000002' }),
      DEL('bob', recs('contacts', 'tmpcontact00111')),
    ],
    { cleanup: [DEL('super', recs('contacts', 'tmpcontact00111'))] },
  )
  A.on('contacts', c(112), 'update makes a duplicate', [
    PATCH('alice', recs('contacts', c(112).id), { phone: '+4915200000002' }),
    PATCH('super', recs('contacts', c(112).id), { phone: '+4915200000003' }),
    GET('alice', recs('contacts', c(112).id)),
  ])
  A.on(
    'contacts',
    c(120, { name: 'before', groups: ['grpfamilyalice1'], data: { k: 1 } }),
    'updates of each field',
    [
      PATCH('alice', recs('contacts', c(120).id), { name: 'after' }),
      PATCH('alice', recs('contacts', c(120).id), {}),
      PATCH('alice', recs('contacts', c(120).id), { opted_out: true }),
      PATCH('alice', recs('contacts', c(120).id), { data: null }),
      PATCH('alice', recs('contacts', c(120).id), { groups: [] }),
      PATCH('alice', recs('contacts', c(120).id), { groups: ['grpvipalice0003', 'grpworkalice002'] }),
      PATCH('alice', recs('contacts', c(120).id), { name: '' }),
      PATCH('alice', recs('contacts', c(120).id), { name: null }),
      PATCH('alice', recs('contacts', c(120).id), { phone: '' }),
      PATCH('alice', recs('contacts', c(120).id), { unknown: 1 }),
      GET('alice', recs('contacts', c(120).id)),
      DEL('alice', recs('contacts', c(120).id)),
      GET('alice', recs('contacts', c(120).id)),
      DEL('alice', recs('contacts', c(120).id)),
      PATCH('alice', recs('contacts', c(120).id), { name: 'x' }),
    ],
  )
  A.on(
    'contacts',
    c(121, { groups: ['grpfamilyalice1'] }),
    'append, prepend and remove in a multiple relation',
    [
      PATCH('super', recs('contacts', c(121).id), { 'groups+': 'grpworkalice002' }),
      PATCH('super', recs('contacts', c(121).id), { '+groups': 'grpvipalice0003' }),
      PATCH('super', recs('contacts', c(121).id), { 'groups-': 'grpfamilyalice1' }),
      PATCH('super', recs('contacts', c(121).id), { 'groups+': ['grpfamilyalice1', 'grpworkalice002'] }),
      PATCH('super', recs('contacts', c(121).id), { 'groups-': ['grpvipalice0003', 'nonexistent0000'] }),
      PATCH('super', recs('contacts', c(121).id), { '+groups': ['grpobrienalic04', 'grpvipalice0003'] }),
      PATCH('super', recs('contacts', c(121).id), {
        groups: ['grpworkalice002'],
        'groups+': 'grpvipalice0003',
      }),
      PATCH('super', recs('contacts', c(121).id), { 'groups+': 'nonexistent0000' }),
      PATCH('super', recs('contacts', c(121).id), { 'groups-': '' }),
      PATCH('super', recs('contacts', c(121).id), { '-groups': 'grpworkalice002' }),
      PATCH('super', recs('contacts', c(121).id), { 'name+': 'x', 'phone-': 'y' }),
      GET('super', recs('contacts', c(121).id)),
    ],
  )
  A.on('contacts', c(122, { groups: ['grpfamilyalice1'] }), 'the same modifiers as a user, under the rules', [
    PATCH('alice', recs('contacts', c(122).id), { 'groups+': 'grpworkalice002' }),
    PATCH('alice', recs('contacts', c(122).id), { 'groups+': 'grpteambob00001' }),
    PATCH('alice', recs('contacts', c(122).id), { groups: ['grpteambob00001'] }),
    PATCH('alice', recs('contacts', c(122).id), { 'groups-': 'grpfamilyalice1' }),
    PATCH('alice', recs('contacts', c(122).id), { groups: '' }),
    GET('alice', recs('contacts', c(122).id)),
  ])
  A.on('contacts', c(123), 'the owner cannot be changed', [
    PATCH('alice', recs('contacts', c(123).id), { user: B1 }),
    PATCH('alice', recs('contacts', c(123).id), { user: A1 }),
    PATCH('alice', recs('contacts', c(123).id), { user: '' }),
    PATCH('bob', recs('contacts', c(123).id), { name: 'x' }),
    DEL('bob', recs('contacts', c(123).id)),
    DEL('guest', recs('contacts', c(123).id)),
    PATCH('guest', recs('contacts', c(123).id), { name: 'x' }),
    PATCH('super', recs('contacts', c(123).id), { user: B1 }),
    GET('alice', recs('contacts', c(123).id)),
  ])
  A.on('contacts', c(124), 'the id cannot be changed', [
    PATCH('alice', recs('contacts', c(124).id), { id: 'tmpcontact99999' }),
    PATCH('super', recs('contacts', c(124).id), { id: 'tmpcontact99999' }),
    PATCH('super', recs('contacts', c(124).id), { id: c(124).id, name: 'same id' }),
    PATCH('super', recs('contacts', c(124).id), { id: '' }),
  ])
  A.on('contacts', c(125), 'created stays, updated moves', [
    PATCH('alice', recs('contacts', c(125).id), { created: '2001-01-01 00:00:00.000Z', name: 'x' }),
    PATCH('super', recs('contacts', c(125).id), { updated: '2001-01-01 00:00:00.000Z', created: '' }),
  ])
  A.on('contacts', c(126), 'update with expand and fields', [
    PATCH('alice', `${recs('contacts', c(126).id)}?expand=groups&fields=id,expand`, {
      groups: ['grpworkalice002', 'grpfamilyalice1'],
    }),
    PATCH('alice', `${recs('contacts', c(126).id)}?fields=`, { name: 'z' }),
  ])
  // body formats
  A.flow(
    'multipart/form-data',
    [
      REQ('alice', 'POST', recs('contacts'), {
        multipart: [
          ['id', 'tmpcontact00130'],
          ['user', A1],
          ['phone', '+4930000130'],
          ['name', 'Form Üser'],
          ['groups', 'grpfamilyalice1'],
          ['groups', 'grpworkalice002'],
          ['opted_out', 'true'],
          ['data', '{"from":"form"}'],
        ],
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00130'), {
        multipart: [
          ['opted_out', 'false'],
          ['data', '12'],
          ['groups', ''],
        ],
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00130'), {
        multipart: [
          ['data', 'plain'],
          ['groups+', 'grpvipalice0003'],
        ],
      }),
      DEL('alice', recs('contacts', 'tmpcontact00130')),
    ],
    { cleanup: [DEL('super', recs('contacts', 'tmpcontact00130'))] },
  )
  A.flow(
    '@jsonPayload',
    [
      REQ('alice', 'POST', recs('contacts'), {
        multipart: [
          [
            '@jsonPayload',
            JSON.stringify({
              id: 'tmpcontact00131',
              user: A1,
              phone: '+4930000131',
              data: { a: 1 },
              opted_out: true,
            }),
          ],
        ],
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00131'), {
        multipart: [
          ['name', 'plain'],
          ['@jsonPayload', '{"name":"payload","data":[1]}'],
        ],
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00131'), {
        multipart: [
          ['@jsonPayload', '{"name":"first"}'],
          ['@jsonPayload', '{"opted_out":false}'],
        ],
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00131'), {
        multipart: [['@jsonPayload', '{broken']],
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00131'), {
        body: { '@jsonPayload': '{"name":"in json"}' },
      }),
      DEL('alice', recs('contacts', 'tmpcontact00131')),
    ],
    { cleanup: [DEL('super', recs('contacts', 'tmpcontact00131'))] },
  )
  A.flow(
    'form-urlencoded',
    [
      REQ('alice', 'POST', recs('contacts'), {
        raw: `id=tmpcontact00132&user=${A1}&phone=%2B4930000132&opted_out=1&groups=grpfamilyalice1&groups=grpworkalice002`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      DEL('alice', recs('contacts', 'tmpcontact00132')),
    ],
    { cleanup: [DEL('super', recs('contacts', 'tmpcontact00132'))] },
  )
  A.flow(
    'JSON with another content type',
    [
      REQ('alice', 'POST', recs('contacts'), {
        raw: JSON.stringify({ id: 'tmpcontact00133', user: A1, phone: '+4930000133' }),
        headers: { 'content-type': 'application/json; charset=utf-8' },
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00133'), {
        raw: '{"name":"text"}',
        headers: { 'content-type': 'text/json' },
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00133'), { raw: '{"name":"none"}', headers: {} }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00133'), {
        raw: '{"name":"upper"}',
        headers: { 'content-type': 'APPLICATION/JSON' },
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00133'), {
        raw: '{"name":"a","name":"b"}',
        headers: { 'content-type': 'application/json' },
      }),
      REQ('alice', 'PATCH', recs('contacts', 'tmpcontact00133'), {
        raw: '{"Name":"case"}',
        headers: { 'content-type': 'application/json' },
      }),
      DEL('alice', recs('contacts', 'tmpcontact00133')),
    ],
    { cleanup: [DEL('super', recs('contacts', 'tmpcontact00133'))] },
  )
  // ---------------------------------------------------------------- groups
  const g = (k, o = {}) => ({ id: `tmpgroup${String(k).padStart(7, '0')}`, user: A1, name: `Tmp ${k}`, ...o })
  A.create('alice', 'contact_groups', g(1), 'a group')
  A.bad('alice', 'contact_groups', { user: A1, name: 'Family' }, 'name taken')
  A.bad('alice', 'contact_groups', { user: A1 }, 'name missing')
  A.bad('alice', 'contact_groups', { user: A1, name: 'x'.repeat(256) }, 'name too long')
  A.bad('alice', 'contact_groups', { user: B1, name: 'For Bob' }, 'for someone else')
  A.create('alice', 'contact_groups', g(2, { name: 'family' }), 'unique is case sensitive')
  A.bad('guest', 'contact_groups', g(3), 'as guest')
  A.create('super', 'contact_groups', g(4, { user: B1 }), 'as superuser for bob')
  A.bad('device_a1', 'contact_groups', g(5), 'as a device')
  A.bad('alice', 'contact_groups', { user: A1, name: ' ', id: 'x' }, 'blank name, bad id')
  A.create('alice', 'contact_groups', g(6, { name: ' ' }), 'a blank is a name')
  A.on(
    'contact_groups',
    g(7),
    'deleting a group takes it out of the contacts',
    [
      POST('alice', recs('contacts'), c(140, { groups: [g(7).id, 'grpworkalice002'] })),
      DEL('alice', recs('contact_groups', g(7).id)),
      GET('alice', recs('contacts', c(140).id)),
      GET('alice', recs('contact_groups', g(7).id)),
    ],
    { cleanup: [DEL('super', recs('contacts', c(140).id))] },
  )
  A.on('contact_groups', g(8), 'rename', [
    PATCH('alice', recs('contact_groups', g(8).id), { name: 'Work' }),
    PATCH('alice', recs('contact_groups', g(8).id), { name: 'Renamed' }),
    PATCH('bob', recs('contact_groups', g(8).id), { name: 'no' }),
    PATCH('alice', recs('contact_groups', g(8).id), { user: B1 }),
  ])
  // ---------------------------------------------------------------- templates
  const t = (k, o = {}) => ({
    id: `tmptempl${String(k).padStart(7, '0')}`,
    user: A1,
    name: `T ${k}`,
    body: 'b',
    ...o,
  })
  A.create('alice', 'sms_templates', t(1, { body: 'Hello {{name}} 😀\nsecond line' }), 'a template')
  A.create('alice', 'sms_templates', t(2, { body: 'x'.repeat(1600) }), '1600 characters')
  A.bad('alice', 'sms_templates', t(3, { body: 'x'.repeat(1601) }), '1601 characters')
  A.create('alice', 'sms_templates', t(4, { body: '😀'.repeat(1600) }), '1600 emoji')
  A.bad('alice', 'sms_templates', { user: A1 }, 'name and body missing')
  A.bad('alice', 'sms_templates', t(5, { body: '' }), 'empty body')
  A.bad('alice', 'sms_templates', t(5, { name: '' }), 'empty name')
  A.create('alice', 'sms_templates', t(6, { name: 'welcome' }), 'names may repeat')
  A.create('alice', 'sms_templates', t(7, { body: 12 }), 'number as body')
  A.bad('alice', 'sms_templates', t(8, { body: [] }), 'array as body')
  A.bad('alice', 'sms_templates', t(8, { body: {} }), 'object as body')
  A.bad('alice', 'sms_templates', t(8, { body: false }), 'false as body')
  A.on('sms_templates', t(9), 'update and delete', [
    PATCH('alice', recs('sms_templates', t(9).id), { body: '' }),
    PATCH('alice', recs('sms_templates', t(9).id), { body: 'new', name: 'N' }),
    GET('alice', recs('sms_templates', t(9).id)),
    DEL('alice', recs('sms_templates', t(9).id)),
    GET('alice', recs('sms_templates', t(9).id)),
  ])
  // ---------------------------------------------------------------- other built-in collections
  const w = (i, o = {}) => ({
    id: `tmpwebhook${String(i).padStart(5, '0')}`,
    user: A1,
    url: 'https://x.example',
    events: ['message.sent'],
    ...o,
  })
  A.bad('alice', 'webhooks', w(4, { events: [] }), 'no events')
  A.bad('alice', 'webhooks', w(4, { events: ['nope'] }), 'unknown event')
  A.bad('alice', 'webhooks', w(4, { events: ['message.sent', 'nope'] }), 'one unknown event')
  A.bad('alice', 'webhooks', w(4, { events: null }), 'null events')
  for (const url of [
    '',
    'x',
    'example.com',
    'http://',
    'ftp://a.example',
    'javascript:alert(1)',
    'https://a b.example',
    '//a.example',
    'http://localhost',
    'https://ü.example',
    'https://a.example:99999',
    5,
  ])
    A.bad(
      'alice',
      'webhooks',
      w(4, { url, events: ['nope'] }),
      `url ${JSON.stringify(url)} (with a bad event so that nothing is stored)`,
    )
  for (const col of ['sms_usage', 'sms_messages', 'users', 'devices'])
    A.bad('alice', col, { user: A1 }, `${col}: create is for superusers`)
  A.create(
    'super',
    'sms_usage',
    { id: 'tmpusage0000001', user: A1, period: '2030-01', used: 1, quota: 5 },
    'usage',
  )
  A.bad(
    'super',
    'sms_usage',
    { user: A1, period: '2030-1', used: 1.5, quota: -1 },
    'pattern, onlyInt and min',
  )
  A.bad('super', 'sms_usage', { user: A1, period: '2024-05' }, 'two-field unique index')
  A.bad('super', 'sms_usage', { user: A1, period: '', used: 'abc', quota: '5' }, 'number from text')
  A.on(
    'sms_usage',
    { id: 'tmpusage0000002', user: A1, period: '2031-01', used: 10, quota: 50 },
    'add to and take from a number',
    [
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { 'used+': 5 }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { 'used-': 3 }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { 'used-': 100 }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { 'used+': '7' }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { 'used+': 0.5 }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { used: 1, 'used+': 2 }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { 'used+': 'x' }),
      PATCH('super', recs('sms_usage', 'tmpusage0000002'), { '+used': 1 }),
      PATCH('alice', recs('sms_usage', 'tmpusage0000002'), { used: 0 }),
      GET('alice', recs('sms_usage', 'tmpusage0000002')),
    ],
  )
  const m = (i, o = {}) => ({
    id: `tmpmessage${String(i).padStart(5, '0')}`,
    user: A1,
    status: 'pending',
    message_type: 'outgoing',
    to: '+491',
    body: 'x',
    ...o,
  })
  A.create('super', 'sms_messages', m(1), 'a message by the superuser')
  A.create(
    'super',
    'sms_messages',
    m(2, {
      device: 'devpixel8alice1',
      segments: 3,
      priority: -128,
      sim: 8,
      scheduled_at: '2030-06-01 10:00:00Z',
      batch_id: 'b',
    }),
    'everything',
  )
  A.bad('super', 'sms_messages', {}, 'required fields')
  A.bad(
    'super',
    'sms_messages',
    m(3, {
      status: 'nope',
      message_type: '',
      device: 'nonexistent0000',
      segments: -1,
      priority: 128,
      sim: 9,
      body: 'x'.repeat(1601),
    }),
    'an error in every field',
  )
  A.bad('super', 'sms_messages', m(3, { segments: 1.5, priority: -129, sim: 0.1 }), 'integers only')
  A.bad(
    'super',
    'sms_messages',
    m(3, { status: ['pending', 'sent'], priority: 999 }),
    'two values for a single select',
  )
  A.bad(
    'super',
    'sms_messages',
    m(3, { device: ['devpixel8alice1', 'devmodemalice02'], priority: 999 }),
    'two values for a single relation',
  )
  A.create(
    'super',
    'sms_messages',
    m(4, { status: ['sent'], device: ['devpixel8alice1'] }),
    'one-element arrays',
  )
  A.on('sms_messages', m(5), 'the owner deletes a message', [
    GET('alice', recs('sms_messages', m(5).id)),
    DEL('bob', recs('sms_messages', m(5).id)),
    DEL('alice', recs('sms_messages', m(5).id)),
    GET('alice', recs('sms_messages', m(5).id)),
  ])
  A.on('sms_messages', m(6), 'the superuser moves a message through its states', [
    PATCH('super', recs('sms_messages', m(6).id), { status: 'sent', sent_at: '2024-06-01 10:00:00.123Z' }),
    PATCH('super', recs('sms_messages', m(6).id), { status: '', body: 'y' }),
    PATCH('super', recs('sms_messages', m(6).id), {
      status: 'delivered',
      delivered_at: '2024-06-01T10:00:05Z',
      segments: '2',
    }),
    PATCH('super', recs('sms_messages', m(6).id), { sent_at: '', delivered_at: null }),
    GET('alice', recs('sms_messages', m(6).id)),
  ])
  // ---------------------------------------------------------------- every field type
  const T = 'demo_types'
  let ty = 0
  const one = (o, why, x) =>
    A.create('alice', T, { id: `tmptypes${String(++ty).padStart(7, '0')}`, code: 'AAA0001', ...o }, why, x)
  A.create('alice', T, { id: 'tmptypesauto001' }, 'a text with autogenerate pattern is filled', {
    step: { volatile: { '/code': 'regex:^[A-Z]{3}[0-9]{4}$' } },
  })
  const no = (o, why, x) => A.bad('alice', T, o, why, x)
  one({}, 'all defaults', { tags: [] })
  one({ title: 'ab' }, 'shortest title')
  no({ title: 'a' }, 'title too short')
  no({ title: 'x'.repeat(51) }, 'title too long')
  one({ slug: 'a-b-1' }, 'pattern')
  no({ slug: 'A B' }, 'pattern failed')
  no({ slug: 'full-record' }, 'partial unique index')
  one({ slug: '' }, 'empty slugs are not unique')
  one({ code: 'XYZ0001' }, 'autogenerate is skipped when given')
  one({ code: 'anything goes' }, 'autogenerate pattern is no validation')
  for (const num of [
    0,
    1,
    -100,
    1000,
    0.1,
    1e2,
    '5',
    '5.5',
    '1e2',
    ' 7 ',
    'abc',
    '',
    null,
    true,
    false,
    [],
    {},
    [5],
    '0x10',
    '1,5',
    1e-7,
    123.456789012345,
  ])
    one({ num }, `number from ${JSON.stringify(num)}`)
  for (const num of [-100.01, 1000.5, 1e308]) no({ num }, `number out of range ${num}`)
  A.one(
    POST('alice', recs(T), undefined, {
      raw: '{"num":1e999}',
      headers: { 'content-type': 'application/json' },
    }),
    'number overflow in JSON',
  )
  A.one(
    POST('alice', recs(T), undefined, {
      raw: '{"num":NaN}',
      headers: { 'content-type': 'application/json' },
    }),
    'NaN in JSON',
  )
  no({ num: 'NaN' }, 'NaN as text', { tags: ['artefact'] })
  no({ num: 'Inf' }, 'Inf as text', { tags: ['artefact'] })
  for (const v of [1, -5, 0, '12', 9007199254740991, 1e15, 2.0])
    one({ int_num: v }, `integer from ${JSON.stringify(v)}`)
  for (const v of [1.5, '2.5', 0.000001]) no({ int_num: v }, `not an integer ${v}`)
  for (const v of [true, 'true', 1, 'x', null]) one({ flag: v }, `bool from ${JSON.stringify(v)}`)
  for (const v of ['a@b.co', 'A.B+c@Sub.Example.com', 'ü@example.com', '']) one({ mail: v }, `e-mail ${v}`)
  for (const v of [
    'x',
    'a@',
    '@b.co',
    'a b@c.co',
    'a@b',
    'a@spam.example',
    'a@SPAM.example',
    'a@@b.co',
    5,
    'a@sub.spam.example',
    `${'a'.repeat(300)}@b.co`,
  ])
    no(
      { mail: v, title: 'x' },
      `e-mail ${JSON.stringify(v).slice(0, 30)} (with a short title so that nothing is stored)`,
    )
  one({ mail_only: 'x@corp.example' }, 'allowed domain')
  no({ mail_only: 'x@other.example' }, 'domain not allowed')
  no({ mail_only: 'x@sub.corp.example' }, 'subdomain is not allowed')
  for (const v of [
    'http://a.example',
    'https://user:pw@a.example:8080/p/ü?q=1#f',
    'ftp://a.example/x',
    'http://127.0.0.1',
    'https://a.example/%20',
    'http://[::1]/',
  ])
    one({ site: v }, `url ${v}`)
  for (const v of [
    'a.example',
    'http:/a',
    'http://',
    'mailto:x@y.z',
    'http://bad.example/x',
    'https://sub.bad.example',
    '//x.example',
    'http://a b',
  ])
    no({ site: v, title: 'x' }, `url ${v}`)
  one({ site_only: 'https://good.example/x' }, 'allowed host')
  no({ site_only: 'https://evil.example' }, 'host not allowed')
  for (const v of [
    '2024-05-01',
    '2024-05-01 10:20',
    '2024-05-01 10:20:30',
    '2024-05-01 10:20:30.5',
    '2024-05-01 10:20:30.123456Z',
    '2024-05-01T10:20:30Z',
    '2024-05-01T10:20:30.123+02:00',
    '2024-05-01 10:20:30.123 +0200 CEST',
    'Wed, 01 May 2024 10:20:30 GMT',
    '05/01/2024',
    '1 May 2024',
    1714550400,
    '1714550400',
    1714550400.5,
    '',
    null,
    'garbage',
    '2024-13-01',
    '2024-02-30',
    true,
    [],
    '2024-05-01T10:20:30',
    '2020-01-01 00:00:00.000Z',
    '2099-12-31 23:59:59.999Z',
  ])
    one({ day: v }, `date from ${JSON.stringify(v)}`, {
      tags: /CEST|GMT|May 2024|05\/01/.test(String(v)) ? ['artefact'] : undefined,
    })
  for (const v of ['2019-12-31 23:59:59.999Z', '2100-01-01', 0, '1999-01-01'])
    no({ day: v, title: 'x' }, `date out of range ${v}`)
  one({ touched: '2001-01-01 00:00:00.000Z' }, 'autodate set only on update stays empty on create')
  for (const v of ['alpha', '', null, ['beta'], [], 'alpha,beta'])
    (v === 'alpha,beta' ? no : one)({ kind: v }, `select from ${JSON.stringify(v)}`)
  for (const v of ['Alpha', 'delta', ['alpha', 'beta'], 1, true, {}])
    no({ kind: v, title: 'x' }, `select ${JSON.stringify(v)}`)
  for (const v of [
    'one',
    ['one', 'two'],
    ['two', 'one', 'two'],
    [],
    '',
    null,
    '["one","three"]',
    ['', 'one'],
  ])
    one({ tags: v }, `multiple select from ${JSON.stringify(v)}`)
  for (const v of [['one', 'two', 'three', 'four'], ['six'], 'one,two', [1], { a: 'one' }])
    no({ tags: v, title: 'x' }, `multiple select ${JSON.stringify(v)}`)
  one({ meta: { a: 'x'.repeat(280) } }, 'json near the size limit')
  no({ meta: { a: 'x'.repeat(300) } }, 'json over the size limit')
  no({ meta: '{"broken":', title: 'x' }, 'text that is no JSON is stored as text')
  one({ html: '<p onclick="x()">hi</p><script>alert(1)</script>' }, 'editor keeps the markup')
  no({ html: 'x'.repeat(401) }, 'editor over the size limit')
  one({ html: 5 }, 'editor from a number')
  one({ html: '' }, 'editor empty')
  for (const v of [
    { lon: 1.5, lat: -2.5 },
    { lon: '3', lat: '4' },
    { lon: 180, lat: 90 },
    {},
    null,
    '',
    '{"lon":5,"lat":6}',
    [7, 8],
    { lon: 1 },
    { lat: 1 },
    { lon: 'x', lat: null },
    { lon: 1, lat: 2, alt: 3 },
    'garbage',
    5,
    true,
  ])
    one({ place: v }, `geo point from ${JSON.stringify(v)}`)
  for (const v of [
    { lon: 181, lat: 0 },
    { lon: 0, lat: 91 },
    { lon: -180.1, lat: -90.1 },
  ])
    no({ place: v }, `geo point out of range ${JSON.stringify(v)}`)
  A.on(
    T,
    { id: 'tmptypeshid0001', code: 'AAA3333', secret: 'by superuser' },
    'hidden fields: only the superuser writes them',
    [
      GET('super', recs(T, 'tmptypeshid0001')),
      PATCH('alice', recs(T, 'tmptypeshid0001'), { secret: 'by alice', title: 'tt' }),
      GET('super', recs(T, 'tmptypeshid0001')),
      PATCH('super', recs(T, 'tmptypeshid0001'), { secret: 'again' }),
      GET('alice', recs(T, 'tmptypeshid0001')),
    ].map((x) => ({ ...x, volatile: { '/code': 'any' } })),
  )
  one({ secret: 'hidden' }, 'hidden field sent by a user')
  one({ rel_one: 'parentone000001' }, 'single relation')
  one({ rel_one: 'parenttwo000002' }, 'to a record of another user: relations are not checked against rules')
  no({ rel_one: 'nonexistent0000' }, 'missing relation')
  one({ rel_many: ['parentthree0003', 'parentone000001'] }, 'order is kept')
  no(
    { rel_many: ['parentone000001', 'parenttwo000002', 'parentthree0003', 'parentfour00004'] },
    'too many relations',
  )
  one({ rel_many: ['parentone000001', 'parentone000001'] }, 'repeated relation')
  no({ rel_one: 'usralice0000001' }, 'a record of another collection')
  no({ doc: 'x.png' }, 'file field from text')
  one({ doc: '' }, 'file field empty')
  one({ doc: null }, 'file field null')
  A.on(
    T,
    {
      id: 'tmptypesup00001',
      code: 'AAA1111',
      title: 'old',
      num: 10,
      int_num: 1,
      tags: ['one'],
      rel_many: ['parentone000001'],
      kind: 'alpha',
      meta: { a: 1 },
    },
    'modifiers on every kind of field',
    [
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'num+': 2.5 }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'num-': '0.5' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'num+': 5000 }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'int_num+': 0.5 }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'tags+': ['two', 'three'] }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'tags+': 'four' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { '+tags': 'four', 'tags-': 'one' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'tags-': ['four', 'two', 'three', 'one'] }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'kind+': 'beta' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'kind-': 'beta' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { '+kind': 'gamma' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'rel_many+': ['parenttwo000002', 'parentthree0003'] }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'rel_many-': 'parentone000001' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'rel_one+': 'parentone000001' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'rel_one-': 'parentone000001' }),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'title+': 'more' }),
      PATCH(
        'alice',
        recs(T, 'tmptypesup00001'),
        { 'title:autogenerate': '', 'code:autogenerate': '' },
        { volatile: { '/code': 'regex:^[A-Z]{3}[0-9]{4}$' } },
      ),
      PATCH(
        'alice',
        recs(T, 'tmptypesup00001'),
        { 'code:autogenerate': 'PRE-' },
        { volatile: { '/code': 'regex:^PRE-[A-Z]{3}[0-9]{4}$' } },
      ),
      PATCH('alice', recs(T, 'tmptypesup00001'), { 'meta.a': 5 }, { volatile: { '/code': 'any' } }),
      PATCH(
        'alice',
        recs(T, 'tmptypesup00001'),
        { meta: { b: 2 }, title: '', num: '' },
        { volatile: { '/code': 'any' } },
      ),
      GET('alice', recs(T, 'tmptypesup00001'), { volatile: { '/code': 'any' } }),
    ],
  )
  A.on(T, { id: 'tmptypesup00002', code: 'AAA2222', touched: '' }, 'autodate on update', [
    GET('guest', recs(T, 'tmptypesup00002')),
    PATCH('alice', recs(T, 'tmptypesup00002'), { title: 'now' }),
  ])
  // ---------------------------------------------------------------- required of every type
  const full = {
    r_text: 'abc',
    r_num: 5,
    r_bool: true,
    r_mail: 'a@b.co',
    r_url: 'https://a.example',
    r_date: '2024-01-01',
    r_kind: 'x',
    r_tags: ['x'],
    r_json: { a: 1 },
    r_html: '<p>x</p>',
    r_geo: { lon: 1, lat: 1 },
    r_one: 'parentone000001',
    r_many: ['parentone000001', 'parenttwo000002'],
  }
  const RQ = 'demo_required'
  A.create('guest', RQ, { id: 'tmprequired0001', ...full }, 'all there')
  A.bad('guest', RQ, {}, 'nothing there')
  const zero = {
    r_text: '',
    r_num: 0,
    r_bool: false,
    r_mail: '',
    r_url: '',
    r_date: '',
    r_kind: '',
    r_tags: [],
    r_json: null,
    r_html: '',
    r_geo: { lon: 0, lat: 0 },
    r_one: '',
    r_many: [],
  }
  A.bad('guest', RQ, zero, 'zero values count as missing')
  for (const f of Object.keys(full)) {
    A.bad('guest', RQ, { ...full, [f]: zero[f] }, `${f} empty`)
    A.bad('guest', RQ, { ...full, [f]: undefined }, `${f} left out`)
  }
  for (const r_json of [[], {}, '', 0, false, '{}', '[]', 'null', '""'])
    A.bad(
      'guest',
      RQ,
      { ...full, r_json, r_text: 'a' },
      `required json ${JSON.stringify(r_json)} (with a short text)`,
    )
  A.bad('guest', RQ, { ...full, r_many: ['parentone000001'] }, 'fewer relations than minSelect')
  A.bad(
    'guest',
    RQ,
    { ...full, r_many: ['parentone000001', 'nonexistent0000'] },
    'a missing one among enough',
  )
  A.bad('guest', RQ, { ...full, r_text: 'ab' }, 'shorter than min')
  A.bad('guest', RQ, { ...full, r_text: '  ' }, 'blanks only')
  A.bad('guest', RQ, { ...full, r_tags: ['x', 'y', 'z'] }, 'more than maxSelect')
  A.on(
    RQ,
    { id: 'tmprequired0002', ...full },
    'emptying required fields',
    Object.keys(full).map((f) => PATCH('guest', recs(RQ, 'tmprequired0002'), { [f]: zero[f] })),
  )
  // ---------------------------------------------------------------- references
  const P = (i, o = {}) => ({
    id: `tmpparent${String(i).padStart(6, '0')}`,
    name: `tp ${i}`,
    owner: A1,
    ...o,
  })
  A.on(
    'demo_parent',
    P(1),
    'cascade delete goes down two levels',
    [
      POST('alice', recs('demo_child'), { id: 'tmpchild0000001', label: 'x', parent: P(1).id }),
      POST('alice', recs('demo_grand'), { id: 'tmpgrand0000001', label: 'x', child: 'tmpchild0000001' }),
      DEL('alice', recs('demo_parent', P(1).id)),
      GET('alice', recs('demo_child', 'tmpchild0000001')),
      GET('alice', recs('demo_grand', 'tmpgrand0000001')),
    ],
    {
      cleanup: [
        DEL('super', recs('demo_child', 'tmpchild0000001')),
        DEL('super', recs('demo_grand', 'tmpgrand0000001')),
      ],
    },
  )
  A.on(
    'demo_parent',
    P(2),
    'optional references are emptied',
    [
      POST('alice', recs('demo_setnull'), {
        id: 'tmpsetnull00001',
        label: 'x',
        ref: P(2).id,
        refs: ['parentone000001', P(2).id, 'parenttwo000002'],
      }),
      DEL('alice', recs('demo_parent', P(2).id)),
      GET('alice', recs('demo_setnull', 'tmpsetnull00001')),
    ],
    { cleanup: [DEL('super', recs('demo_setnull', 'tmpsetnull00001'))] },
  )
  A.on(
    'demo_parent',
    P(3),
    'a required reference blocks the delete',
    [
      POST('alice', recs('demo_block'), { id: 'tmpblock0000001', label: 'x', ref: P(3).id }),
      DEL('alice', recs('demo_parent', P(3).id)),
      GET('alice', recs('demo_parent', P(3).id)),
      DEL('alice', recs('demo_block', 'tmpblock0000001')),
      DEL('alice', recs('demo_parent', P(3).id)),
    ],
    {
      cleanup: [
        DEL('super', recs('demo_block', 'tmpblock0000001')),
        DEL('super', recs('demo_parent', P(3).id)),
      ],
    },
  )
  A.on(
    'demo_parent',
    P(4),
    'a required multiple reference with others left',
    [
      POST('guest', recs(RQ), {
        id: 'tmprequired0003',
        ...full,
        r_many: ['parentone000001', 'parenttwo000002', P(4).id],
      }),
      DEL('alice', recs('demo_parent', P(4).id)),
      GET('guest', recs(RQ, 'tmprequired0003')),
    ],
    { cleanup: [DEL('super', recs(RQ, 'tmprequired0003'))] },
  )
  A.on('demo_parent', P(5), 'rules on create, update and delete', [
    PATCH('bob', recs('demo_parent', P(5).id), { name: 'x' }),
    DEL('bob', recs('demo_parent', P(5).id)),
    PATCH('alice', recs('demo_parent', P(5).id), { owner: B1 }),
    PATCH('alice', recs('demo_parent', P(5).id), { name: 'lost' }),
    DEL('bob', recs('demo_parent', P(5).id)),
  ])
  A.bad('alice', 'demo_parent', { name: 'x', owner: B1 }, 'create rule looks at the new record')
  A.bad('alice', 'demo_parent', { owner: A1 }, 'rule holds, field missing')
  A.bad('guest', 'demo_parent', { name: 'x' }, 'guest')
  A.bad('alice', 'demo_locked', { label: 'x' }, 'locked')
  A.bad('guest', 'demo_locked', {}, 'locked')
  A.create('super', 'demo_locked', { id: 'tmplocked000001', label: 'x' }, 'locked, as superuser')
  A.create(
    'guest',
    'demo_public',
    { id: 'tmppublic000001', label: 'x', n: '3', hush: 'y' },
    'open for guests',
  )
  A.bad('alice', 'demo_view', { name: 'x' }, 'a view cannot be written')
  A.bad('super', 'demo_view', { name: 'x' }, 'a view cannot be written')
  A.one(PATCH('super', recs('demo_view', 'parentone000001'), { name: 'x' }), 'a view cannot be updated')
  A.one(DEL('super', recs('demo_view', 'parentone000001')), 'a view cannot be deleted from')
  A.on('demo_public', { id: 'tmppublic000002', label: 'x', n: 1 }, 'guest updates and deletes', [
    PATCH('guest', recs('demo_public', 'tmppublic000002'), { label: 'y', hush: 'h' }),
    PATCH('super', recs('demo_public', 'tmppublic000002'), { hush: 'h2' }),
    DEL('guest', recs('demo_public', 'tmppublic000002')),
    DEL('guest', recs('demo_public', 'tmppublic000002')),
  ])
}
