import { DEL, GET, PATCH, POST, REQ, recs } from '../dsl.mjs'

const login = (col, body, o = {}) =>
  POST('guest', `/api/collections/${col}/auth-with-password${o.q || ''}`, body, o.s || {})
const JWT = (h, p) =>
  `${Buffer.from(JSON.stringify(h)).toString('base64url')}.${Buffer.from(JSON.stringify(p)).toString('base64url')}.c2lnbmF0dXJl`
export const EXPIRED = JWT(
  { alg: 'HS256', typ: 'JWT' },
  {
    collectionId: '_pb_users_auth_',
    exp: 1600000000,
    id: 'usralice0000001',
    refreshable: true,
    type: 'auth',
  },
)
const NONE = `${JWT({ alg: 'none', typ: 'JWT' }, { collectionId: '_pb_users_auth_', exp: 4102444800, id: 'usralice0000001', refreshable: true, type: 'auth' }).split('.').slice(0, 2).join('.')}.`
const FORGED = JWT(
  { alg: 'HS256', typ: 'JWT' },
  {
    collectionId: '_pb_users_auth_',
    exp: 4102444800,
    id: 'usralice0000001',
    refreshable: true,
    type: 'auth',
  },
)
const ALICE = { identity: 'alice@example.com', password: 'alicepass123' }
export function define(book) {
  const A = book.area('auth')
  const O = (st, why, o) => A.one(st, why, o)
  // ---- auth-with-password
  for (const [n, c, b] of [
    ['alice', 'users', ALICE],
    ['bob', 'users', { identity: 'bob@example.com', password: 'bobpass12345' }],
    ['carol', 'users', { identity: 'carol@example.com', password: 'carolpass123' }],
    ['superuser', '_superusers', { identity: 'admin@example.com', password: 'adminpass123' }],
    ['member by user name', 'demo_members', { identity: 'member_one', password: 'memberpass1' }],
    ['member by e-mail', 'demo_members', { identity: 'one@members.example', password: 'memberpass1' }],
    ['user name without regard to case', 'demo_members', { identity: 'MEMBER_ONE', password: 'memberpass1' }],
  ])
    O(login(c, b, { s: { decode: '/body/token' } }), `sign in: ${n}`)
  const bad = (col, body, why, o) => O(login(col, body, o), why)
  bad('users', { identity: 'alice@example.com', password: 'wrong' }, 'wrong password')
  bad(
    'users',
    { identity: 'nobody@example.com', password: 'alicepass123' },
    'unknown identity: the same answer',
  )
  bad('users', { identity: 'alice@example.com', password: '' }, 'empty password')
  bad('users', { identity: '', password: 'x' }, 'empty identity')
  bad('users', {}, 'both missing')
  bad('users', { identity: 'alice@example.com' }, 'password missing')
  bad('users', { password: 'x' }, 'identity missing')
  bad('users', { identity: null, password: null }, 'nulls')
  bad('users', { identity: 'ALICE@EXAMPLE.COM', password: 'alicepass123' }, 'e-mail in another case')
  bad('users', { identity: ' alice@example.com', password: 'alicepass123' }, 'leading blank')
  bad('users', { identity: 'alice@example.com', password: 'alicepass123 ' }, 'trailing blank in the password')
  bad('users', { identity: 'usralice0000001', password: 'alicepass123' }, 'id is no identity')
  bad('users', { identity: 'Alice Adams', password: 'alicepass123' }, 'name is no identity')
  bad('users', { identity: 'x'.repeat(256), password: 'x' }, 'identity too long')
  bad('users', { identity: 'x', password: 'y'.repeat(256) }, 'password too long')
  bad('users', { identity: 'x', password: 'y'.repeat(72) }, 'long password')
  bad('users', { identity: 5, password: 5 }, 'numbers')
  bad('users', { identity: ['alice@example.com'], password: 'alicepass123' }, 'array')
  bad('users', { identity: {}, password: 'x' }, 'object')
  bad('users', { email: 'alice@example.com', password: 'alicepass123' }, 'old field name')
  bad('users', { identity: "' OR 1=1 --", password: 'x' }, 'injection attempt')
  for (const f of ['email', '', 'username', 'id', 'name', 'EMAIL'])
    bad('users', { ...ALICE, identityField: f }, `identityField ${f || '(empty)'}`)
  for (const f of ['email', 'username', 'nick']) {
    bad(
      'demo_members',
      { identity: 'member_one', password: 'memberpass1', identityField: f },
      `identityField ${f} with a user name`,
    )
    bad(
      'demo_members',
      { identity: 'one@members.example', password: 'memberpass1', identityField: f },
      `identityField ${f} with an e-mail`,
    )
  }
  bad('demo_members', { identity: 'member_two', password: 'memberpass2' }, 'the auth rule refuses')
  bad('demo_members', { identity: 'member_two', password: 'wrong' }, 'wrong password before the auth rule')
  bad(
    'demo_members',
    { identity: 'Three.UPPER@members.example', password: 'memberpass3' },
    'domain in another case',
  )
  bad('demo_members', { identity: 'Three.UPPER@Members.example', password: 'memberpass3' }, 'exact e-mail')
  bad('demo_members', ALICE, 'a user in the wrong collection')
  bad('users', { identity: 'admin@example.com', password: 'adminpass123' }, 'a superuser in users')
  bad('_superusers', ALICE, 'a user in _superusers')
  bad(
    'devices',
    { identity: 'galaxy@devices.example', password: 'devpass-devgalaxybob001' },
    'password sign-in switched off',
  )
  bad('devices', {}, 'password sign-in switched off, empty')
  bad('contacts', ALICE, 'not an auth collection')
  bad('nope', ALICE, 'unknown collection')
  O(
    login('users', ALICE, {
      q: '?expand=devices_via_user&fields=record.id,record.expand.devices_via_user.name',
    }),
    'sign in with expand',
  )
  O(login('users', ALICE, { q: '?fields=token' }), 'only the token')
  O(login('users', ALICE, { q: '?fields=record.email,record.name' }), 'only two fields')
  O(
    REQ('guest', 'POST', '/api/collections/users/auth-with-password', {
      multipart: [
        ['identity', 'alice@example.com'],
        ['password', 'alicepass123'],
      ],
    }),
    'multipart',
  )
  O(
    REQ('guest', 'POST', '/api/collections/users/auth-with-password', {
      raw: 'identity=alice%40example.com&password=alicepass123',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
    'form-urlencoded',
  )
  O(
    REQ('guest', 'POST', '/api/collections/users/auth-with-password', {
      raw: '{',
      headers: { 'content-type': 'application/json' },
    }),
    'broken JSON',
  )
  O(
    REQ('guest', 'POST', '/api/collections/users/auth-with-password', {
      raw: 'x',
      headers: { 'content-type': 'text/plain' },
    }),
    'text body',
  )
  O(REQ('guest', 'POST', '/api/collections/users/auth-with-password'), 'no body')
  O(REQ('guest', 'GET', '/api/collections/users/auth-with-password'), 'GET')
  O(
    REQ('guest', 'POST', '/api/collections/USERS/auth-with-password', { body: ALICE }),
    'collection name in another case',
  )
  O(
    REQ('guest', 'POST', '/api/collections/_pb_users_auth_/auth-with-password', { body: ALICE }),
    'collection by id',
  )
  O(
    REQ('bob', 'POST', '/api/collections/users/auth-with-password', { body: ALICE }),
    'while signed in as another',
  )
  // ---- auth-refresh
  for (const [as, col] of [
    ['alice', 'users'],
    ['super', '_superusers'],
    ['member', 'demo_members'],
    ['device_a1', 'devices'],
  ])
    O(POST(as, `/api/collections/${col}/auth-refresh`, undefined, { decode: '/body/token' }), `refresh ${as}`)
  for (const [as, col] of [
    ['alice', '_superusers'],
    ['alice', 'demo_members'],
    ['alice', 'devices'],
    ['super', 'users'],
    ['member', 'users'],
    ['device_a1', 'users'],
    ['guest', 'users'],
    ['guest', '_superusers'],
    ['guest', 'devices'],
    ['alice', 'contacts'],
    ['alice', 'nope'],
  ])
    O(POST(as, `/api/collections/${col}/auth-refresh`), `refresh of ${as} in ${col}`)
  O(
    POST('guest', '/api/collections/users/auth-refresh', undefined, { headers: { authorization: EXPIRED } }),
    'refresh with an expired token',
  )
  O(
    POST('guest', '/api/collections/users/auth-refresh', undefined, {
      headers: { authorization: 'garbage' },
    }),
    'refresh with garbage',
  )
  O(POST('alice', '/api/collections/users/auth-refresh?fields=record.id'), 'refresh with fields')
  O(
    POST(
      'alice',
      '/api/collections/users/auth-refresh?expand=webhooks_via_user&fields=record.id,record.expand.webhooks_via_user.url',
      {},
    ),
    'refresh with expand',
  )
  O(GET('alice', '/api/collections/users/auth-refresh'), 'GET refresh')
  A.flow('a refreshed token works, and so does the old one', [
    POST('guest', '/api/collections/users/auth-with-password', ALICE, { save: { t1: '/body/token' } }),
    POST('guest', '/api/collections/users/auth-refresh', undefined, {
      headers: { authorization: '${t1}' },
      save: { t2: '/body/token' },
    }),
    GET('guest', recs('users', 'usralice0000001'), { headers: { authorization: '${t2}' } }),
    GET('guest', recs('users', 'usralice0000001'), { headers: { authorization: 'Bearer ${t1}' } }),
  ])
  // ---- how a token is read
  const me = recs('users', 'usralice0000001', { fields: 'id,name' })
  const H = (authorization, why) => O(GET('guest', me, { headers: { authorization } }), why)
  H('${token:alice}', 'bare token')
  H('Bearer ${token:alice}', 'Bearer')
  H('bearer ${token:alice}', 'bearer in lower case')
  H('BEARER ${token:alice}', 'BEARER')
  H('Bearer  ${token:alice}', 'two blanks')
  H('Token ${token:alice}', 'Token prefix')
  H('User ${token:alice}', 'User prefix')
  H('Basic YWxpY2U6eA==', 'Basic')
  H('Bearer', 'only the prefix')
  H('', 'empty header')
  H('garbage', 'garbage')
  H('a.b.c', 'three dots')
  H(EXPIRED, 'expired')
  H(`Bearer ${EXPIRED}`, 'expired with prefix')
  H(FORGED, 'forged signature')
  H(NONE, 'algorithm none')
  H('${token:alice}x', 'tampered signature')
  H('${token:bob}', "another user's token")
  H('${token:super}', 'superuser')
  H('${token:member}', 'other collection')
  H('${token:device_a1}', 'device')
  for (const [as, h] of [
    ['garbage', 'garbage'],
    ['expired', EXPIRED],
    ['forged', FORGED],
  ]) {
    O(
      GET('guest', recs('contacts'), { headers: { authorization: h } }),
      `a list with a ${as} token is a guest's list`,
    )
    O(
      GET('guest', '/api/collections', { headers: { authorization: h } }),
      `a superuser route with a ${as} token`,
    )
    O(
      POST(
        'guest',
        recs('contacts'),
        { user: 'usralice0000001', phone: '+491' },
        { headers: { authorization: h } },
      ),
      `a create with a ${as} token`,
    )
    O(
      DEL('guest', recs('contacts', 'nonexistent0000'), { headers: { authorization: h } }),
      `a delete with a ${as} token`,
    )
  }
  O(GET('guest', `${me}&token=\${token:alice}`), 'a token in the query is not read')
  O(GET('guest', me, { headers: { cookie: 'pb_auth=${token:alice}' } }), 'a cookie is not read')
  // ---- auth-methods
  for (const c of ['users', 'devices', 'demo_members', '_superusers', 'contacts', 'nope'])
    O(GET('guest', `/api/collections/${c}/auth-methods`), `auth methods of ${c}`)
  O(GET('alice', '/api/collections/users/auth-methods'), 'auth methods while signed in')
  // ---- impersonate
  for (const [as, c, id] of [
    ['super', 'users', 'usralice0000001'],
    ['super', 'devices', 'devpixel8alice1'],
    ['super', 'demo_members', 'memberone000001'],
    ['super', '_superusers', 'superadmin00001'],
  ])
    O(POST(as, `/api/collections/${c}/impersonate/${id}`, {}, { decode: '/body/token' }), `impersonate ${c}`)
  for (const d of [60, 0, 86400, 31536000, '120'])
    O(
      POST(
        'super',
        '/api/collections/users/impersonate/usrbob000000002',
        { duration: d },
        { decode: '/body/token' },
      ),
      `impersonate for ${JSON.stringify(d)} s`,
    )
  for (const d of [-1, 'x', 1.5, null, true, []])
    O(
      POST(
        'super',
        '/api/collections/users/impersonate/usrbob000000002',
        { duration: d },
        d === null ? { decode: '/body/token' } : {},
      ),
      `impersonate for ${JSON.stringify(d)} s`,
    )
  for (const as of ['alice', 'guest', 'device_a1', 'member'])
    O(POST(as, '/api/collections/users/impersonate/usralice0000001', {}), `impersonate as ${as}`)
  for (const [c, id] of [
    ['users', 'nonexistent0000'],
    ['contacts', 'x'],
    ['nope', 'x'],
    ['demo_members', 'membertwo000002'],
    ['users', 'devpixel8alice1'],
  ])
    O(POST('super', `/api/collections/${c}/impersonate/${id}`, {}), `impersonate ${c}/${id}`)
  O(
    POST('super', '/api/collections/users/impersonate/usrcarol0000003?fields=record.id,record.email'),
    'impersonate without body',
  )
  A.flow('an impersonation token cannot be renewed', [
    POST(
      'super',
      '/api/collections/users/impersonate/usrdave00000004',
      { duration: 600 },
      { save: { t: '/body/token' } },
    ),
    GET('guest', recs('users', 'usrdave00000004'), { headers: { authorization: '${t}' } }),
    POST('guest', '/api/collections/users/auth-refresh', undefined, {
      headers: { authorization: '${t}' },
      decode: '/body/token',
    }),
  ])
  // ---- the mail-driven routes
  for (const r of ['request-password-reset', 'request-verification'])
    for (const [c, b, why] of [
      ['users', { email: 'nobody@example.com' }, 'unknown e-mail: no hint'],
      ['users', {}, 'missing'],
      ['users', { email: 'x' }, 'malformed'],
      ['users', { email: '' }, 'empty'],
      ['users', { email: 5 }, 'number'],
      ['contacts', { email: 'a@b.co' }, 'no auth collection'],
      ['nope', { email: 'a@b.co' }, 'unknown collection'],
      ['_superusers', { email: 'nobody@example.com' }, 'superusers'],
      ['devices', { email: 'nobody@example.com' }, 'devices'],
    ])
      O(POST('guest', `/api/collections/${c}/${r}`, b), `${r} ${c}: ${why}`)
  O(
    POST('guest', '/api/collections/users/request-verification', { email: 'alice@example.com' }),
    'request-verification of a verified account',
  )
  for (const r of ['confirm-password-reset', 'confirm-verification', 'confirm-email-change'])
    for (const [b, why] of [
      [{}, 'empty'],
      [{ token: 'x' }, 'garbage token'],
      [{ token: EXPIRED, password: '12345678', passwordConfirm: '12345678' }, 'expired token'],
      [{ token: '${token:alice}', password: '12345678', passwordConfirm: '12345678' }, 'an auth token'],
      [{ token: 'x', password: 'short', passwordConfirm: 'other' }, 'short password'],
    ])
      O(POST('guest', `/api/collections/users/${r}`, b), `${r}: ${why}`)
  for (const [as, b] of [
    ['guest', { newEmail: 'n@example.com' }],
    ['alice', {}],
    ['alice', { newEmail: 'x' }],
    ['alice', { newEmail: 'bob@example.com' }],
    ['alice', { newEmail: 'alice@example.com' }],
    ['member', { newEmail: 'n@example.com' }],
  ])
    O(
      POST(as, '/api/collections/users/request-email-change', b),
      `request-email-change as ${as} ${JSON.stringify(b)}`,
    )
  for (const [c, b] of [
    ['users', { email: 'alice@example.com' }],
    ['users', {}],
    ['contacts', {}],
    ['nope', {}],
  ])
    O(POST('guest', `/api/collections/${c}/request-otp`, b), `request-otp ${c}`)
  for (const [c, b] of [
    ['users', { otpId: 'x', password: '12345678' }],
    ['users', {}],
    ['contacts', {}],
  ])
    O(POST('guest', `/api/collections/${c}/auth-with-otp`, b), `auth-with-otp ${c}`)
  for (const [c, b] of [
    ['users', { provider: 'google', code: 'x', codeVerifier: 'y', redirectURL: 'z' }],
    ['users', {}],
    ['contacts', {}],
  ])
    O(POST('guest', `/api/collections/${c}/auth-with-oauth2`, b), `auth-with-oauth2 ${c}`)
  // ---- accounts
  const u = (i, o = {}) => ({
    id: `tmpuser${String(i).padStart(8, '0')}`,
    email: `tmp${i}@example.com`,
    password: 'secretpass1',
    passwordConfirm: 'secretpass1',
    ...o,
  })
  A.create('super', 'users', u(1), 'an account by the superuser')
  A.create(
    'super',
    'users',
    u(2, { name: 'N', verified: true, emailVisibility: true, monthly_quota: 7 }),
    'everything set',
  )
  for (const [o, why] of [
    [{ password: 'short', passwordConfirm: 'short' }, 'short password'],
    [{ passwordConfirm: 'other' }, 'confirmation differs'],
    [{ passwordConfirm: undefined }, 'confirmation missing'],
    [{ password: '', passwordConfirm: '' }, 'empty password'],
    [{ password: undefined, passwordConfirm: undefined }, 'no password'],
    [{ email: '' }, 'empty e-mail'],
    [{ email: 'x' }, 'malformed e-mail'],
    [{ email: 'alice@example.com' }, 'e-mail taken'],
    [{ email: 'ALICE@example.com' }, 'e-mail taken in another case'],
    [{ email: undefined }, 'no e-mail'],
    [{ monthly_quota: -1 }, 'negative quota'],
    [{ password: 'p'.repeat(72), passwordConfirm: 'p'.repeat(72) }, 'password of 72 bytes'],
    [{ password: 'p'.repeat(73), passwordConfirm: 'p'.repeat(73) }, 'password of 73 bytes'],
    [{ password: 12345678, passwordConfirm: 12345678 }, 'number as password'],
    [{ tokenKey: 'x'.repeat(40) }, 'token key given'],
    [{ tokenKey: 'short' }, 'short token key'],
  ])
    A.bad('super', 'users', { ...u(3), id: undefined, ...o }, `account: ${why}`)
  A.bad('guest', 'users', u(4), 'sign-up is closed')
  A.bad('alice', 'users', u(4), 'users cannot make users')
  const as = (tok) => ({ headers: { authorization: tok } })
  A.on('users', u(5), 'own account: names, quota, password', [
    POST(
      'guest',
      '/api/collections/users/auth-with-password',
      { identity: 'tmp5@example.com', password: 'secretpass1' },
      { save: { t: '/body/token' } },
    ),
    PATCH('guest', recs('users', u(5).id), { name: 'Me' }, as('${t}')),
    PATCH('guest', recs('users', u(5).id), { monthly_quota: 99 }, as('${t}')),
    PATCH('guest', recs('users', u(5).id), { verified: true }, as('${t}')),
    PATCH('guest', recs('users', u(5).id), { email: 'new@example.com' }, as('${t}')),
    PATCH('guest', recs('users', u(5).id), { emailVisibility: true }, as('${t}')),
    PATCH(
      'guest',
      recs('users', u(5).id),
      { password: 'otherpass1', passwordConfirm: 'otherpass1' },
      as('${t}'),
    ),
    PATCH(
      'guest',
      recs('users', u(5).id),
      { password: 'otherpass1', passwordConfirm: 'otherpass1', oldPassword: 'wrong' },
      as('${t}'),
    ),
    PATCH(
      'guest',
      recs('users', u(5).id),
      { password: 'otherpass1', passwordConfirm: 'mismatch11', oldPassword: 'secretpass1' },
      as('${t}'),
    ),
    PATCH(
      'guest',
      recs('users', u(5).id),
      { password: 'otherpass1', passwordConfirm: 'otherpass1', oldPassword: 'secretpass1' },
      as('${t}'),
    ),
    GET('guest', recs('users', u(5).id), as('${t}')),
    POST('guest', '/api/collections/users/auth-with-password', {
      identity: 'tmp5@example.com',
      password: 'secretpass1',
    }),
    POST(
      'guest',
      '/api/collections/users/auth-with-password',
      { identity: 'tmp5@example.com', password: 'otherpass1' },
      { save: { t2: '/body/token' } },
    ),
    PATCH('bob', recs('users', u(5).id), { name: 'x' }),
    DEL('bob', recs('users', u(5).id)),
    DEL('guest', recs('users', u(5).id), as('${t2}')),
    GET('guest', recs('users', u(5).id), as('${t2}')),
    POST('guest', '/api/collections/users/auth-refresh', undefined, as('${t2}')),
  ])
  A.on('users', u(6), 'the superuser changes an account', [
    PATCH('super', recs('users', u(6).id), { email: 'tmp6b@example.com', verified: true, monthly_quota: 3 }),
    PATCH('super', recs('users', u(6).id), { password: 'brandnew12' }),
    PATCH('super', recs('users', u(6).id), { password: 'brandnew12', passwordConfirm: 'brandnew12' }),
    POST('guest', '/api/collections/users/auth-with-password', {
      identity: 'tmp6b@example.com',
      password: 'brandnew12',
    }),
    PATCH('super', recs('users', u(6).id), { 'tokenKey:autogenerate': '' }),
    PATCH('super', recs('users', u(6).id), { email: 'bob@example.com' }),
  ])
  A.on(
    'users',
    u(7),
    'deleting an account takes its records along',
    [
      POST('super', recs('contact_groups'), { id: 'tmpgroup0000070', user: u(7).id, name: 'g' }),
      POST('super', recs('contacts'), {
        id: 'tmpcontact70000',
        user: u(7).id,
        phone: '+4970',
        groups: ['tmpgroup0000070'],
      }),
      POST('super', recs('devices'), {
        id: 'tmpdevice000070',
        user: u(7).id,
        name: 'd',
        password: 'devicepass1',
        passwordConfirm: 'devicepass1',
      }),
      POST('super', recs('sms_messages'), {
        id: 'tmpmessage70000',
        user: u(7).id,
        device: 'tmpdevice000070',
        status: 'sent',
        message_type: 'outgoing',
      }),
      DEL('super', recs('devices', 'tmpdevice000070')),
      GET('super', recs('sms_messages', 'tmpmessage70000')),
      DEL('super', recs('users', u(7).id)),
      GET('super', recs('sms_messages', 'tmpmessage70000')),
      GET('super', recs('contacts', 'tmpcontact70000')),
      GET('super', recs('contact_groups', 'tmpgroup0000070')),
    ],
    {
      cleanup: [
        DEL('super', recs('contacts', 'tmpcontact70000')),
        DEL('super', recs('contact_groups', 'tmpgroup0000070')),
        DEL('super', recs('sms_messages', 'tmpmessage70000')),
        DEL('super', recs('devices', 'tmpdevice000070')),
      ],
    },
  )
  const d = (i, o = {}) => ({
    id: `tmpdevice${String(i).padStart(6, '0')}`,
    user: 'usralice0000001',
    name: 'd',
    password: 'devicepass1',
    passwordConfirm: 'devicepass1',
    ...o,
  })
  A.create(
    'super',
    'devices',
    d(1, { phone: '+4912345', platform: 'android', enabled: true, push: { a: 1 } }),
    'a device',
  )
  A.bad(
    'super',
    'devices',
    { name: '', phone: '012', platform: 'ios', daily_limit: -1 },
    'a device with errors',
  )
  A.bad('super', 'devices', { user: 'usralice0000001', name: 'd' }, 'a device without password')
  A.create('super', 'devices', d(2), 'a device without e-mail')
  A.on('devices', d(3), 'the owner changes a device', [
    PATCH('alice', recs('devices', d(3).id), { name: 'renamed', enabled: true }),
    PATCH('alice', recs('devices', d(3).id), { user: 'usrbob000000002' }),
    PATCH('alice', recs('devices', d(3).id), { push: { token: 'x' } }),
    PATCH('alice', recs('devices', d(3).id), { password: 'newdevice12', passwordConfirm: 'newdevice12' }),
    PATCH('bob', recs('devices', d(3).id), { name: 'x' }),
    GET('super', recs('devices', d(3).id)),
    POST(
      'super',
      `/api/collections/devices/impersonate/${d(3).id}`,
      {},
      { save: { t: '/body/token' }, decode: '/body/token' },
    ),
    GET('guest', recs('devices', d(3).id), as('${t}')),
    PATCH('guest', recs('devices', d(3).id), { name: 'self' }, as('${t}')),
    DEL('guest', recs('devices', d(3).id), as('${t}')),
    PATCH('super', recs('devices', d(3).id), { password: 'brandnew12', passwordConfirm: 'brandnew12' }),
    GET('guest', recs('devices', d(3).id), as('${t}')),
    DEL('alice', recs('devices', d(3).id)),
    GET('alice', recs('devices', d(3).id)),
  ])
  const mb = (i, o = {}) => ({
    id: `tmpmember${String(i).padStart(6, '0')}`,
    username: `tmp_member_${i}`,
    email: `m${i}@members.example`,
    password: 'memberpass9',
    passwordConfirm: 'memberpass9',
    ...o,
  })
  A.create('guest', 'demo_members', mb(1), 'open sign-up')
  A.create('guest', 'demo_members', mb(2, { verified: true }), 'verified cannot be set at sign-up')
  A.bad('guest', 'demo_members', mb(3, { username: 'Member_One' }), 'user name pattern')
  A.bad('guest', 'demo_members', mb(3, { username: 'member_one' }), 'user name taken')
  A.bad('guest', 'demo_members', mb(3, { email: 'one@members.example', username: 'xx' }), 'short user name')
  A.bad('guest', 'demo_members', mb(3, { email: 'one@members.example' }), 'e-mail taken')
  A.bad('guest', 'demo_members', {}, 'empty sign-up')
  A.create('guest', 'demo_members', mb(4, { emailVisibility: true, nick: 'N', age: '5' }), 'more at sign-up')
  A.on('demo_members', mb(5, { sponsor: 'usralice0000001' }), 'manage rule', [
    PATCH('alice', recs('demo_members', mb(5).id), { nick: 'by alice' }),
    PATCH('bob', recs('demo_members', mb(5).id), { nick: 'by bob' }),
    POST(
      'guest',
      '/api/collections/demo_members/auth-with-password',
      { identity: 'tmp_member_5', password: 'memberpass9' },
      { save: { t: '/body/token' } },
    ),
    PATCH('guest', recs('demo_members', mb(5).id), { nick: 'me', username: 'tmp_renamed_5' }, as('${t}')),
    PATCH('guest', recs('demo_members', mb(5).id), { verified: true }, as('${t}')),
    PATCH('guest', recs('demo_members', mb(5).id), { email: 'changed@members.example' }, as('${t}')),
    PATCH('guest', recs('demo_members', mb(5).id), { banned: true }, as('${t}')),
    POST('guest', '/api/collections/demo_members/auth-refresh', undefined, as('${t}')),
    GET('guest', recs('demo_members', mb(5).id), as('${t}')),
    DEL('guest', recs('demo_members', mb(5).id), as('${t}')),
  ])
  // superusers
  A.create(
    'super',
    '_superusers',
    {
      id: 'tmpsuper0000001',
      email: 'tmps@example.com',
      password: 'superpass12',
      passwordConfirm: 'superpass12',
    },
    'another superuser',
  )
  A.bad(
    'alice',
    '_superusers',
    { email: 'x@example.com', password: 'superpass12', passwordConfirm: 'superpass12' },
    'a user cannot',
  )
  A.one(PATCH('alice', recs('_superusers', 'superadmin00001'), { email: 'x@example.com' }), 'a user cannot')
  A.one(DEL('alice', recs('_superusers', 'superadmin00001')), 'a user cannot')
  A.one(DEL('super', recs('_superusers', 'superadmin00001')), 'the last superuser cannot be deleted')
  A.one(DEL('super', recs('_superusers', 'nonexistent0000')), 'unknown')
}
