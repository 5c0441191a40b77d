import { DEL, GET, PATCH, POST, PUT, qs, REQ, recs } from '../dsl.mjs'

const C = (n) => `/api/collections${n ? `/${n}` : ''}`
export function define(book) {
  const A = book.area('collections')
  const O = (st, why, o) => A.one(st, why, o)
  for (const as of ['guest', 'alice', 'device_a1', 'member']) {
    O(GET(as, C()), `list as ${as}`)
    O(GET(as, C('contacts')), `view as ${as}`)
    O(POST(as, C(), { name: 'x', type: 'base' }), `create as ${as}`)
    O(PATCH(as, C('contacts'), { name: 'x' }), `update as ${as}`)
    O(DEL(as, C('contacts')), `delete as ${as}`)
    O(DEL(as, C('contacts/truncate')), `truncate as ${as}`)
    O(PUT(as, C('import'), { collections: [] }), `import as ${as}`)
    O(GET(as, C('meta/scaffolds')), `scaffolds as ${as}`)
  }
  const names = { filter: 'system = false', sort: 'name', fields: 'id,name,type,system' }
  const L = (p, why) => O(GET('super', C() + qs(p)), why)
  L({ ...names, filter: 'name ~ "demo_" || name ~ "sms_"', perPage: 100 }, 'names')
  L({ ...names, filter: 'type = "auth"' }, 'auth collections')
  L({ ...names, filter: 'type = "view"' }, 'views')
  L({ ...names, filter: 'name = "contacts"' }, 'by name')
  L(
    {
      ...names,
      filter: 'name = "users"',
      fields: 'id,name,listRule,viewRule,createRule,updateRule,deleteRule',
    },
    'rules',
  )
  L({ ...names, filter: 'system = true', sort: 'name' }, 'system collections')
  L({ ...names, filter: 'id = "_pb_users_auth_"' }, 'by id')
  L({ filter: 'listRule = ""' }, 'only some fields can be filtered')
  L({ filter: 'fields ~ "x"' }, 'only some fields can be filtered')
  L({ sort: '-name', filter: 'name ~ "demo_r"', fields: 'name' }, 'sort descending')
  L({ sort: 'nope' }, 'unknown sort')
  L({ sort: 'listRule' }, 'not a sort field')
  L({ perPage: 2, page: 2, sort: 'name', filter: 'name ~ "demo_"', fields: 'name' }, 'paging')
  L({ perPage: 'x' }, 'bad perPage')
  L({ filter: 'name ~ "demo_loc"', skipTotal: 1, fields: 'name' }, 'skipTotal')
  L({ filter: '(((' }, 'syntax error')
  L({ filter: '@collection.users.id != ""' }, '@collection does not exist here')
  L({ filter: 'created > "2020-01-01" && name = "contacts"', fields: 'name' }, 'by date')
  for (const n of [
    'contacts',
    'contact_groups',
    'sms_messages',
    'sms_templates',
    'api_keys',
    'webhooks',
    'sms_usage',
    'devices',
    'users',
    'demo_types',
    'demo_members',
    'demo_view',
    'demo_rules',
    '_superusers',
    '_otps',
  ])
    O(GET('super', C(n), { volatile: { '/created': 'datetime', '/updated': 'datetime' } }), `view ${n}`)
  O(GET('super', C('CONTACTS') + qs({ fields: 'name' })), 'name in another case')
  O(GET('super', C('_pb_users_auth_') + qs({ fields: 'name,type' })), 'by id')
  O(GET('super', C('nope')), 'unknown')
  O(GET('super', C('contacts') + qs({ fields: 'fields.name,fields.type' })), 'fields inside fields')
  O(GET('super', C('contacts/')), 'trailing slash')
  O(
    GET('super', C('meta/scaffolds') + qs({ fields: 'base.fields,base.type,view.type,view.viewQuery' }), {
      volatile: {},
    }),
    'scaffold of base and view',
  )
  O(
    GET(
      'super',
      C('meta/scaffolds') +
        qs({ fields: 'auth.fields.name,auth.fields.type,auth.passwordAuth,auth.authToken,auth.type' }),
    ),
    'scaffold of auth',
  )
  const clean = (...n) => ({ cleanup: n.map((x) => DEL('super', C(x))) })
  const f = (name, type, o = {}) => ({ name, type, ...o })
  A.flow(
    'create, use, change and drop',
    [
      POST('super', C(), {
        name: 'tmp_one',
        type: 'base',
        listRule: '',
        viewRule: '',
        createRule: '',
        fields: [f('title', 'text', { required: true }), f('n', 'number')],
      }),
      POST('guest', recs('tmp_one'), { id: 'tmponerecord001', title: 'a', n: 5 }),
      GET('guest', recs('tmp_one')),
      GET('guest', recs('tmp_one', null, { filter: 'n > 1 && title = "a"' })),
      PATCH('super', C('tmp_one'), { name: 'tmp_two', listRule: '@request.auth.id != ""' }),
      GET('guest', recs('tmp_one')),
      GET('guest', recs('tmp_two')),
      GET('alice', recs('tmp_two')),
      PATCH('super', C('tmp_two'), {
        fields: [
          f('id', 'text', {
            id: 'text3208210256',
            system: true,
            primaryKey: true,
            required: true,
            min: 15,
            max: 15,
            pattern: '^[a-z0-9]+$',
            autogeneratePattern: '[a-z0-9]{15}',
          }),
          f('title', 'text', { id: 'text724990059' }),
          f('extra', 'bool'),
        ],
      }),
      GET('alice', recs('tmp_two')),
      DEL('super', C('tmp_two/truncate')),
      GET('alice', recs('tmp_two')),
      DEL('super', C('tmp_two')),
      GET('alice', recs('tmp_two')),
      DEL('super', C('tmp_two')),
    ],
    clean('tmp_one', 'tmp_two'),
  )
  A.flow('least of a collection', [POST('super', C(), { name: 'tmp_least' })], clean('tmp_least'))
  A.flow(
    'an id of one’s own',
    [
      POST('super', C(), { id: 'tmpownid0000001', name: 'tmp_ownid', type: 'base', fields: [] }),
      GET('super', C('tmpownid0000001') + qs({ fields: 'id,name' })),
    ],
    clean('tmp_ownid'),
  )
  A.flow(
    'an auth collection',
    [
      POST('super', C(), { name: 'tmp_auth', type: 'auth', createRule: '' }),
      POST('guest', recs('tmp_auth'), {
        id: 'tmpauthrec00001',
        email: 'z@z.example',
        password: 'zzzzzzzz',
        passwordConfirm: 'zzzzzzzz',
      }),
      POST(
        'guest',
        '/api/collections/tmp_auth/auth-with-password',
        { identity: 'z@z.example', password: 'zzzzzzzz' },
        { decode: '/body/token' },
      ),
    ],
    clean('tmp_auth'),
  )
  A.flow(
    'a view collection',
    [
      POST('super', C(), {
        name: 'tmp_view',
        type: 'view',
        viewQuery: 'SELECT id, name, rank FROM demo_parent',
        listRule: '',
      }),
      GET('guest', recs('tmp_view', null, { sort: 'id' })),
      DEL('super', C('tmp_view/truncate')),
    ],
    clean('tmp_view'),
  )
  A.flow(
    'every field type',
    [
      POST('super', C(), {
        name: 'tmp_all',
        type: 'base',
        fields: [
          f('a', 'text'),
          f('b', 'number'),
          f('c', 'bool'),
          f('d', 'email'),
          f('e', 'url'),
          f('f', 'date'),
          f('g', 'autodate', { onCreate: true }),
          f('h', 'select', { values: ['x'] }),
          f('i', 'json'),
          f('j', 'editor'),
          f('k', 'geoPoint'),
          f('l', 'relation', { collectionId: '_pb_users_auth_' }),
          f('m', 'file'),
          f('n', 'select', { values: ['x', 'y'], maxSelect: 2 }),
          f('o', 'relation', { collectionId: 'contacts', maxSelect: 9 }),
        ],
        indexes: [
          'CREATE INDEX `idx_tmp_all_a` ON `tmp_all` (`a`)',
          'CREATE UNIQUE INDEX idx_tmp_all_b ON tmp_all (b, c)',
        ],
      }),
      GET('super', C('tmp_all') + qs({ fields: 'indexes,fields.id,fields.name' })),
    ],
    clean('tmp_all'),
  )
  A.flow(
    'a relation blocks dropping its target',
    [
      POST('super', C(), { name: 'tmp_target', type: 'base', fields: [] }, { save: { tid: '/body/id' } }),
      POST('super', C(), {
        name: 'tmp_ref',
        type: 'base',
        fields: [f('r', 'relation', { collectionId: '${tid}' })],
      }),
      DEL('super', C('tmp_target')),
    ],
    clean('tmp_ref', 'tmp_target'),
  )
  A.flow(
    'a unique index over duplicates fails',
    [
      POST('super', C(), { name: 'tmp_dup', type: 'base', fields: [f('a', 'text')] }),
      POST('super', recs('tmp_dup'), { id: 'tmpduprecord001', a: 'x' }),
      POST('super', recs('tmp_dup'), { id: 'tmpduprecord002', a: 'x' }),
      PATCH(
        'super',
        C('tmp_dup'),
        { indexes: ['CREATE UNIQUE INDEX `idx_tmp_dup` ON `tmp_dup` (`a`)'] },
        { volatile: { '/data/indexes/0/message': 'string' } },
      ),
      GET('super', C('tmp_dup') + qs({ fields: 'indexes' })),
    ],
    clean('tmp_dup'),
  )
  A.flow(
    'clearing and setting rules',
    [
      POST('super', C(), { name: 'tmp_rules', type: 'base', listRule: 'id != ""', fields: [f('t', 'text')] }),
      PATCH('super', C('tmp_rules') + qs({ fields: 'listRule,viewRule' }), { listRule: null, viewRule: '' }),
      PATCH('super', C('tmp_rules'), { listRule: 'nope = 1' }),
      PATCH('super', C('tmp_rules'), { listRule: '(((' }),
      PATCH('super', C('tmp_rules'), { listRule: '@request.auth.nope = 1' }),
      PATCH('super', C('tmp_rules') + qs({ fields: 'listRule' }), { listRule: '  t = "x"  ' }),
      PATCH('super', C('tmp_rules') + qs({ fields: 'listRule' }), {
        listRule: '@request.body.t:isset = true && @collection.users.name ?= t',
      }),
    ],
    clean('tmp_rules'),
  )
  const bad = (b, why, o) => O(POST('super', C(), b), why, o)
  bad({}, 'empty')
  bad({ name: '' }, 'empty name')
  bad({ name: 'a b' }, 'blank in the name')
  bad({ name: '1abc-' }, 'dash')
  bad({ name: 'contacts' }, 'name taken')
  bad({ name: 'Contacts' }, 'name taken in another case')
  bad({ name: '_users', type: 'nope' }, 'unknown type')
  bad({ name: 'x'.repeat(256) }, 'long name')
  bad({ name: 'sqlite_x' }, 'sqlite prefix', { tags: ['artefact'] })
  bad({ name: 'a_via_b' }, 'via in the name')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'nope')] }, 'unknown field type')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('', 'text')] }, 'field without name')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'text'), f('A', 'text')] }, 'the same field twice')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a b', 'text')] }, 'bad field name')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('expand', 'text')] }, 'reserved field name')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('null', 'text')] }, 'reserved field name')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'select', { values: [] })] }, 'select without values')
  bad(
    { name: 'tmp_bad', type: 'base', fields: [f('a', 'select', { values: ['x', 'x'] })] },
    'select with repeated values',
  )
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'relation')] }, 'relation without target')
  bad(
    { name: 'tmp_bad', type: 'base', fields: [f('a', 'relation', { collectionId: 'nope' })] },
    'relation to nothing',
  )
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'text', { pattern: '(' })] }, 'broken pattern')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'text', { min: 5, max: 2 })] }, 'min over max')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'number', { min: 5, max: 2 })] }, 'min over max')
  bad({ name: 'tmp_bad', type: 'base', fields: [f('a', 'autodate')] }, 'autodate that is never set')
  bad(
    {
      name: 'tmp_bad',
      type: 'base',
      fields: [f('a', 'email', { onlyDomains: ['x.y'], exceptDomains: ['z.y'] })],
    },
    'both domain lists',
  )
  bad({ name: 'tmp_bad', type: 'base', listRule: 'nope = 1' }, 'unknown field in a rule')
  bad({ name: 'tmp_bad', type: 'base', createRule: 'a = ' }, 'broken rule')
  bad({ name: 'tmp_bad', type: 'base', indexes: ['nope'] }, 'broken index')
  bad(
    { name: 'tmp_bad', type: 'base', indexes: ['CREATE INDEX `i` ON `other` (`id`)'] },
    'index on another table',
    { tags: ['artefact'] },
  )
  bad({ name: 'tmp_bad', type: 'view' }, 'view without query')
  bad({ name: 'tmp_bad', type: 'view', viewQuery: 'DELETE FROM users' }, 'view that is no select', {
    tags: ['artefact'],
  })
  bad({ name: 'tmp_bad', type: 'view', viewQuery: 'SELECT name FROM demo_parent' }, 'view without id', {
    tags: ['artefact'],
  })
  bad(
    { name: 'tmp_bad', type: 'auth', passwordAuth: { enabled: true, identityFields: ['nope'] } },
    'unknown identity field',
  )
  bad({ name: 'tmp_bad', type: 'auth', authToken: { duration: 1 } }, 'token duration too short')
  bad({ id: 'contacts', name: 'tmp_bad' }, 'id taken by another collection')
  bad({ id: 'x y', name: 'tmp_bad' }, 'bad id')
  O(PATCH('super', C('nope'), {}), 'update of nothing')
  O(PATCH('super', C('_superusers'), { name: 'admins' }), 'system collections keep their name')
  O(DEL('super', C('_superusers')), 'system collections stay')
  O(PATCH('super', C('_superusers'), { listRule: '' }), 'rules of _superusers')
  O(DEL('super', C('nope')), 'delete of nothing')
  O(DEL('super', C('nope/truncate')), 'truncate of nothing')
  O(PATCH('super', C('demo_locked'), { type: 'auth' }), 'the type cannot change')
  O(PATCH('super', C('demo_locked'), { name: 'contacts' }), 'name taken')
  O(
    DEL('super', C('demo_parent'), {
      volatile: {
        '/message':
          'regex:^Failed to delete collection probably due to existing reference in (demo_\\w+, ){6}demo_\\w+\\.$',
      },
    }),
    'delete of a referenced collection: all referring collections are named, in any order',
  )
  O(REQ('super', 'POST', C(), { raw: '{', headers: { 'content-type': 'application/json' } }), 'broken JSON')
  A.flow(
    'import adds and updates',
    [
      PUT('super', C('import'), {
        collections: [{ name: 'tmp_imp', type: 'base', fields: [f('a', 'text')] }],
      }),
      GET('super', C('tmp_imp') + qs({ fields: 'id,name,type,fields.name' })),
      PUT('super', C('import'), {
        collections: [{ name: 'tmp_imp', listRule: '', fields: [f('b', 'bool')] }],
      }),
      GET('super', C('tmp_imp') + qs({ fields: 'id,name,listRule,fields.name' })),
    ],
    clean('tmp_imp'),
  )
  A.flow(
    'import is all or nothing',
    [
      PUT(
        'super',
        C('import'),
        {
          collections: [
            { name: 'tmp_imp1', type: 'base', fields: [] },
            { name: 'tmp_imp2', type: 'base', listRule: 'nope = 1', fields: [] },
          ],
        },
        { volatile: { '/data/collections/message': 'string' } },
      ),
      GET('super', C('tmp_imp1')),
    ],
    clean('tmp_imp1', 'tmp_imp2'),
  )
  for (const b of [
    {},
    { collections: [] },
    { collections: null },
    { collections: 'x' },
    { collections: [{}] },
  ])
    O(
      PUT('super', C('import'), b, {
        volatile:
          JSON.stringify(b) === '{"collections":[{}]}' ? { '/data/collections/message': 'string' } : {},
      }),
      `import of ${JSON.stringify(b)}`,
    )
}
