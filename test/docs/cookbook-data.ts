/** A record by the readable beginning of its id. */
export type Named = Readonly<Record<string, unknown>>

/** The record that the page itself names by its id. */
const NAMED: Readonly<Record<string, string>> = { 'second-try': 'h4k2m9x7c1v5b3n' }

/** An id that begins with `name`: 15 of [a-z0-9]. */
export const id = (name: string): string =>
  NAMED[name] ?? name.replaceAll('-', '').padEnd(15, '0').slice(0, 15)

const HOUR = 3_600_000
const date = (at: Date) => at.toISOString().replace('T', ' ')
const now = new Date()
const inHours = (hours: number) => date(new Date(now.getTime() + hours * HOUR))
const USER = id('ann')
export const PASSWORD = 'a-long-password'

/** Of a working day, at noon, long ago. */
const LONG_AGO = '2026-02-11 12:00:00.000Z'

function make(name: string, record: Named): Named {
  const created = record.created ?? LONG_AGO
  return { id: id(name), user: USER, created, updated: created, ...record }
}

function message(name: string, record: Named): Named {
  const base = {
    status: 'delivered',
    message_type: 'outgoing',
    to: '+33612345678',
    from: '',
    body: 'Hello',
    segments: 1,
  }
  return make(name, { ...base, device: id('desk'), guarantee: 'at_most_once', ...record })
}

function event(name: string, of: string, status: string, record: Named = {}): Named {
  const { updated: _, ...rest } = make(name, {
    message: id(of),
    status,
    device: id('desk'),
    attempt: 1,
    ...record,
  })
  return rest
}

const person = (name: string, record: Named): Named => {
  const { user: _, ...rest } = make(name, {
    email: `${name}@example.com`,
    verified: true,
    password: PASSWORD,
    ...record,
  })
  return rest
}

const device = (name: string, record: Named): Named =>
  make(name, {
    platform: 'modem',
    enabled: true,
    last_seen: date(now),
    password: PASSWORD,
    ...record,
  })

/**
 * What the recipes are asked about: each question has a record that it is for, and ones that it is not for.
 */
