import { ids, iso, pick, rng } from './lib.mjs'

const r = rng(20240517)
const nid = ids(7771)
const T0 = Date.UTC(2024, 2, 4, 8, 15, 30, 120)
let tick = 0
const stamp = (createdMs, updMs) => ({ created: iso(createdMs), updated: iso(updMs ?? createdMs) })
const seq = () => {
  tick += 1
  return stamp(T0 + tick * 3671 * 1000 + tick, T0 + tick * 3671 * 1000 + tick + (tick % 3) * 86400000)
}

export const U = {
  alice: 'usralice0000001',
  bob: 'usrbob000000002',
  carol: 'usrcarol0000003',
  dave: 'usrdave00000004',
}
export const D = {
  a1: 'devpixel8alice1',
  a2: 'devmodemalice02',
  a3: 'devsimualice003',
  b1: 'devgalaxybob001',
  b2: 'devoldonebob002',
  c1: 'devcarolonly001',
}
export const G = {
  fam: 'grpfamilyalice1',
  work: 'grpworkalice002',
  vip: 'grpvipalice0003',
  obrien: 'grpobrienalic04',
  empty: 'grpemptyalice05',
  bteam: 'grpteambob00001',
  bpals: 'grppalsbob00002',
  cg: 'grpcarolgroup01',
}

