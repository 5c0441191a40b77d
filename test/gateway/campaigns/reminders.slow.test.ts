import { loadUsage } from '../../../src/gateway/base/quota-usage.ts'
import { readCampaignChange } from '../../../src/gateway/campaigns/campaign-body.ts'
import { loadCampaignProgress } from '../../../src/gateway/campaigns/campaign-progress.ts'
import { changeCampaign } from '../../../src/gateway/campaigns/change-campaign.ts'
import { loadStoredReminders } from '../../../src/gateway/campaigns/next-reminders.ts'
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from '../../../src/gateway/campaigns/pause-resume-cancel.ts'
import { retryCampaign } from '../../../src/gateway/campaigns/retry-campaign.ts'
import { endUnfinishedTexts } from '../../../src/gateway/messages/queue/fail-after-restore.ts'
import { listFieldUses } from '../../../src/gateway/people/contact-field-uses.ts'
import { update } from '../../support/collection-store.ts'
import { openReminderFixture } from './reminder-fixture.ts'

const fixture = await openReminderFixture()
const { rows, user, permit, nodes, book, move, make, workAt, told, stateOf } = fixture
const [one, two] = nodes
const DAY_BEFORE = { offset: { days: 1, at: '18:00' } }
const TWO_HOURS = { offset: { hours: 2 } }
const RULE = 'owner = @request.auth.id && hidden != true'

beforeEach(() => fixture.begin('2027-03-20T12:00:00Z'))

test('a text leaves once before each date, by the clocks of the account, also over summer time', async () => {
  await book('winter', '2027-03-28T00:30:00Z')
  await book('summer', '2027-03-29T08:00:00Z', { phone: '0151 12340002' })
  const id = await make(DAY_BEFORE)
  await workAt('2027-03-26T17:59:00Z')
  await workAt('2027-03-27T16:59:00Z')
  expect(await told(id)).toEqual([])
  await workAt('2027-03-27T17:00:00Z')
  await workAt('2027-03-27T17:10:00Z')
  expect(await told(id)).toEqual(['winter +4915112340001 pending: Until 01:30'])
  await workAt('2027-03-28T16:00:00Z')
  await workAt('2027-03-28T17:00:00Z')
  expect(await told(id)).toEqual([
    'winter +4915112340001 pending: Until 01:30',
    'summer +4915112340002 pending: Until 10:00',
  ])
})

test('a booking of the last minute gets its text at once, and a past booking gets no text', async () => {
  const id = await make(DAY_BEFORE)
  await workAt('2027-03-20T18:00:00Z')
  await book('late', '2027-03-21T09:00:00Z')
  await book('past', '2027-03-20T17:00:00Z')
  await workAt('2027-03-20T18:10:00Z')
  expect(await told(id)).toEqual([
    'late +4915112340001 pending: Until 10:00',
    'past +4915112340001 The date has passed',
  ])
  const weekly = await make({ offset: { days: 7, at: '18:00' } })
  await workAt('2027-03-20T18:20:00Z')
  expect(await told(weekly)).toEqual(['late +4915112340001 More than 24 hours late'])
})

test('a moved booking moves its text, a deleted one ends it, and one that moves back gets it again', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await book(id, '2027-03-21T10:00:00Z')
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T07:00:00Z')
  await move('a', '2027-03-21T12:00:00Z')
  await rows(`delete from bookings where id = 'b'`)
  await workAt('2027-03-21T08:00:00Z')
  expect(await told(id)).toEqual([
    'c +4915112340001 pending: Until 11:00',
    'd +4915112340001 pending: Until 11:00',
  ])
  // no device has fetched these two
  await move('c', '2027-03-21T11:00:00Z')
  await rows(`update bookings set phone = '+4915112340009' where id = 'd'`)
  await workAt('2027-03-21T08:01:00Z')
  await move('c', '2027-03-21T10:00:00Z')
  await workAt('2027-03-21T08:02:00Z')
  expect(await told(id)).toEqual([
    ' +4915112340001 The record was changed',
    ' +4915112340001 The record was changed',
    'd +4915112340009 pending: Until 11:00',
    'c +4915112340001 pending: Until 11:00',
  ])
  expect(await rows(`select "to", status, error_message from sms_messages order by 1, 2`)).toEqual([
    ['+4915112340001', 'failed', 'Canceled'],
    ['+4915112340001', 'failed', 'Canceled'],
    ['+4915112340001', 'pending', ''],
    ['+4915112340009', 'pending', ''],
  ])
  await workAt('2027-03-21T10:00:00Z')
  expect((await told(id)).filter((row) => row.startsWith('a'))).toEqual([
    'a +4915112340001 pending: Until 13:00',
  ])
})