export const FIXTURES: Readonly<Record<string, readonly Named[]>> = {
  users: [
    person('ann', { monthly_quota: 100 }),
    person('ben', { email: 'ben@example.org', monthly_quota: 500 }),
    person('eve', { verified: false, created: '2026-02-12 00:00:00.000Z' }),
  ],
  devices: [
    device('desk', { name: 'desk phone', phone: '+4930111111', daily_limit: 200 }),
    device('kitchen', {
      name: 'kitchen phone',
      platform: 'android',
      phone: '+4930222222',
      last_seen: inHours(-2),
    }),
    device('attic', {
      name: 'attic',
      platform: 'simulator',
      enabled: false,
      last_seen: '',
      per_minute: 1,
    }),
    device('bens', { name: 'modem of Ben', user: id('ben') }),
  ],
  contact_groups: [
    make('customers', { name: 'customers' }),
    make('staff', { name: 'staff' }),
    make('partners', { name: 'partners', user: id('ben') }),
  ],
  contacts: [
    make('anna', {
      name: 'ANNA',
      phone: '+4915112345678',
      groups: [id('customers')],
      data: { city: 'Berlin', lon: 13.4, lat: 52.52 },
    }),
    make('bert', {
      name: 'Bert',
      phone: '+4915100000002',
      groups: [id('customers'), id('staff')],
      data: { city: 'Potsdam', lon: 13.06, lat: 52.4 },
    }),
    make('carl', {
      name: 'Carl',
      phone: '+4915100000003',
      groups: [],
      opted_out: true,
      updated: '2026-03-01 00:00:00.000Z',
    }),
    make('dora', {
      name: 'Dora',
      phone: '+4915100000004',
      groups: [id('staff')],
      opted_out: true,
      updated: '2026-04-01 00:00:00.000Z',
    }),
    make('emil', {
      name: 'Emil',
      phone: '+15550100',
      groups: [id('partners')],
      user: id('ben'),
      data: { city: 'berlin' },
    }),
  ],
  sms_templates: [
    make('withcode', { name: 'sign-in', body: 'Your code is {{code}}.' }),
    make('withname', { name: 'greeting', body: 'Hello {{name}}' }),
  ],
  api_keys: [
    make('fresh', {
      name: 'fresh',
      prefix: 'psk_aaaa',
      hash: 'a',
      last_used_at: '',
      expires_at: inHours(24 * 10),
    }),
    make('used', {
      name: 'used',
      prefix: 'psk_bbbb',
      hash: 'b',
      last_used_at: inHours(-1),
      expires_at: '',
    }),
    make('late', {
      name: 'late',
      prefix: 'psk_cccc',
      hash: 'c',
      last_used_at: inHours(-1),
      expires_at: inHours(24 * 40),
    }),
  ],
  sms_usage: [
    make('annnow', { period: date(now).slice(0, 7), used: 100, quota: 100 }),
    make('annbefore', { period: '2026-02', used: 100, quota: 100 }),
    make('bennow', { user: id('ben'), period: date(now).slice(0, 7), used: 7, quota: 500 }),
  ],
  sms_messages: [
    message('failed-today', { status: 'failed', created: date(now), error_message: 'No signal' }),
    message('failed-before', { status: 'failed', error_message: 'Canceled' }),
    message('silent', {
      status: 'failed',
      error_message: 'Outcome unknown: the device went silent',
    }),
    message('to-anna', { to: '+4915112345678', body: 'Your PARCEL arrives' }),
    message('from-anna', {
      status: 'received',
      message_type: 'incoming',
      from: '+4915112345678',
      to: '+4930111111',
      body: 'Parcels? Which?',
      created: '2026-02-11 13:00:00.000Z',
    }),
    message('from-zoe', {
      status: 'received',
      message_type: 'incoming',
      from: '+33600000001',
      to: '+4930222222',
      device: id('kitchen'),
      body: 'Ok',
      created: '2026-02-11 14:00:00.000Z',
    }),
    message('to-dora', {
      to: '+4915100000004',
      user: id('ben'),
      device: id('bens'),
      client_ref: 'order-7',
    }),
    message('scheduled', {
      status: 'pending',
      device: '',
      scheduled_at: inHours(3),
      expires_at: inHours(4),
      priority: 1,
    }),
    message('next-week', {
      status: 'pending',
      device: '',
      scheduled_at: inHours(24 * 7),
      created: '2026-02-11 11:00:00.000Z',
    }),
    message('stuck', {
      status: 'assigned',
      device: id('kitchen'),
      created: inHours(-2),
      expires_at: inHours(0.5),
      priority: 9,
    }),
    message('just-now', { status: 'sending', created: date(now), client_ref: 'order-1042' }),
    message('unreported', { status: 'sent', sent_at: inHours(-25) }),
    message('reported-soon', { status: 'sent', sent_at: inHours(-1) }),
    message('in-batch', { batch_id: 'q0w9e8r7t6y5u4i', to: '+33600000003' }),
    message('in-batch-too', { batch_id: 'q0w9e8r7t6y5u4i', to: '+33600000002' }),
    message('second-try', { device: id('kitchen') }),
    message('long', { segments: 4, body: 'x'.repeat(500) }),
    message('longer', { segments: 7, body: 'x'.repeat(1000) }),
    message('in-march', { created: '2026-03-31 20:59:59.999Z' }),
    message('in-april', { created: '2026-04-01 00:00:00.000Z' }),
    message('at-night', { created: '2026-02-12 05:59:00.000Z' }),
    message('on-sunday', { created: '2026-02-15 12:00:00.000Z' }),
  ],
  sms_events: [
    event('n1', 'second-try', 'assigned'),
    event('n2', 'second-try', 'assigned', { attempt: 2, device: id('kitchen') }),
    event('n3', 'failed-today', 'assigned', { created: date(now) }),
    event('n4', 'failed-today', 'failed', { created: date(now) }),
    event('n5', 'failed-before', 'failed', { device: '' }),
    event('n6', 'silent', 'failed', { device: id('kitchen') }),
  ],
  webhooks: [
    make('failures', {
      url: 'https://example.com/a',
      events: ['message.failed', 'message.delivered'],
      enabled: true,
      secret: 's',
    }),
    make('deliveries', {
      url: 'https://example.com/b',
      events: ['message.delivered'],
      enabled: true,
      secret: 's',
    }),
    make('off', {
      url: 'https://example.com/c',
      events: ['message.failed'],
      enabled: false,
      secret: 's',
    }),
  ],
  webhook_deliveries: [
    make('gaveup', {
      webhook: id('failures'),
      event_id: 'e1',
      event: 'message.failed',
      status: 'failed',
      attempts: 10,
    }),
    make('later', {
      webhook: id('failures'),
      event_id: 'e2',
      event: 'message.failed',
      status: 'delivered',
      attempts: 2,
      created: '2026-02-12 12:00:00.000Z',
    }),
    make('atonce', {
      webhook: id('failures'),
      event_id: 'e3',
      event: 'message.failed',
      status: 'delivered',
      attempts: 1,
    }),
  ],
}
