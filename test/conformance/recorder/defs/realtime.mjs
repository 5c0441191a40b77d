import { DEL, PATCH, POST, REQ, recs } from '../dsl.mjs'

const A1 = 'usralice0000001'
export function define(book) {
  const A = book.area('realtime')
  const open = (n = 'c1', o = {}) => ({ sse: n, open: true, ...o })
  const sub = (as, subscriptions, n = 'c1') =>
    POST(as, '/api/realtime', { clientId: `\${${n}}`, subscriptions })
  const ev = (k, n = 'c1') => ({ sse: n, events: k, quiet: 200 })
  const none = (n = 'c1') => ({ sse: n, events: 0, quiet: 500 })
  const g = (i, o = {}) => ({ id: `tmprealt${String(i).padStart(7, '0')}`, user: A1, name: `rt ${i}`, ...o })
  const C = 'contact_groups'
  const cl = (...is) => ({ cleanup: is.map((i) => DEL('super', recs(C, g(i).id))) })
  const mk = (i, o) => POST('alice', recs(C), g(i, o))
  const up = (i, b) => PATCH('alice', recs(C, g(i).id), b)
  const rm = (i) => DEL('alice', recs(C, g(i).id))
  A.flow('connect', [open('c1', { rec: ['content-type', 'cache-control'] })])
  A.flow(
    'create, update and delete arrive in order',
    [open(), sub('alice', [`${C}/*`]), mk(1), up(1, { name: 'n' }), rm(1), ev(3)],
    cl(1),
  )
  A.flow('subscription by collection name only', [open(), sub('alice', [C]), mk(2), rm(2), ev(2)], cl(2))
  A.flow(
    'subscription to one record',
    [
      mk(3),
      mk(4),
      open(),
      sub('alice', [`${C}/${g(3).id}`]),
      up(4, { name: 'other' }),
      up(3, { name: 'mine' }),
      rm(4),
      rm(3),
      ev(2),
    ],
    cl(3, 4),
  )
  A.flow(
    'another user gets nothing',
    [open(), sub('bob', [`${C}/*`]), mk(5), up(5, { name: 'x' }), rm(5), none()],
    cl(5),
  )
  A.flow('a guest gets nothing', [open(), sub('guest', [`${C}/*`]), mk(6), rm(6), none()], cl(6))
  A.flow('the superuser gets everything', [open(), sub('super', [`${C}/*`]), mk(7), rm(7), ev(2)], cl(7))
  A.flow(
    'two subscriptions that match both deliver',
    [
      mk(8),
      open(),
      sub('alice', [`${C}/*`, `${C}/${g(8).id}`]),
      up(8, { name: 'y' }),
      { ...ev(2), anyOrder: true },
      rm(8),
      { ...ev(2), anyOrder: true },
    ],
    cl(8),
  )
  A.flow(
    'new subscriptions replace the old',
    [open(), sub('alice', [`${C}/*`]), sub('alice', ['contacts/*']), mk(9), rm(9), none()],
    cl(9),
  )
  A.flow(
    'an empty list unsubscribes',
    [open(), sub('alice', [`${C}/*`]), sub('alice', []), mk(10), rm(10), none()],
    cl(10),
  )
  A.flow(
    'subscribing twice delivers once',
    [open(), sub('alice', [`${C}/*`, `${C}/*`]), mk(11), ev(1), rm(11), ev(1)],
    cl(11),
  )
  const withOpts = (o) => `${C}/*?options=${encodeURIComponent(JSON.stringify(o))}`
  A.flow(
    'options: a filter',
    [
      open(),
      sub('alice', [withOpts({ query: { filter: 'name = "wanted"' } })]),
      mk(12),
      mk(13, { name: 'wanted' }),
      rm(12),
      rm(13),
      ev(2),
    ],
    cl(12, 13),
  )
  A.flow(
    'options: fields',
    [open(), sub('alice', [withOpts({ query: { fields: 'id,name' } })]), mk(14), ev(1), rm(14), ev(1)],
    cl(14),
  )
  A.flow(
    'options: expand',
    [
      open(),
      sub('alice', [withOpts({ query: { expand: 'user', fields: 'id,expand.user.name' } })]),
      mk(15),
      ev(1),
      rm(15),
      ev(1),
    ],
    cl(15),
  )
  A.flow(
    'options: headers reach the rules',
    [
      open(),
      sub('guest', [
        `demo_rules/*?options=${encodeURIComponent(JSON.stringify({ headers: { 'x-level': '9' } }))}`,
      ]),
      POST('super', recs('demo_rules'), { id: 'tmprealtrule001', owner: A1, title: 'x', level: 8 }),
      DEL('super', recs('demo_rules', 'tmprealtrule001')),
      ev(2),
    ],
    { cleanup: [DEL('super', recs('demo_rules', 'tmprealtrule001'))] },
  )
  A.flow(
    'without the header nothing comes',
    [
      open(),
      sub('guest', ['demo_rules/*']),
      POST('super', recs('demo_rules'), { id: 'tmprealtrule002', owner: A1, title: 'x', level: 8 }),
      DEL('super', recs('demo_rules', 'tmprealtrule002')),
      none(),
    ],
    { cleanup: [DEL('super', recs('demo_rules', 'tmprealtrule002'))] },
  )
  A.flow(
    'options: a broken filter delivers nothing',
    [open(), sub('alice', [withOpts({ query: { filter: '(((' } })]), mk(16), rm(16), none()],
    cl(16),
  )
  A.flow(
    'options that are no JSON',
    [open(), sub('alice', [`${C}/*?options=x`]), mk(17), rm(17), ev(2)],
    cl(17),
  )
  A.flow(
    'a hidden field cannot be a filter',
    [
      open(),
      sub('guest', [
        `demo_public/*?options=${encodeURIComponent(JSON.stringify({ query: { filter: 'hush != ""' } }))}`,
      ]),
      POST('super', recs('demo_public'), { id: 'tmprealtpub0001', label: 'x', hush: 'h' }),
      DEL('super', recs('demo_public', 'tmprealtpub0001')),
      none(),
    ],
    { cleanup: [DEL('super', recs('demo_public', 'tmprealtpub0001'))] },
  )
  A.flow(
    'hidden fields are not sent',
    [
      open(),
      sub('guest', ['demo_public/*']),
      POST('super', recs('demo_public'), { id: 'tmprealtpub0002', label: 'x', hush: 'h', n: 4 }),
      PATCH('super', recs('demo_public', 'tmprealtpub0002'), { hush: 'k' }),
      DEL('super', recs('demo_public', 'tmprealtpub0002')),
      ev(3),
    ],
    { cleanup: [DEL('super', recs('demo_public', 'tmprealtpub0002'))] },
  )
  A.flow(
    'the superuser also gets hidden fields',
    [
      open(),
      sub('super', ['demo_public/*']),
      POST('super', recs('demo_public'), { id: 'tmprealtpub0003', label: 'x', hush: 'h', n: 4 }),
      DEL('super', recs('demo_public', 'tmprealtpub0003')),
      ev(2),
    ],
    { cleanup: [DEL('super', recs('demo_public', 'tmprealtpub0003'))] },
  )
  A.flow(
    'a record leaves the filter of its subscriber',
    [
      POST('super', recs('demo_rules'), {
        id: 'tmprealtrule003',
        owner: A1,
        title: 'x',
        level: 1,
        open: true,
      }),
      open(),
      sub('guest', ['demo_rules/*']),
      PATCH('super', recs('demo_rules', 'tmprealtrule003'), { open: false }),
      PATCH('super', recs('demo_rules', 'tmprealtrule003'), { title: 'unseen' }),
      PATCH('super', recs('demo_rules', 'tmprealtrule003'), { open: true }),
      DEL('super', recs('demo_rules', 'tmprealtrule003')),
      ev(2),
    ],
    { cleanup: [DEL('super', recs('demo_rules', 'tmprealtrule003'))] },
  )
  const M = {
    id: 'tmprealtmsg0001',
    user: A1,
    device: 'devpixel8alice1',
    status: 'pending',
    message_type: 'outgoing',
    to: '+491',
    body: 'rt',
  }
  A.flow(
    'a message on its way: the owner and the device both see it',
    [
      open('c1'),
      sub('alice', ['sms_messages/*'], 'c1'),
      open('c2'),
      sub('device_a1', ['sms_messages/*'], 'c2'),
      open('c3'),
      sub('device_b1', ['sms_messages/*'], 'c3'),
      POST('super', recs('sms_messages'), M),
      PATCH('super', recs('sms_messages', M.id), { status: 'sent' }),
      DEL('super', recs('sms_messages', M.id)),
      ev(3, 'c1'),
      ev(3, 'c2'),
      none('c3'),
    ],
    { cleanup: [DEL('super', recs('sms_messages', M.id))] },
  )
  A.flow('a failed create sends nothing', [
    open(),
    sub('alice', [`${C}/*`]),
    POST('alice', recs(C), { user: A1 }),
    none(),
  ])
  A.flow(
    'a rolled back batch sends nothing',
    [
      open(),
      sub('alice', [`${C}/*`]),
      POST('alice', '/api/batch', {
        requests: [
          { method: 'POST', url: recs(C), body: g(20) },
          { method: 'POST', url: recs(C), body: {} },
        ],
      }),
      none(),
    ],
    cl(20),
  )
  A.flow(
    'a batch sends its events',
    [
      open(),
      sub('alice', [`${C}/*`]),
      POST('alice', '/api/batch', {
        requests: [
          { method: 'POST', url: recs(C), body: g(21) },
          { method: 'POST', url: recs(C), body: g(23) },
          { method: 'PATCH', url: recs(C, g(21).id), body: { name: 'later' } },
        ],
      }),
      { ...ev(3), anyOrder: true },
      POST('alice', '/api/batch', {
        requests: [
          { method: 'DELETE', url: recs(C, g(21).id) },
          { method: 'DELETE', url: recs(C, g(23).id) },
        ],
      }),
      { ...ev(2), anyOrder: true },
    ],
    cl(21, 23),
  )
  A.flow(
    'an empty owner is a guest: the event reaches everybody',
    [
      open(),
      sub('guest', ['demo_rules/*']),
      POST('super', recs('demo_rules'), { id: 'tmprealtrule004', title: 'x', level: 8 }),
      DEL('super', recs('demo_rules', 'tmprealtrule004')),
      ev(2),
    ],
    { cleanup: [DEL('super', recs('demo_rules', 'tmprealtrule004'))] },
  )
  A.flow(
    'cascade deletes are announced',
    [
      POST('alice', recs('demo_parent'), { id: 'tmprealtpar0001', name: 'p', owner: A1 }),
      POST('alice', recs('demo_child'), { id: 'tmprealtchi0001', label: 'c', parent: 'tmprealtpar0001' }),
      open(),
      sub('alice', ['demo_child/*']),
      DEL('alice', recs('demo_parent', 'tmprealtpar0001')),
      ev(1),
    ],
    { cleanup: [DEL('super', recs('demo_parent', 'tmprealtpar0001'))] },
  )
  A.flow(
    'emptied references are announced',
    [
      POST('alice', recs('demo_parent'), { id: 'tmprealtpar0002', name: 'p', owner: A1 }),
      POST('alice', recs('demo_setnull'), { id: 'tmprealtset0001', label: 's', ref: 'tmprealtpar0002' }),
      open(),
      sub('alice', ['demo_setnull/*']),
      DEL('alice', recs('demo_parent', 'tmprealtpar0002')),
      ev(1),
    ],
    {
      cleanup: [
        DEL('super', recs('demo_parent', 'tmprealtpar0002')),
        DEL('super', recs('demo_setnull', 'tmprealtset0001')),
      ],
    },
  )
  A.flow('custom topics are accepted and stay silent', [open(), sub('guest', ['my/topic', 'nope/*']), none()])
  A.flow('a connection cannot change hands', [
    open(),
    sub('alice', [`${C}/*`]),
    sub('bob', [`${C}/*`]),
    sub('guest', []),
    sub('alice', []),
  ])
  A.flow(
    'a guest connection may sign in',
    [open(), sub('guest', [`${C}/*`]), sub('alice', [`${C}/*`]), mk(22), ev(1), rm(22), ev(1)],
    cl(22),
  )
  const O = (b, why, as = 'alice') => A.one(POST(as, '/api/realtime', b), why)
  O({}, 'no client id')
  O({ clientId: '' }, 'empty client id')
  O({ clientId: 'nope', subscriptions: [] }, 'unknown client id')
  O({ clientId: 'x'.repeat(256), subscriptions: [] }, 'long client id')
  O({ clientId: 'nope', subscriptions: 'x' }, 'subscriptions is no list')
  O({ clientId: 'nope', subscriptions: ['x'.repeat(2501)] }, 'a topic too long')
  O({ clientId: 'nope', subscriptions: Array.from({ length: 1001 }, (_, i) => `t${i}`) }, 'too many topics')
  A.one(
    REQ('alice', 'POST', '/api/realtime', { raw: '{', headers: { 'content-type': 'application/json' } }),
    'broken JSON',
  )
  A.one(REQ('alice', 'PUT', '/api/realtime', { body: {} }), 'PUT')
  A.one(REQ('alice', 'DELETE', '/api/realtime'), 'DELETE')
}