test('only bookings that the list rule shows to the owner have texts, when these leave', async () => {
  await book('mine', '2027-03-21T10:00:00Z')
  await book('theirs', '2027-03-21T10:00:00Z', { owner: 'theirs000000000' })
  await book('hidden', '2027-03-21T10:00:00Z', { hidden: true })
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:00Z')
  expect(await told(id)).toEqual(['mine +4915112340001 pending: Until 11:00'])
  await rows(`update bookings set hidden = true where id = 'mine'`)
  await workAt('2027-03-21T08:01:00Z')
  const gone = ' +4915112340001 The record was deleted or is not shown any more'
  expect(await told(id)).toEqual([gone])
  // an open rule shows the bookings of all accounts: the relation says whose they are
  await update(one.store, 'bookings', { listRule: '' })
  await workAt('2027-03-21T08:02:00Z')
  expect((await told(id)).toSorted()).toEqual([
    gone,
    'hidden +4915112340001 pending: Until 11:00',
    'mine +4915112340001 pending: Until 11:00',
  ])
  await update(one.store, 'bookings', { listRule: null })
  await expect.poll(() => two.store.catalog.find('bookings')!.listRule).toBe(null)
  await workAt('2027-03-21T08:03:00Z')
  expect(await stateOf(id)).toBe(
    'repeating reminder.collection names none whose records your account may list',
  )
  expect(await rows(`select distinct status from sms_messages`)).toEqual([['failed']])
  await update(one.store, 'bookings', { listRule: RULE })
  await expect.poll(() => two.store.catalog.find('bookings')!.listRule).toBe(RULE)
  await workAt('2027-03-21T08:20:00Z')
  expect(await stateOf(id)).toBe('repeating')
})

test('a booking that gets no text is shown with the reason, and counted', async () => {
  await rows(
    `insert into contacts (id, "user", phone, name, opted_out) values
     ('contact00000001', $1, '+4915112340005', 'Dana', false), ('contact00000002', $1, '+4915112340006', 'Eva', true),
     ('contact00000003', 'theirs000000000', '+4915112340007', 'Max', false)`,
    [user],
  )
  const start = '2027-03-21T10:00:00Z'
  await book('a', start, { contact: 'contact00000001', room: '4' })
  await book('b', start, { contact: 'contact00000002', room: '4' })
  await book('c', start, { contact: 'contact00000003', room: '4' })
  await book('d', start, { contact: 'contact00000001' })
  await book('e', '2027-03-21T00:00:00Z', { contact: 'contact00000001', room: '4' })
  const body = 'Hi {{name}}: {{room}}, {{start:day}}'
  const id = await make({ ...TWO_HOURS, phone: 'contact' }, { body })
  await workAt('2027-03-21T08:00:00Z')
  expect((await told(id)).toSorted()).toEqual([
    'a +4915112340005 pending: Hi Dana: 4, 21.3.2027',
    'b +4915112340006 Recipient has opted out',
    'c  No valid phone number',
    'd +4915112340005 No value: room',
    'e +4915112340005 The date has passed',
  ])
  const { counts, left_out } = await loadCampaignProgress(one.store, permit.sender, id)
  expect(counts).toMatchObject({ pending: 1, failed: 0 })
  expect(left_out).toHaveLength(4)
  expect(left_out[0]).toEqual({ reason: 'No valid phone number', count: 1 })
})

test('a text of a reminder that still waits at the date expires', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:00Z')
  const [[expires, bulk]] = (await rows(
    `select m.expires_at, d.expires_at from sms_messages m join sms_dispatch d on d.message = m.id`,
  )) as [[string, Date]]
  expect([expires, bulk.toISOString()]).toEqual([
    '2027-03-21 10:00:00.000Z',
    '2027-03-21T10:00:00.000Z',
  ])
  expect(await stateOf(id)).toBe('repeating')
})

