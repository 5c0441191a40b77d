import { DEL, GET, PATCH, POST, REQ, recs } from '../dsl.mjs'
export function define(book) {
  const A = book.area('rules')
  const who = ['guest', 'alice', 'bob', 'carol', 'member', 'device_a1', 'super']
  const p = { sort: 'id', fields: 'id,title' }
  for (const as of who) {
    A.list(as, 'demo_rules', p, `list rule as ${as}`)
    A.list(as, 'demo_team_docs', p, `list rule with joins as ${as}`)
    A.list(as, 'demo_locked', { sort: 'id' }, `locked as ${as}`)
    A.list(as, 'demo_parent', { sort: 'id', fields: 'id' }, `signed-in rule as ${as}`)
  }
  for (const as of ['guest', 'bob']) {
    A.list(as, 'demo_rules', p, `header opens more as ${as}`, { headers: { 'X-Level': '9' } })
    A.list(as, 'demo_rules', p, `header with another value as ${as}`, { headers: { 'X-Level': '8' } })
    A.list(as, 'demo_rules', p, 'header with underscore', { headers: { X_Level: '9' } })
  }
  for (const as of ['guest', 'alice', 'bob', 'super'])
    for (const id of ['rulesopen000001', 'rulesclosed0002', 'rulesbob0000003', 'ruleshigh000005'])
      A.view(as, 'demo_rules', id, undefined, `view rule as ${as}`)
  A.view('guest', 'demo_rules', 'rulesopen000001', { peek: 'no' }, '@request.query closes it')
  A.view(
    'guest',
    'demo_rules',
    'rulesclosed0002',
    { code: 'letmein' },
    '@request.query against a hidden field',
  )
  A.view('guest', 'demo_rules', 'rulesclosed0002', { code: 'wrong' }, 'wrong code')
  A.view('guest', 'demo_rules', 'rulesbob0000003', { code: '' }, 'an empty code equals an empty field')
  A.view('bob', 'demo_rules', 'ruleshigh000005', { code: 'hi' }, 'code as a user')
  A.view('guest', 'demo_rules', 'rulesbob0000003', undefined, 'a missing query value equals an empty field')
  for (const as of ['guest', 'alice', 'bob', 'carol', 'super'])
    for (const id of ['teamdoc00000001', 'teamdoc00000002', 'teamdoc00000003', 'teamdoc00000004'])
      A.view(as, 'demo_team_docs', id, undefined, `view rule with :each as ${as}`)
  A.list('bob', 'demo_rules', { filter: 'level > 5', sort: 'id', fields: 'id' }, 'filter inside the rule')
  A.list(
    'bob',
    'demo_rules',
    { filter: 'owner = "usralice0000001" || 1=1', sort: 'id', fields: 'id' },
    'a filter cannot widen the rule',
  )
  A.list(
    'bob',
    'demo_rules',
    { filter: 'owner.name ~ "a"', sort: 'id', fields: 'id' },
    'a filter through a relation is bound by its list rule',
  )
  A.list(
    'alice',
    'demo_rules',
    { filter: 'team.owner = "usrbob000000002"', sort: 'id', fields: 'id' },
    'team of bob',
  )
  A.list(
    'alice',
    'demo_rules',
    { filter: 'team.owner ?= "usrbob000000002"', sort: 'id', fields: 'id' },
    'team of bob, any',
  )
  A.list('guest', 'demo_rules', { filter: 'hush = "h1"' }, 'hidden field in a filter')
  A.list(
    'guest',
    'demo_rules',
    { filter: 'team.name = "Parent one"', sort: 'id', fields: 'id' },
    'relation a guest cannot see',
  )
  A.list(
    'guest',
    'demo_types',
    { filter: 'rel_one.name != ""', sort: 'id', fields: 'id' },
    'relation a guest cannot see',
  )
  A.list('alice', 'demo_team_docs', { filter: 'demo_locked_via_x.id = ""' }, 'unknown back-relation')
  // create
  const R = (i, o = {}) => ({
    id: `tmprules${String(i).padStart(7, '0')}`,
    title: 't',
    level: 3,
    owner: 'usralice0000001',
    ...o,
  })
  A.create('alice', 'demo_rules', R(1), 'rule holds')
  A.create(
    'alice',
    'demo_rules',
    R(2, { level: 10, team: ['parentone000001'], hush: 'q', open: true }),
    'at the limit',
  )
  A.bad('alice', 'demo_rules', R(3, { level: 11 }), 'level too high')
  A.bad('alice', 'demo_rules', R(3, { level: undefined }), 'level not sent')
  A.create('alice', 'demo_rules', R(3, { level: null }), 'level sent as null is set')
  A.bad('alice', 'demo_rules', R(4, { owner: 'usrbob000000002' }), 'another owner')
  A.bad('alice', 'demo_rules', R(4, { owner: undefined }), 'no owner')
  A.bad('alice', 'demo_rules', R(4, { title: 'forbidden' }), 'forbidden title')
  A.create('alice', 'demo_rules', R(4, { title: 'Forbidden' }), 'case matters')
  A.bad('guest', 'demo_rules', R(5), 'guest')
  A.bad('guest', 'demo_rules', R(5, { owner: '' }), 'guest without owner')
  A.create(
    'super',
    'demo_rules',
    R(5, { level: 99, owner: 'usrbob000000002', title: 'forbidden' }),
    'the superuser is above the rules',
  )
  A.create('alice', 'demo_rules', R(6, { level: '7' }), 'number as text in a rule')
  A.bad('alice', 'demo_rules', R(7, { level: '70' }), 'number as text in a rule')
  A.bad('alice', 'demo_rules', R(7, { level: 'abc', kind: 'nope' }), 'text in a number field')
  A.flow(
    'multipart number in a rule',
    [
      REQ('alice', 'POST', recs('demo_rules'), {
        multipart: [
          ['id', R(8).id],
          ['owner', 'usralice0000001'],
          ['level', '9'],
          ['title', 'x'],
        ],
      }),
      REQ('alice', 'POST', recs('demo_rules'), {
        multipart: [
          ['id', R(9).id],
          ['owner', 'usralice0000001'],
          ['level', '90'],
          ['title', 'x'],
        ],
      }),
    ],
    { cleanup: [DEL('super', recs('demo_rules', R(8).id)), DEL('super', recs('demo_rules', R(9).id))] },
  )
  // update
  A.on('demo_rules', R(20), 'update rule', [
    PATCH('alice', recs('demo_rules', R(20).id), { title: 'n' }),
    PATCH('alice', recs('demo_rules', R(20).id), { level: 5 }),
    PATCH('alice', recs('demo_rules', R(20).id), { level: 4 }),
    PATCH('alice', recs('demo_rules', R(20).id), { level: 5, title: 'same' }),
    PATCH('alice', recs('demo_rules', R(20).id), { 'level+': 1 }),
    PATCH('alice', recs('demo_rules', R(20).id), { 'level-': 3 }),
    PATCH('alice', recs('demo_rules', R(20).id), { owner: 'usralice0000001' }),
    PATCH('alice', recs('demo_rules', R(20).id), { owner: 'usrbob000000002' }),
    PATCH('alice', recs('demo_rules', R(20).id), { owner: '' }),
    PATCH('bob', recs('demo_rules', R(20).id), { title: 'x' }),
    PATCH('guest', recs('demo_rules', R(20).id), { title: 'x' }),
    GET('super', recs('demo_rules', R(20).id)),
    DEL('alice', recs('demo_rules', R(20).id)),
    PATCH('super', recs('demo_rules', R(20).id), { level: 1 }),
    DEL('bob', recs('demo_rules', R(20).id)),
    DEL('alice', recs('demo_rules', R(20).id)),
    GET('super', recs('demo_rules', R(20).id)),
  ])
  A.on('demo_rules', R(21, { open: true }), 'public to read, closed to change', [
    GET('guest', recs('demo_rules', R(21).id)),
    PATCH('guest', recs('demo_rules', R(21).id), { title: 'x' }),
    DEL('guest', recs('demo_rules', R(21).id)),
    PATCH('bob', recs('demo_rules', R(21).id), { title: 'x' }),
    DEL('bob', recs('demo_rules', R(21).id)),
    DEL('super', recs('demo_rules', R(21).id)),
  ])
  A.on('demo_rules', R(22, { level: 7 }), 'delete rule looks at the record', [
    DEL('alice', recs('demo_rules', R(22).id)),
    GET('alice', recs('demo_rules', R(22).id)),
  ])
  const D = (i, o = {}) => ({
    id: `tmpteam${String(i).padStart(8, '0')}`,
    title: 'd',
    team: 'parentone000001',
    audience: ['staff'],
    ...o,
  })
  A.create('alice', 'demo_team_docs', D(1), 'create rule through a relation')
  A.bad('bob', 'demo_team_docs', D(2), 'not his team')
  A.bad('alice', 'demo_team_docs', D(2, { audience: ['staff', 'boss'] }), ':each in a create rule')
  A.bad('alice', 'demo_team_docs', D(2, { audience: [] }), ':each over nothing')
  A.bad('alice', 'demo_team_docs', D(2, { team: '' }), 'no team')
  A.bad('alice', 'demo_team_docs', D(2, { team: 'nonexistent0000' }), 'unknown team')
  A.on('demo_team_docs', D(3), 'update and delete rules', [
    PATCH('alice', recs('demo_team_docs', D(3).id), { title: 'a' }),
    PATCH('bob', recs('demo_team_docs', D(3).id), { title: 'b' }),
    PATCH('alice', recs('demo_team_docs', D(3).id), { team: 'parenttwo000002', audience: ['boss'] }),
    DEL('alice', recs('demo_team_docs', D(3).id)),
    DEL('bob', recs('demo_team_docs', D(3).id)),
    GET('alice', recs('demo_team_docs', D(3).id)),
  ])
  for (const as of ['guest', 'alice', 'device_a1', 'member']) {
    A.one(GET(as, recs('demo_locked', 'locked000000001')), `locked view as ${as}`)
    A.one(POST(as, recs('demo_locked'), { label: 'x' }), `locked create as ${as}`)
    A.one(PATCH(as, recs('demo_locked', 'locked000000001'), { label: 'x' }), `locked update as ${as}`)
    A.one(DEL(as, recs('demo_locked', 'locked000000001')), `locked delete as ${as}`)
  }
  for (const as of ['guest', 'bob', 'device_a1', 'member'])
    for (const [c, id] of [
      ['contacts', 'x'],
      ['contact_groups', 'grpfamilyalice1'],
      ['devices', 'devpixel8alice1'],
      ['users', 'usralice0000001'],
    ]) {
      const rid = c === 'contacts' ? null : id
      if (rid) {
        A.one(PATCH(as, recs(c, rid), { name: 'x' }), `${c} of alice: update as ${as}`)
        A.one(DEL(as, recs(c, rid)), `${c} of alice: delete as ${as}`)
      } else
        A.one(
          POST(as, recs(c), { user: 'usralice0000001', phone: '+4999' }),
          `${c} for alice: create as ${as}`,
        )
    }
}
