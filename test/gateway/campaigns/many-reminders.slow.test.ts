import { openReminderFixture } from './reminder-fixture.ts'

// Bookings over the night of summer time and into another year, reminders at 24 h and at 1 h, and two nodes
// that work at the same time. Some bookings are moved or deleted while time passes. BOOKINGS: how many, 1,000
// unless the nightly run says 10,000.

const BOOKINGS = Number(process.env.BOOKINGS ?? 1_000)
const [MOVED, DELETED] = [BOOKINGS / 20, BOOKINGS / 100]
const HOUR_MS = 3_600_000

const fixture = await openReminderFixture()
const { rows, user, make, workAt } = fixture

/** The first bookings of the nights to another year and of summer time: spread over 14 hours. */
const NIGHTS = ['2026-12-31T16:00:00Z', '2027-03-27T18:00:00Z'].map((at) => Date.parse(at))
const HOURS = 14
/** When reminders of a night are due, in hours from its first booking. A booking may move by three hours. */
const DUE = [
  [-24, -24 + HOURS + 4],
  [-1, -1 + HOURS + 4],
] as const

test('each of many bookings has its texts once at 24 h and at 1 h, and a moved or deleted booking has no wrong text', async () => {
  await fixture.begin('2026-12-20T12:00:00Z')
  const [winter, summer] = NIGHTS
  await rows(
    `insert into bookings (id, owner, start, phone)
     select 'b' || lpad(i::text, 14, '0'), $1, pb_text(to_timestamp(case when i % 2 = 0 then $2::float8 else $3::float8 end / 1000)
       + (i / 2) * interval '1 second' * $5::int), '+49151' || lpad(i::text, 8, '0') from generate_series(1, $4::int) i`,
    [user, winter, summer, BOOKINGS, Math.floor((2 * HOURS * 3_600) / BOOKINGS)],
  )
  const reminders = [
    await make({ offset: { hours: 24 } }, { body: 'Tomorrow {{start:time}}' }),
    await make({ offset: { hours: 1 } }, { body: 'Soon {{start:time}}' }),
  ]
  const pbDate = (at: number) => new Date(at).toISOString().replace('T', ' ')
  for (const night of NIGHTS) {
    const times = DUE.flatMap(([from, to]) =>
      Array.from({ length: (to - from) * 2 + 1 }, (_, i) => night + (from + i / 2) * HOUR_MS),
    )
    await workAt(new Date(night - 25 * HOUR_MS).toISOString())
    // of the bookings of this night, before any text has left
    const within = [pbDate(night), pbDate(night + HOURS * HOUR_MS)]
    await rows(
      `update bookings set start = pb_text(start::timestamptz + interval '3 hours') where id in (
         select id from bookings where start >= $1 and start < $2 order by id limit ${MOVED / 2})`,
      within,
    )
    await rows(
      `delete from bookings where id in (
         select id from bookings where start >= $1 and start < $2 order by id desc limit ${DELETED / 2})`,
      within,
    )
    for (const at of times) {
      await workAt(new Date(at).toISOString())
      await rows(`update sms_messages set status = 'sent' where status = 'pending'`)
      await rows('delete from sms_dispatch')
    }
  }
  for (const [place, hours] of [24, 1].entries()) {
    const id = reminders[place]
    const wrong = `select b.id from bookings b left join campaign_recipients r on r.campaign = $1
      and r.occurrence = b.id || ' ' || b.start left join sms_messages m on m.id = r.message
      where m.id is null or m."to" <> b.phone or m.scheduled_at::timestamptz <> b.start::timestamptz - $2 * interval '1 hour'
        or m.body not like '%' || to_char(b.start::timestamptz at time zone 'Europe/Berlin', 'HH24:MI')`
    expect(await rows(wrong, [id, hours])).toEqual([])
    const texts = `select count(*)::int, count(distinct occurrence)::int, count(distinct message)::int
      from campaign_recipients where campaign = $1 and message <> ''`
    expect(await rows(texts, [id])).toEqual([Array(3).fill(BOOKINGS - DELETED)])
  }
  expect(await rows('select count(*)::int from sms_messages')).toEqual([[2 * (BOOKINGS - DELETED)]])
}, 900_000)