test('a kill between row and text leaves neither, and the next run stores both once', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T07:00:00Z')
  await one.store.db.script(`create function killed() returns trigger language plpgsql as $$ begin raise 'killed'; end $$;
    create trigger killed before insert on sms_messages for each row execute function killed()`)
  await workAt('2027-03-21T08:00:00Z')
  expect(await told(id)).toEqual([])
  await one.store.db.script('drop function killed cascade')
  await workAt('2027-03-21T08:01:00Z')
  await workAt('2027-03-21T08:02:00Z')
  expect(await told(id)).toEqual(['a +4915112340001 pending: Until 11:00'])
})

test('an occurrence whose text or row was deleted gets no other text', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  await book('b', '2027-03-21T10:00:00Z')
  await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:00Z')
  await rows(`delete from sms_messages`)
  await rows(`delete from sms_dispatch`)
  await rows(`delete from campaign_recipients`)
  await workAt('2027-03-21T08:01:00Z')
  await workAt('2027-03-21T09:59:00Z')
  expect(await rows('select 1 from sms_messages')).toEqual([])
})

test('a failed text of a reminder is not sent again', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:00Z')
  await rows(`update sms_messages set status = 'failed', error_message = 'No signal'`)
  await rows('delete from sms_dispatch')
  await workAt('2027-03-21T08:01:00Z')
  await expect(retryCampaign(one, permit, id, {})).rejects.toThrow('was sent')
  expect(await told(id)).toEqual(['a +4915112340001 failed: Until 11:00'])
})

test('a paused reminder holds its texts, and a resume sends the texts that are still right', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  await book('b', '2027-03-21T10:00:00Z')
  await book('c', '2027-03-21T10:30:00Z')
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:00Z')
  await pauseCampaign(one, permit, id)
  expect(await rows('select distinct due_at::text from sms_dispatch')).toEqual([['infinity']])
  await rows(`delete from bookings where id = 'b'`)
  await workAt('2027-03-21T09:00:00Z')
  expect(await told(id)).toHaveLength(2)
  await resumeCampaign(two, permit, id)
  expect(await rows(`select count(*)::int from sms_dispatch where due_at < 'infinity'`)).toEqual([
    [1],
  ])
  await workAt('2027-03-21T09:00:00Z')
  expect(await told(id)).toEqual([
    ' +4915112340001 The record was deleted or is not shown any more',
    'a +4915112340001 pending: Until 11:00',
    'c +4915112340001 pending: Until 11:30',
  ])
  await cancelCampaign(one, permit, id)
  await workAt('2027-03-21T09:01:00Z')
  expect(await rows('select 1 from sms_dispatch')).toEqual([])
})

test('after a restore a reminder is paused, and texts that were due since the backup are unknown', async () => {
  await book('before', '2027-03-21T10:00:00Z')
  await book('between', '2027-03-24T10:00:00Z')
  await book('open', '2027-03-24T16:00:00Z')
  await book('after', '2027-03-25T10:00:00Z')
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:00Z')
  await fixture.at('2027-03-24T15:00:00Z')
  await endUnfinishedTexts(one.store.db)
  expect(await stateOf(id)).toBe('paused Outcome unknown: restored from a backup')
  await workAt('2027-03-24T15:01:00Z')
  await resumeCampaign(one, permit, id)
  await workAt('2027-03-24T15:02:00Z')
  await workAt('2027-03-25T08:00:00Z')
  expect(await told(id)).toEqual([
    'before +4915112340001 failed: Until 11:00',
    'between +4915112340001 Outcome unknown: restored from a backup',
    'open +4915112340001 Outcome unknown: restored from a backup',
    'after +4915112340001 pending: Until 11:00',
  ])
  expect(await stateOf(id)).toBe('repeating')
})