const fx = {}
fx._superusers = [
  {
    id: 'superadmin00001',
    email: 'admin@example.com',
    password: 'adminpass123',
    emailVisibility: false,
    verified: true,
    ...seq(),
  },
]
fx.users = [
  {
    id: U.alice,
    email: 'alice@example.com',
    password: 'alicepass123',
    emailVisibility: true,
    verified: true,
    name: 'Alice Adams',
    monthly_quota: 1000,
    ...seq(),
  },
  {
    id: U.bob,
    email: 'bob@example.com',
    password: 'bobpass12345',
    emailVisibility: false,
    verified: true,
    name: "Bob O'Brien",
    monthly_quota: 250,
    ...seq(),
  },
  {
    id: U.carol,
    email: 'carol@example.com',
    password: 'carolpass123',
    emailVisibility: false,
    verified: false,
    name: 'Çarol “Quote” Ünal',
    monthly_quota: 0,
    ...seq(),
  },
  {
    id: U.dave,
    email: 'dave@example.com',
    password: 'davepass1234',
    emailVisibility: true,
    verified: false,
    name: '',
    monthly_quota: 5,
    ...seq(),
  },
]
const dev = (id, user, name, o) => ({
  id,
  email: '',
  password: `devpass-${id}`,
  emailVisibility: false,
  verified: false,
  user,
  name,
  phone: '',
  platform: '',
  enabled: false,
  last_seen: '',
  daily_limit: 0,
  push: null,
  ...o,
  ...seq(),
})
fx.devices = [
  dev(D.a1, U.alice, 'Pixel 8', {
    phone: '+4915112345678',
    platform: 'android',
    enabled: true,
    last_seen: '2024-05-20 10:00:00.000Z',
    daily_limit: 500,
    push: { token: 'fcm-1', topic: ['a', 'b'] },
  }),
  dev(D.a2, U.alice, 'Modem – Büro', {
    phone: '+442071838750',
    platform: 'modem',
    enabled: true,
    last_seen: '2024-05-21 23:59:59.999Z',
    daily_limit: 2000,
  }),
  dev(D.a3, U.alice, 'simulator', { platform: 'simulator', enabled: false, daily_limit: 0 }),
  dev(D.b1, U.bob, 'Galaxy S9', {
    phone: '+12025550123',
    platform: 'android',
    enabled: true,
    last_seen: '2024-04-01 00:00:00.000Z',
    daily_limit: 100,
    email: 'galaxy@devices.example',
  }),
  dev(D.b2, U.bob, '100% "old" \\ phone_1', {
    platform: 'other',
    enabled: false,
    last_seen: '2019-12-31 23:59:59.000Z',
  }),
  dev(D.c1, U.carol, 'C-1', { platform: 'android', enabled: true }),
]
const grp = (id, user, name) => ({ id, user, name, ...seq() })
fx.contact_groups = [
  grp(G.fam, U.alice, 'Family'),
  grp(G.work, U.alice, 'Work'),
  grp(G.vip, U.alice, 'VIP ★'),
  grp(G.obrien, U.alice, "O'Brien & Co"),
  grp(G.empty, U.alice, 'Empty 100%'),
  grp(G.bteam, U.bob, 'Team'),
  grp(G.bpals, U.bob, 'Family'),
  grp(G.cg, U.carol, 'Solo'),
]
const con = (user, name, phone, groups, opted_out, data) => ({
  id: nid('con'),
  user,
  name,
  phone,
  groups,
  opted_out,
  data,
  ...seq(),
})
fx.contacts = [
  con(U.alice, 'Zoë Müller', '+4915200000001', [G.fam], false, {
    city: 'Köln',
    age: 34,
    tags: ['x', 'y'],
    nested: { deep: { v: 1 } },
  }),
  con(U.alice, 'Adam', '+4915200000002', [G.fam, G.work], false, { city: 'Berlin', age: 41, tags: [] }),
  con(U.alice, 'adam', '+4915200000003', [G.work], true, { city: 'berlin', age: 7.5, ok: true }),
  con(U.alice, "Siobhán O'Brien", '+353861234567', [G.obrien, G.vip, G.work], false, [1, 2, 3]),
  con(U.alice, '100% off_deals', '+15550000001', [], true, 'just text'),
  con(U.alice, '', '+15550000002', [], false, null),
  con(U.alice, 'back\\slash', '+15550000003', [G.vip], false, 42),
  con(U.alice, 'Ünïcödé 😀', '+819012345678', [G.vip, G.fam], false, true),
  con(U.alice, 'Eve "The Hacker"', '+79161234567', [], false, { note: 'a "quoted" value', n: null }),
  con(U.alice, 'Tab\tName', '+33612345678', [G.work], true, {}),
  con(U.alice, 'José', '+34600000001', [G.fam], false, { city: 'Madrid', age: 0, tags: ['z'] }),
  con(U.alice, 'Li Wei 李伟', '+8613800000000', [G.work, G.vip], false, { list: [{ a: 1 }, { a: 2 }] }),
  con(U.bob, 'Alice', '+15551110001', [G.bteam], false, { city: 'NYC' }),
  con(U.bob, 'Same Phone', '+4915200000001', [G.bteam, G.bpals], false, null),
  con(U.bob, 'mallory', '+15551110003', [], true, { age: 99 }),
  con(U.bob, 'Peggy', '+15551110004', [G.bpals], false, ''),
  con(U.carol, 'Only One', '+905321234567', [G.cg], false, { z: 1 }),
]
const tpl = (user, name, body) => ({ id: nid('tpl'), user, name, body, ...seq() })
fx.sms_templates = [
  tpl(U.alice, 'welcome', 'Hello {{name}}, welcome!'),
  tpl(U.alice, 'Otp', 'Your code is {{code}}. Do not share it.'),
  tpl(U.alice, 'promo 50%', '50% off — today only_!'),
  tpl(U.alice, 'emoji 🎉', 'Party 🎉🎉 at 8'),
  tpl(U.alice, 'multi\nline', 'line one\nline two\r\nline three'),
  tpl(U.alice, 'html', '<p>Hello <b>bold</b> &amp; <i>italic</i></p><script>x()</script>'),
  tpl(U.bob, 'welcome', 'Hi from Bob'),
  tpl(U.bob, 'long', 'x'.repeat(400)),
  tpl(U.carol, 'c', 'c'),
]
const STAT = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'received']
const BODIES = [
  'Hello there',
  'hello again',
  'HELLO LOUD',
  'Your code is 123456',
  "It's 5 o'clock",
  'He said "hi"',
  '100% sure',
  'snake_case_text',
  'path C:\\temp\\new',
  'Schöne Grüße aus Köln',
  'ÉCOLE école',
  'Привет мир',
  'emoji 😀👍',
  '  padded  ',
  'tab\there',
  'line1\nline2',
  'a%b_c\\d',
  '123',
  '0',
  'true',
  'null',
  '2024-05-01',
  '',
  'comma, semi; colon:',
  '{"json":true}',
  '<b>html</b> & more',
  'DROP TABLE sms; --',
  '// not a comment',
  'percent %% double',
  '你好，世界',
  'zzz last',
  'Reminder: pay 20€ by Friday',
  'STOP',
  'stop',
  'Ok',
]
const ERR = [
  '',
  '',
  '',
  'timeout',
  'Timeout: no route',
  'carrier rejected (code 21)',
  'invalid number',
  'quota exceeded 100%',
]
fx.sms_messages = []
const mk = (i, user, devs) => {
  const status = STAT[i % 7 === 6 ? 6 : Math.floor(r() * 6)]
  const incoming = status === 'received'
  const created = Date.UTC(2024, 0, 1) + Math.floor(r() * 200 * 86400000)
  const sent = ['sent', 'delivered'].includes(status) ? created + 1000 + Math.floor(r() * 3600000) : null
  const delivered = status === 'delivered' ? sent + 500 + Math.floor(r() * 60000) : null
  const sched =
    i % 9 === 0
      ? Date.UTC(2099, 0, 1 + (i % 28), 12)
      : i % 11 === 0
        ? Date.UTC(2023, 5, 1 + (i % 28), 0, 0, 0)
        : null
  return {
    id: nid('m'),
    status,
    to: incoming ? '' : `+49151${String(10000000 + Math.floor(r() * 89999999))}`,
    from: incoming ? `+1555${String(1000000 + Math.floor(r() * 8999999))}` : i % 5 === 0 ? 'ACME' : '',
    body: BODIES[i % BODIES.length],
    message_type: incoming ? 'incoming' : 'outgoing',
    device: i % 8 === 3 ? '' : pick(r, devs),
    batch_id: i % 4 === 0 ? `batch-${i % 3}` : i % 13 === 0 ? 'Batch_1' : '',
    segments: i % 6 === 5 ? 0 : 1 + Math.floor(r() * 4),
    priority: pick(r, [0, 0, 0, 1, 5, 10, 127, -1, -128]),
    sim: i % 3,
    scheduled_at: sched ? iso(sched) : '',
    expires_at: i % 10 === 0 ? iso(created + 86400000) : '',
    sent_at: sent ? iso(sent) : '',
    delivered_at: delivered ? iso(delivered) : '',
    error_message: status === 'failed' ? ERR[3 + (i % 5)] : '',
    user,
    ...stamp(created, created + Math.floor(r() * 7200000)),
  }
}
for (let i = 0; i < 74; i++) fx.sms_messages.push(mk(i, U.alice, [D.a1, D.a1, D.a2, D.a3]))
for (let i = 0; i < 36; i++) fx.sms_messages.push(mk(i + 100, U.bob, [D.b1, D.b2]))
for (let i = 0; i < 10; i++) fx.sms_messages.push(mk(i + 200, U.carol, [D.c1]))
// a message of alice's that was sent through a device of bob's (the device is not visible to her)
fx.sms_messages[5].device = D.b1
fx.api_keys = [
  {
    id: nid('key'),
    user: U.alice,
    name: 'ci',
    prefix: 'sk_a1',
    hash: 'h-alice-1',
    expires_at: '',
    last_used_at: '2024-05-01 12:00:00.000Z',
    ...seq(),
  },
  {
    id: nid('key'),
    user: U.alice,
    name: 'old',
    prefix: 'sk_a2',
    hash: 'h-alice-2',
    expires_at: '2020-01-01 00:00:00.000Z',
    last_used_at: '',
    ...seq(),
  },
  {
    id: nid('key'),
    user: U.bob,
    name: 'ci',
    prefix: 'sk_b1',
    hash: 'h-bob-1',
    expires_at: '2099-01-01 00:00:00.000Z',
    last_used_at: '',
    ...seq(),
  },
]
fx.webhooks = [
  {
    id: nid('whk'),
    user: U.alice,
    url: 'https://hooks.example.com/a?x=1&y=2',
    events: ['message.sent', 'message.failed'],
    secret: 'whsec_a',
    enabled: true,
    ...seq(),
  },
  {
    id: nid('whk'),
    user: U.alice,
    url: 'http://localhost:9999/in',
    events: ['message.received'],
    secret: '',
    enabled: false,
    ...seq(),
  },
  {
    id: nid('whk'),
    user: U.alice,
    url: 'https://all.example.com',
    events: ['message.sent', 'message.delivered', 'message.failed', 'message.received'],
    secret: 's',
    enabled: true,
    ...seq(),
  },
  {
    id: nid('whk'),
    user: U.bob,
    url: 'https://bob.example.com',
    events: ['message.delivered'],
    secret: 'b',
    enabled: true,
    ...seq(),
  },
]
fx.sms_usage = [
  ['2024-03', 10, 1000, U.alice],
  ['2024-04', 999, 1000, U.alice],
  ['2024-05', 1000, 1000, U.alice],
  ['2023-12', 0, 0, U.alice],
  ['2024-05', 250, 250, U.bob],
  ['2024-04', 3, 250, U.bob],
  ['2024-05', 0, 0, U.carol],
].map(([period, used, quota, user]) => ({ id: nid('use'), user, period, used, quota, ...seq() }))

