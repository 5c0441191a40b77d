import { DEL, GET, PATCH, POST, REQ, recs } from '../dsl.mjs'

const A1 = 'usralice0000001'
export function define(book) {
  const A = book.area('batch')
  const B = (as, requests, o = {}) => POST(as, '/api/batch', { requests }, o)
  const url = (c, id) => recs(c, id)
  const g = (i, o = {}) => ({
    id: `tmpbatch${String(i).padStart(7, '0')}`,
    user: A1,
    name: `batch ${i}`,
    ...o,
  })
  const C = 'contact_groups'
  const clean = (...is) => ({ cleanup: is.map((i) => DEL('super', recs(C, g(i).id))) })
  A.flow(
    'create, update and delete in one go',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(1) },
        { method: 'PATCH', url: url(C, g(1).id), body: { name: 'renamed' } },
        { method: 'POST', url: url(C), body: g(2) },
        { method: 'DELETE', url: url(C, g(2).id) },
      ]),
      GET('alice', recs(C, g(1).id)),
      GET('alice', recs(C, g(2).id)),
    ],
    clean(1, 2),
  )
  A.flow(
    'upsert',
    [
      B('alice', [
        { method: 'PUT', url: url(C), body: g(3) },
        { method: 'PUT', url: url(C), body: g(3, { name: 'again' }) },
      ]),
      GET('alice', recs(C, g(3).id)),
    ],
    clean(3),
  )
  A.flow('upsert without id creates', [
    B('super', [{ method: 'PUT', url: url('demo_public'), body: { label: 'made' } }], {
      save: { rid: '/body/0/body/id' },
    }),
    DEL('super', recs('demo_public', '${rid}')),
  ])
  A.flow(
    'one failure rolls everything back',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(4) },
        { method: 'POST', url: url(C), body: { user: A1 } },
      ]),
      GET('alice', recs(C, g(4).id)),
    ],
    clean(4),
  )
  A.flow(
    'a rule denial rolls back',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(5) },
        { method: 'POST', url: url(C), body: g(6, { user: 'usrbob000000002' }) },
      ]),
      GET('alice', recs(C, g(5).id)),
    ],
    clean(5, 6),
  )
  A.flow(
    'a missing record rolls back',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(7) },
        { method: 'DELETE', url: url(C, 'nonexistent0000') },
      ]),
      GET('alice', recs(C, g(7).id)),
    ],
    clean(7),
  )
  A.flow(
    'a unique violation inside the batch',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(8) },
        { method: 'POST', url: url(C), body: g(9, { name: g(8).name }) },
      ]),
      GET('alice', recs(C, g(8).id)),
    ],
    clean(8, 9),
  )
  A.flow(
    'later requests see earlier ones',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(10) },
        {
          method: 'POST',
          url: url('contacts'),
          body: { id: 'tmpbatchcont001', user: A1, phone: '+49777', groups: [g(10).id] },
        },
        { method: 'DELETE', url: url(C, g(10).id) },
      ]),
      GET('alice', recs('contacts', 'tmpbatchcont001')),
    ],
    { cleanup: [DEL('super', recs(C, g(10).id)), DEL('super', recs('contacts', 'tmpbatchcont001'))] },
  )
  A.flow(
    'expand and fields in the url',
    [
      B('alice', [
        { method: 'POST', url: `${url(C)}?expand=user&fields=id,expand.user.name`, body: g(11) },
        { method: 'PATCH', url: `${url(C, g(11).id)}?fields=name`, body: { name: 'n' } },
      ]),
    ],
    clean(11),
  )
  A.flow(
    'headers of an inner request',
    [
      B('alice', [
        { method: 'POST', url: url(C), body: g(12), headers: { 'X-Level': '9', authorization: 'garbage' } },
      ]),
    ],
    clean(12),
  )
  A.flow(
    'open collection as guest',
    [
      B('guest', [
        { method: 'POST', url: url('demo_public'), body: { id: 'tmpbatchpub0001', label: 'x' } },
        { method: 'DELETE', url: url('demo_public', 'tmpbatchpub0001') },
      ]),
    ],
    { cleanup: [DEL('super', recs('demo_public', 'tmpbatchpub0001'))] },
  )
  A.flow(
    'modifiers',
    [
      POST('super', recs('demo_types'), { id: 'tmpbatchtyp0001', code: 'AAA0000', num: 1, tags: ['one'] }),
      B('alice', [
        { method: 'PATCH', url: url('demo_types', 'tmpbatchtyp0001'), body: { 'num+': 2 } },
        { method: 'PATCH', url: url('demo_types', 'tmpbatchtyp0001'), body: { 'num+': 2, 'tags+': 'two' } },
      ]),
    ],
    { cleanup: [DEL('super', recs('demo_types', 'tmpbatchtyp0001'))] },
  )
  A.flow(
    'cascade inside a batch',
    [
      B('alice', [
        { method: 'POST', url: url('demo_parent'), body: { id: 'tmpbatchpar0001', name: 'p', owner: A1 } },
        {
          method: 'POST',
          url: url('demo_child'),
          body: { id: 'tmpbatchchi0001', label: 'c', parent: 'tmpbatchpar0001' },
        },
        { method: 'DELETE', url: url('demo_parent', 'tmpbatchpar0001') },
      ]),
      GET('alice', recs('demo_child', 'tmpbatchchi0001')),
    ],
    { cleanup: [DEL('super', recs('demo_parent', 'tmpbatchpar0001'))] },
  )
  const O = (st, why, o) => A.one(st, why, o)
  O(POST('alice', '/api/batch', {}), 'no requests')
  O(B('alice', []), 'empty requests')
  O(POST('alice', '/api/batch', { requests: 'x' }), 'requests is no list')
  O(POST('alice', '/api/batch', { requests: [1] }), 'a number as request')
  O(POST('alice', '/api/batch', { requests: [null] }), 'null as request', { tags: ['artefact'] })
  O(
    REQ('alice', 'POST', '/api/batch', { raw: '{', headers: { 'content-type': 'application/json' } }),
    'broken JSON',
  )
  O(REQ('alice', 'POST', '/api/batch'), 'no body')
  O(GET('alice', '/api/batch'), 'GET')
  O(B('alice', [{}]), 'empty request')
  O(B('alice', [{ method: 'GET', url: url(C) }]), 'GET is not allowed inside')
  O(
    B('alice', [
      {
        method: 'POST',
        url: '/api/collections/users/auth-with-password',
        body: { identity: 'alice@example.com', password: 'alicepass123' },
      },
    ]),
    'sign-in is not allowed inside',
  )
  O(
    B('alice', [{ method: 'POST', url: '/api/batch', body: { requests: [] } }]),
    'a batch is not allowed inside',
  )
  O(
    B('super', [{ method: 'DELETE', url: '/api/collections/demo_public' }]),
    'collections are not allowed inside',
  )
  O(
    B('alice', [
      { method: 'POST', url: 'https://other.example/api/collections/contact_groups/records', body: {} },
    ]),
    'absolute url',
  )
  O(B('alice', [{ method: 'post', url: url(C), body: {} }]), 'lower-case method')
  O(B('alice', [{ url: url(C), body: {} }]), 'method missing')
  O(B('alice', [{ method: 'POST', body: {} }]), 'url missing')
  O(B('alice', [{ method: 'POST', url: url('nope'), body: {} }]), 'unknown collection')
  O(B('alice', [{ method: 'POST', url: url(C) }]), 'inner body missing')
  O(B('alice', [{ method: 'POST', url: url(C), body: 'x' }]), 'inner body a string')
  O(B('alice', [{ method: 'DELETE', url: url(C, 'grpteambob00001') }]), "another user's record")
  O(B('guest', [{ method: 'POST', url: url(C), body: g(13) }]), 'as guest')
  O(B('alice', [{ method: 'POST', url: url('sms_messages'), body: {} }]), 'superuser only')
  O(
    B('alice', [
      { method: 'POST', url: url(C), body: { user: A1, name: 'Family' } },
      { method: 'POST', url: url(C), body: {} },
    ]),
    'two failures: the first is reported',
  )
  O(B('alice', [{ method: 'PATCH', url: url(C, g(14).id), body: {} }]), 'update of a missing record')
  O(
    B('alice', [{ method: 'POST', url: '/api/collections/contact_groups/records/', body: {} }]),
    'trailing slash',
  )
  O(
    B('alice', [{ method: 'POST', url: '/api/collections/contact_groups/records/x', body: {} }]),
    'POST on a record',
  )
  O(B('alice', [{ method: 'PUT', url: url(C, 'grpfamilyalice1'), body: {} }]), 'PUT on a record')
  O(B('alice', [{ method: 'HEAD', url: url(C) }]), 'HEAD')
  O(
    B(
      'guest',
      Array.from({ length: 51 }, (_, i) => ({
        method: 'POST',
        url: url('demo_locked'),
        body: { label: `${i}` },
      })),
    ),
    '51 requests: one too many',
  )
  O(
    B(
      'guest',
      Array.from({ length: 50 }, (_, i) => ({
        method: 'POST',
        url: url('demo_locked'),
        body: { label: `${i}` },
      })),
    ),
    '50 requests are allowed, the first fails',
  )
  A.flow('50 creates', [
    B(
      'super',
      Array.from({ length: 50 }, (_, i) =>
        i % 2
          ? { method: 'DELETE', url: url('demo_public', `tmpbatch50x${String(i - 1).padStart(4, '0')}`) }
          : {
              method: 'POST',
              url: `${url('demo_public')}?fields=id`,
              body: { id: `tmpbatch50x${String(i).padStart(4, '0')}`, label: 'x' },
            },
      ),
    ),
  ])
  O(
    REQ('alice', 'POST', '/api/batch', {
      multipart: [
        ['@jsonPayload', JSON.stringify({ requests: [{ method: 'POST', url: url(C), body: { user: A1 } }] })],
      ],
    }),
    'multipart with @jsonPayload',
  )
  A.flow(
    'switched off',
    [
      PATCH('super', '/api/settings?fields=batch', { batch: { enabled: false } }),
      B('alice', [{ method: 'POST', url: url(C), body: {} }]),
      B('super', []),
      PATCH('super', '/api/settings?fields=batch', { batch: { enabled: true } }),
    ],
    { cleanup: [PATCH('super', '/api/settings', { batch: { enabled: true } })], tags: ['settings'] },
  )
  A.flow(
    'a lower limit',
    [
      PATCH('super', '/api/settings?fields=batch', { batch: { maxRequests: 2 } }),
      B(
        'guest',
        [1, 2, 3].map(() => ({ method: 'POST', url: url('demo_locked'), body: {} })),
      ),
      PATCH('super', '/api/settings?fields=batch', { batch: { maxRequests: 50 } }),
    ],
    { cleanup: [PATCH('super', '/api/settings', { batch: { maxRequests: 50 } })], tags: ['settings'] },
  )
}