test('a birthday gets a text each year, also on 29 February', async () => {
  await rows(
    `insert into contact_fields (id, "user", name, key, type) values ('field0000000001', $1, 'Birthday', 'Birthday', 'date')`,
    [user],
  )
  await rows(
    `insert into contacts (id, "user", phone, name, data) values
     ('contact00000001', $1, '+4915112340001', 'Ann', '{"Birthday": "1992-02-29"}'),
     ('contact00000002', $1, '+4915112340002', 'Bo', '{"Birthday": "1990-12-31"}'),
     ('contact00000003', $1, '+4915112340003', 'Cy', '[]')`,
    [user],
  )
  const source = { collection: 'contacts', field: 'birthday', phone: null }
  const yearly = { ...source, offset: { days: 0, at: '09:00' }, yearly: true }
  const body = 'Happy birthday, {{name}}!'
  const id = await make(yearly, { body })
  expect(await fixture.preview(yearly, { body })).toMatchObject([
    { name: 'Bo', leaves_at: '2027-12-31 08:00:00.000Z', body: 'Happy birthday, Bo!' },
    { name: 'Ann', leaves_at: '2028-02-29 08:00:00.000Z', reason: '' },
  ])
  expect((await listFieldUses(one.store.db, user, 'field0000000001')).campaigns).toEqual([
    { id, name: body },
  ])
  const days = [
    '2027-12-31T08:00Z',
    '2027-12-31T20:00Z',
    '2028-02-28T08:00Z',
    '2028-02-29T08:00Z',
    '2029-02-28T08:00Z',
    '2029-03-01T08:00Z',
  ]
  for (const at of days) await workAt(at)
  expect(await rows('select "to", scheduled_at from sms_messages order by 2')).toEqual([
    ['+4915112340002', '2027-12-31 08:00:00.000Z'],
    ['+4915112340001', '2028-02-29 08:00:00.000Z'],
    ['+4915112340001', '2029-02-28 08:00:00.000Z'],
  ])
  expect(await stateOf(id)).toBe('repeating')
})

test('a reminder beyond the quota sends the texts that fit, the soonest first', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  await book('b', '2027-03-21T10:00:01Z')
  const { used } = await loadUsage(one.store, user, one.config, new Date())
  await rows('update users set monthly_quota = $1', [used + 1])
  const id = await make(TWO_HOURS)
  await workAt('2027-03-21T08:00:01Z')
  await rows('update users set monthly_quota = 0')
  expect((await told(id)).toSorted()).toEqual([
    'a +4915112340001 pending: Until 11:00',
    'b +4915112340001 Monthly message quota exceeded',
  ])
})

test('a disabled account sends no text until it is enabled', async () => {
  await book('a', '2027-03-21T10:00:00Z')
  const id = await make(TWO_HOURS)
  await rows(`update user_settings set disabled = true`)
  await workAt('2027-03-21T08:00:00Z')
  await workAt('2027-03-21T08:01:00Z')
  await rows(`update user_settings set disabled = false`)
  expect([await told(id), await stateOf(id)]).toEqual([[], 'paused'])
})

test('the text, the offset and the filter of a reminder can be changed, not its collection', async () => {
  await book('a', '2027-03-21T10:00:00Z', { room: '1' })
  await book('b', '2027-03-21T10:00:00Z', { room: '2' })
  const id = await make(TWO_HOURS)
  const change = (given: object) =>
    changeCampaign(two, permit, id, readCampaignChange(given, new Date()))
  const reminder = { collection: 'bookings', field: 'start', phone: 'phone', offset: { hours: 3 } }
  await change({ body: 'Room {{room}}', reminder: { ...reminder, filter: 'room = "2"' } })
  await workAt('2027-03-21T07:00:00Z')
  expect(await told(id)).toEqual(['b +4915112340001 pending: Room 2'])
  await change({ reminder })
  await workAt('2027-03-21T08:00:00Z')
  expect(await told(id)).toEqual([
    'b +4915112340001 pending: Room 2',
    'a +4915112340001 pending: Room 1',
  ])
  await expect(change({ reminder: { ...reminder, collection: 'contacts' } })).rejects.toThrow()
  await expect(change({ recipients: ['+4915112340001'] })).rejects.toThrow('has no recipients')
})