export const P = {
  p1: 'parentone000001',
  p2: 'parenttwo000002',
  p3: 'parentthree0003',
  p4: 'parentfour00004',
}
fx.demo_parent = [
  {
    id: P.p1,
    name: 'Parent one',
    owner: U.alice,
    note: 'first note',
    rank: 3,
    office: { lon: 13.405, lat: 52.52 },
    ...seq(),
  },
  {
    id: P.p2,
    name: 'parent two',
    owner: U.bob,
    note: '',
    rank: 1,
    office: { lon: -0.1276, lat: 51.5072 },
    ...seq(),
  },
  {
    id: P.p3,
    name: 'Ünder three',
    owner: U.alice,
    note: '100% _note_',
    rank: -2.5,
    office: { lon: 0, lat: 0 },
    ...seq(),
  },
  {
    id: P.p4,
    name: 'orphan',
    owner: '',
    note: 'nobody',
    rank: 0,
    office: { lon: 151.2093, lat: -33.8688 },
    ...seq(),
  },
]
export const C = {
  c1: 'childone0000001',
  c2: 'childtwo0000002',
  c3: 'childthree00003',
  c4: 'childfour000004',
  c5: 'childfive000005',
}
fx.demo_child = [
  {
    id: C.c1,
    label: 'c-one',
    parent: P.p1,
    weight: 10,
    friends: [P.p1, P.p2],
    labels: ['red', 'green'],
    ...seq(),
  },
  { id: C.c2, label: 'c-two', parent: P.p1, weight: 20.5, friends: [], labels: [], ...seq() },
  { id: C.c3, label: 'c-three', parent: P.p2, weight: -1, friends: [P.p3], labels: ['blue'], ...seq() },
  {
    id: C.c4,
    label: 'C-FOUR',
    parent: P.p3,
    weight: 0,
    friends: [P.p4, P.p1, P.p3],
    labels: ['red', 'green', 'blue', 'white'],
    ...seq(),
  },
  {
    id: C.c5,
    label: 'c five',
    parent: P.p1,
    weight: 10,
    friends: [P.p2, P.p3],
    labels: ['white', 'red'],
    ...seq(),
  },
]
fx.demo_grand = [
  { id: 'grandone0000001', label: 'g1', child: C.c1, ...seq() },
  { id: 'grandtwo0000002', label: 'g2', child: C.c1, ...seq() },
  { id: 'grandthree00003', label: 'g3', child: C.c3, ...seq() },
  { id: 'grandfour000004', label: 'g4', child: '', ...seq() },
]
fx.demo_setnull = [
  { id: 'setnullone00001', label: 's1', ref: P.p1, refs: [P.p1, P.p2], ...seq() },
  { id: 'setnulltwo00002', label: 's2', ref: '', refs: [], ...seq() },
]
fx.demo_block = [{ id: 'blockone0000001', label: 'b1', ref: P.p4, ...seq() }]
const ty = (id, o) => ({
  id,
  title: '',
  slug: '',
  code: 'AAA0000',
  num: 0,
  int_num: 0,
  flag: false,
  mail: '',
  mail_only: '',
  site: '',
  site_only: '',
  day: '',
  touched: '2024-06-01 00:00:00.000Z',
  kind: '',
  tags: [],
  meta: null,
  html: '',
  place: { lon: 0, lat: 0 },
  secret: '',
  rel_one: '',
  rel_many: [],
  ...o,
  ...seq(),
})
fx.demo_types = [
  ty('typesfull000001', {
    title: 'Full record',
    slug: 'full-record',
    code: 'ABC1234',
    num: 12.75,
    int_num: 7,
    flag: true,
    mail: 'a@b.example',
    mail_only: 'x@corp.example',
    site: 'https://ok.example/p?q=1#f',
    site_only: 'http://good.example',
    day: '2024-02-29 12:30:00.000Z',
    kind: 'beta',
    tags: ['two', 'five'],
    meta: { a: 1, b: [true, null, 'x'], c: { d: 'deep' } },
    html: '<h1>Title</h1><p>Some <strong>bold</strong> text &amp; more.</p><ul><li>one</li><li>two</li></ul>',
    place: { lon: 23.3219, lat: 42.6977 },
    secret: 'sesame',
    rel_one: P.p1,
    rel_many: [P.p2, P.p1],
  }),
  ty('typesempty00002', {}),
  ty('typesneg0000003', {
    title: 'Negative',
    slug: 'neg',
    num: -99.5,
    int_num: -3,
    day: '2020-01-01 00:00:00.000Z',
    kind: 'alpha',
    tags: ['one'],
    meta: [],
    html: '<p></p>',
    place: { lon: -179.9, lat: -89.9 },
    rel_one: P.p2,
    rel_many: [P.p3],
  }),
  ty('typesjsonstr004', {
    title: 'json string',
    slug: 'js',
    num: 1000,
    int_num: 42,
    flag: true,
    kind: 'gamma',
    tags: ['one', 'two', 'three'],
    meta: 'plain',
    place: { lon: 13.4, lat: 52.5 },
    secret: 'sesame',
    rel_many: [P.p1, P.p2, P.p3],
  }),
  ty('typesjsonnum005', {
    title: 'json number',
    slug: 'jn',
    num: 0.1,
    int_num: 9007199254740991,
    kind: 'beta',
    tags: ['four'],
    meta: 3.5,
    day: '2099-12-31 23:59:59.000Z',
    html: 'no tags at all',
  }),
  ty('typesjsonbool06', {
    title: 'json bool',
    slug: 'jb',
    num: 1,
    int_num: 1,
    meta: false,
    mail: 'UPPER@Case.Example',
    tags: ['five', 'four'],
  }),
]
fx.demo_required = [
  {
    id: 'required0000001',
    r_text: 'abc',
    r_num: 1,
    r_bool: true,
    r_mail: 'r@example.com',
    r_url: 'https://example.com',
    r_date: '2024-01-01 00:00:00.000Z',
    r_kind: 'x',
    r_tags: ['x', 'z'],
    r_json: { a: 1 },
    r_html: '<p>x</p>',
    r_geo: { lon: 1, lat: 2 },
    r_one: P.p1,
    r_many: [P.p1, P.p2],
    ...seq(),
  },
]
fx.demo_locked = [{ id: 'locked000000001', label: 'closed', ...seq() }]
fx.demo_public = [
  { id: 'public000000001', label: 'first', n: 1, lang: 'en', hush: 'one', ...seq() },
  { id: 'public000000002', label: 'Second', n: 2, lang: 'de', hush: '', ...seq() },
  { id: 'public000000003', label: 'drei', n: 3, lang: 'de', hush: 'three', ...seq() },
  { id: 'public000000004', label: 'fOUR', n: 4, lang: '', hush: 'x', ...seq() },
  { id: 'public000000005', label: 'first', n: 5, lang: 'en', hush: '', ...seq() },
]
fx.demo_rules = [
  {
    id: 'rulesopen000001',
    title: 'open note',
    open: true,
    level: 1,
    kind: 'note',
    hush: 'h1',
    owner: U.alice,
    team: [P.p1, P.p2],
    ...seq(),
  },
  {
    id: 'rulesclosed0002',
    title: 'closed task',
    open: false,
    level: 7,
    kind: 'task',
    hush: 'letmein',
    owner: U.alice,
    team: [P.p1],
    ...seq(),
  },
  {
    id: 'rulesbob0000003',
    title: 'bob log',
    open: false,
    level: 3,
    kind: 'log',
    hush: '',
    owner: U.bob,
    team: [P.p2],
    ...seq(),
  },
  {
    id: 'rulesnobody0004',
    title: 'nobody',
    open: true,
    level: 9,
    kind: '',
    hush: 'zzz',
    owner: '',
    team: [],
    ...seq(),
  },
  {
    id: 'ruleshigh000005',
    title: 'high',
    open: false,
    level: 10,
    kind: 'task',
    hush: 'hi',
    owner: U.carol,
    team: [P.p3, P.p4],
    ...seq(),
  },
]
fx.demo_team_docs = [
  { id: 'teamdoc00000001', title: 'alice team staff', team: P.p1, audience: ['staff'], ...seq() },
  { id: 'teamdoc00000002', title: 'bob team all', team: P.p2, audience: ['all', 'boss'], ...seq() },
  { id: 'teamdoc00000003', title: 'orphan staff', team: P.p4, audience: ['staff', 'boss'], ...seq() },
  { id: 'teamdoc00000004', title: 'no team', team: '', audience: [], ...seq() },
]
fx.demo_members = [
  {
    id: 'memberone000001',
    username: 'member_one',
    email: 'one@members.example',
    password: 'memberpass1',
    emailVisibility: false,
    verified: true,
    nick: 'One',
    banned: false,
    sponsor: U.alice,
    age: 30,
    ...seq(),
  },
  {
    id: 'membertwo000002',
    username: 'member_two',
    email: 'two@members.example',
    password: 'memberpass2',
    emailVisibility: true,
    verified: false,
    nick: '',
    banned: true,
    sponsor: U.bob,
    age: 0,
    ...seq(),
  },
  {
    id: 'memberthree0003',
    username: 'three3',
    email: 'Three.UPPER@Members.example',
    password: 'memberpass3',
    emailVisibility: false,
    verified: false,
    nick: 'no mail',
    banned: false,
    sponsor: '',
    age: 17,
    ...seq(),
  },
]
export const fixtures = fx
export const identities = {
  guest: null,
  super: { collection: '_superusers', identity: 'admin@example.com', password: 'adminpass123' },
  alice: { collection: 'users', identity: 'alice@example.com', password: 'alicepass123' },
  bob: { collection: 'users', identity: 'bob@example.com', password: 'bobpass12345' },
  carol: { collection: 'users', identity: 'carol@example.com', password: 'carolpass123' },
  dave: { collection: 'users', identity: 'dave@example.com', password: 'davepass1234' },
  member: { collection: 'demo_members', identity: 'member_one', password: 'memberpass1' },
  device_a1: { collection: 'devices', id: D.a1, impersonate: 'super' },
  device_b1: { collection: 'devices', id: D.b1, impersonate: 'super' },
}