test('the next texts are shown before a reminder is switched on, also those that leave at once', async () => {
  await book('now', '2027-03-20T13:00:00Z')
  for (let i = 0; i < 25; i++)
    await book(`b${i}`, new Date(Date.UTC(2027, 2, 22, 8, i)).toISOString())
  await book('other', '2027-03-22T07:00:00Z', { phone: 'none' })
  const shown = await fixture.preview(TWO_HOURS)
  expect(shown).toHaveLength(20)
  expect(shown.slice(0, 3)).toEqual([
    {
      record: 'now',
      to: '+4915112340001',
      name: '',
      date: '2027-03-20 13:00:00.000Z',
      leaves_at: '2027-03-20 11:00:00.000Z',
      body: 'Until 14:00',
      segments: 1,
      reason: '',
    },
    {
      record: 'other',
      to: 'none',
      name: '',
      date: '2027-03-22 07:00:00.000Z',
      leaves_at: '2027-03-22 05:00:00.000Z',
      body: '',
      segments: 0,
      reason: 'No valid phone number',
    },
    expect.objectContaining({ record: 'b0', leaves_at: '2027-03-22 06:00:00.000Z' }),
  ])
})

test('a reminder that begins later shows no dates that have passed by then', async () => {
  await book('now', '2027-03-20T13:00:00Z')
  await book('late', '2027-03-22T13:00:00Z')
  const later = { scheduled_at: '2027-03-21T00:00:00Z' }
  const shown = await fixture.preview(TWO_HOURS, later)
  expect(shown.map(({ record }) => record)).toEqual(['late'])
  const id = await make(TWO_HOURS, later)
  const stored = await loadStoredReminders(one, user, id)
  expect(stored.reminders.map(({ record }) => record)).toEqual(['late'])
})

test('dates that are all midnight in UTC are whole days, and one among others has its time', async () => {
  await book('a', '2027-03-22T00:00:00Z')
  await expect(make(TWO_HOURS)).rejects.toThrow('needs dates with a time')
  const [whole] = await fixture.preview(DAY_BEFORE)
  expect(whole).toMatchObject({
    leaves_at: '2027-03-21 17:00:00.000Z',
    reason: 'No value: start:time',
  })
  await book('b', '2027-03-23T10:00:00Z')
  const [first] = await fixture.preview(TWO_HOURS)
  expect(first).toMatchObject({ leaves_at: '2027-03-21 22:00:00.000Z', body: 'Until 01:00' })
})

test('an account has at most 20 reminders', async () => {
  const made = await Promise.allSettled(Array.from({ length: 22 }, () => make(TWO_HOURS)))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
})

test.each([
  [{ collection: 'nothing' }, 'reminder.collection names none'],
  [{ collection: 'sms_messages' }, 'reminder.collection names none'],
  [{ collection: '_superusers' }, 'reminder.collection names none'],
  [{ field: 'room' }, 'reminder.field must be a date field of bookings'],
  [
    { collection: 'contacts', field: 'Birthday' },
    'reminder.field must be a field of your contacts',
  ],
  [{ phone: 'price' }, 'reminder.phone must be a field of bookings'],
  [{ phone: 'secret' }, 'reminder.phone must be a field of bookings'],
  [{ offset: {} }, 'reminder.offset must have days'],
  [{ offset: { days: 1, hours: 2 } }, 'reminder.offset must have days'],
  [{ offset: { hours: 2, at: '18:00' } }, 'reminder.offset must have days'],
  [{ offset: { days: 1, at: '25:00' } }, 'reminder.offset.at must be a time of day'],
  [{ offset: { days: 1.5 } }, 'reminder.offset.days must be a whole number'],
  [{ offset: { days: 1 }, has_time: false }, 'reminder.offset.at must be given'],
  [{ has_time: false }, 'reminder.offset.hours needs dates with a time'],
  [{ yearly: true }, 'reminder.offset.hours needs dates with a time'],
  [{ filter: 'secret = "x"' }, 'reminder.filter'],
  [{ filter: 'room =' }, 'reminder.filter'],
  [{ filter: '@collection.users.id != ""' }, 'Only superusers can filter'],
])('a reminder of %j is refused: %s', async (wrong, message) => {
  await book('a', '2027-03-21T10:00:00Z')
  await expect(make({ ...TWO_HOURS, ...wrong })).rejects.toThrow(message)
  expect(await rows('select 1 from campaigns')).toEqual([])
})

test.each([
  { recipients: ['+4915112340001'] },
  { repeat: { cron: '0 8 * * *' } },
  { expires_at: '2099-01-01' },
])('a reminder with %j is refused', async (body) => {
  await expect(make(TWO_HOURS, body)).rejects.toThrow('reminder excludes')
})
